import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, type checks } from '../../words/checks.ts';
import type { Values } from '../../words/params.ts';
import { BlobsError } from './blobs.ts';

/** Where blobs are kept, as the setting says. */
export type BlobsPlace =
  | { kind: 'file'; directory: string }
  | {
      kind: 's3';
      bucket: string;
      /** Empty, or names each followed by `/`. */
      prefix: string;
      endpoint: string | undefined;
      region: string;
    };

/**
 * Reads `file:///absolute/directory` or `s3://bucket[/prefix]?endpoint=https://…&region=…`. Credentials are never in
 * it: they are in AWS's own variables.
 * @throws {BlobsError} `BLOBS_URL`, which never quotes it
 */
export function blobsPlace(url: string): BlobsPlace {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw malformed('no-url');
  }
  if (parsed.username !== '' || parsed.password !== '') throw malformed('credentials');
  if (parsed.protocol === 'file:') return directoryOf(parsed);
  if (parsed.protocol === 's3:') return bucketOf(parsed);
  throw malformed('scheme');
}

/** What it is called in messages: a directory by its path, a bucket as the setting names it. */
export function whereOf(place: BlobsPlace): string {
  if (place.kind === 'file') return place.directory;
  const { bucket, prefix, endpoint } = place;
  const behind = endpoint === undefined ? '' : `?endpoint=${endpoint}`;
  return `s3://${[bucket, prefix.slice(0, -1)].filter(Boolean).join('/')}${behind}`;
}

function directoryOf(url: URL): BlobsPlace {
  if (url.search !== '' || url.hash !== '') throw malformed('behind-directory');
  let directory: string;
  try {
    directory = fileURLToPath(url);
  } catch {
    throw malformed('directory');
  }
  if (!isAbsolute(directory) || directory === '/') throw malformed('directory');
  return { kind: 'file', directory: directory.replace(/(?<!\/)\/+$/u, '') };
}

function bucketOf(url: URL): BlobsPlace {
  const bucket = url.host;
  if (!/^[a-z0-9][a-z0-9.-]{1,62}$/u.test(bucket)) throw malformed('bucket');
  const path = url.pathname.replaceAll(/^\/+|(?<!\/)\/+$/gu, '');
  if (!/^[A-Za-z0-9._/-]*$/u.test(path) || path.split('/').some((name) => /^\.{0,2}$/u.test(name)))
    if (path !== '') throw malformed('prefix');
  const known = new Set(['endpoint', 'region']);
  for (const name of url.searchParams.keys()) if (!known.has(name)) throw malformed('options');
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined) assertEndpoint(endpoint);
  const region = url.searchParams.get('region') ?? 'us-east-1';
  return { kind: 's3', bucket, prefix: path === '' ? '' : `${path}/`, endpoint, region };
}

function assertEndpoint(endpoint: string): void {
  const parsed = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isServer = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  if (!isServer || parsed.username !== '' || parsed.password !== '') throw malformed('endpoint');
}

type Malformed = Values<(typeof checks)['blobs-url-wrong']['params']>;
const malformed = (cause: Malformed['cause']): BlobsError =>
  new BlobsError('BLOBS_URL', check('blobs-url-wrong', { cause }));

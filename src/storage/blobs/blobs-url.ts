import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
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
    throw malformed('it is no URL');
  }
  if (parsed.username !== '' || parsed.password !== '')
    throw malformed('credentials go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  if (parsed.protocol === 'file:') return directoryOf(parsed);
  if (parsed.protocol === 's3:') return bucketOf(parsed);
  throw malformed('it begins with file: or s3:');
}

/** What it is called in messages. */
export const whereOf = (place: BlobsPlace): string =>
  place.kind === 'file'
    ? place.directory
    : `${place.bucket}${place.prefix === '' ? '' : `/${place.prefix}`} at ${place.endpoint ?? 'AWS'}`;

function directoryOf(url: URL): BlobsPlace {
  if (url.search !== '' || url.hash !== '') throw malformed('nothing follows the directory');
  let directory: string;
  try {
    directory = fileURLToPath(url);
  } catch {
    throw malformed('a directory is file:///absolute/path');
  }
  if (!isAbsolute(directory) || directory === '/') throw malformed('the directory is absolute');
  return { kind: 'file', directory: directory.replace(/(?<!\/)\/+$/u, '') };
}

function bucketOf(url: URL): BlobsPlace {
  const bucket = url.host;
  if (!/^[a-z0-9][a-z0-9.-]{1,62}$/u.test(bucket)) throw malformed('that is no name of a bucket');
  const path = url.pathname.replaceAll(/^\/+|(?<!\/)\/+$/gu, '');
  if (!/^[A-Za-z0-9._/-]*$/u.test(path) || path.split('/').some((name) => /^\.{0,2}$/u.test(name)))
    if (path !== '') throw malformed('a prefix has letters, digits, . _ - and /');
  const known = new Set(['endpoint', 'region']);
  for (const name of url.searchParams.keys())
    if (!known.has(name)) throw malformed('behind the ? come endpoint and region');
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined) assertEndpoint(endpoint);
  const region = url.searchParams.get('region') ?? 'us-east-1';
  return { kind: 's3', bucket, prefix: path === '' ? '' : `${path}/`, endpoint, region };
}

function assertEndpoint(endpoint: string): void {
  const parsed = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isServer = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  if (!isServer || parsed.username !== '' || parsed.password !== '')
    throw malformed('the endpoint is http://host:port or https://host, without credentials');
}

const malformed = (why: string): BlobsError =>
  new BlobsError(
    'BLOBS_URL',
    `MITSCHRIFT_BLOBS_URL cannot be read: ${why}. It is file:///absolute/directory or s3://bucket/prefix?endpoint=https://…&region=….`,
  );

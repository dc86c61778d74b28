import { hash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { hashFile } from '../../shared/files.ts';
import { check } from '../../words/checks.ts';
import { dataFailure } from '../../words/data-failures.ts';
import type { Sentence } from '../../words/params.ts';
import type { CountedBytes } from '../disk.ts';
import {
  type BlobBody,
  type BlobEntry,
  type BlobHead,
  type Blobs,
  BlobsError,
  type PutCondition,
  away,
  callMs,
  folderSegments,
  prefixSegments,
  segmentsOf,
  type Exclusively,
} from './blobs.ts';
import { type BlobsPlace, whereOf } from './blobs-url.ts';
import { type Bucket, putInParts } from './s3-parts.ts';

type S3Place = Extract<BlobsPlace, { kind: 's3' }>;

/** From this size on a file is sent in parts, so that no try sends much again. */
const inPartsFrom = 16 * 1024 ** 2;

const connectMs = 5_000;

/** Without a byte from the other side, or to it. */
const silentMs = 20_000;

/** The same for a server that makes parts one, which takes it as long as copying them. */
const joiningMs = 600_000;

/** Of every request, with growing pauses between them; all of them together within `callMs`. */
const triesMax = 4;

type S3Blobs = Blobs & {
  /**
   * Finds out, at a key where something is, whether the store keeps to `If-None-Match` and `If-Match`. Until then,
   * and where it does not, a condition is looked at first, under a claim.
   * @param bytes what is there: it is put again
   */
  learnConditions(key: string, bytes: Uint8Array): Promise<{ ifAbsent: boolean; ifMatch: boolean }>;
};

/** Blobs in a bucket, at AWS or a server with its interface (paths, not host names). Credentials come from the environment. */
export function openS3Blobs(place: S3Place, exclusively: Exclusively): S3Blobs {
  const bucket = openBucket(place);
  const keeps = { ifAbsent: false, ifMatch: false };
  const keyOf = (key: string): string => place.prefix + segmentsOf(key).join('/');
  const { client, joining, ask } = bucket;
  const at = (key: string) => ({ Bucket: place.bucket, Key: keyOf(key) });

  const head = async (key: string): Promise<BlobHead | null> => {
    const command = new HeadObjectCommand(at(key));
    const found = await orMissing(ask((how) => client.send(command, how)));
    return found && headOf(found, found.ContentLength ?? 0);
  };

  const list = (prefix: string) => listObjects(bucket, place.prefix, prefixSegments(prefix));
  const remove = async (key: string): Promise<void> => {
    const command = new DeleteObjectCommand(at(key));
    await orMissing(ask((how) => client.send(command, how)));
  };

  return {
    async put(key, body, condition = {}) {
      const name = keyOf(key);
      const checked = await checkedBody(body, condition.sha256);
      const isKept =
        (!condition.ifAbsent || keeps.ifAbsent) &&
        (condition.ifMatch === undefined || keeps.ifMatch);
      if (isKept) return await putObject(bucket, name, checked, condition);
      return await exclusively(`blob:${key}`, async (lost) => {
        const present = await head(key);
        if (condition.ifAbsent && present !== null) return false;
        if (condition.ifMatch !== undefined && present?.etag !== condition.ifMatch) return false;
        if (lost.aborted) throw away(bucket.where, 'claim-lost');
        return await putObject(bucket, name, checked, {});
      });
    },
    async move(key, { path, sha256 }) {
      await putObject(bucket, keyOf(key), await checkedBody({ path }, sha256), {});
      await rm(path, { force: true });
    },
    async get(key, { range } = {}) {
      if (range && range.end < range.start)
        throw new RangeError('An empty range is not asked for.');
      const Range = range && `bytes=${range.start}-${range.end}`;
      const command = new GetObjectCommand({ ...at(key), ...(Range ? { Range } : {}) });
      const found = await orMissing(ask((how) => client.send(command, how)));
      if (!found?.Body) return null;
      const total = /\/(?<total>\d+)$/u.exec(found.ContentRange ?? '')?.groups?.['total'];
      const body = Readable.from(received(found.Body as Readable, bucket.where), {
        objectMode: false,
      });
      return { ...headOf(found, Number(total ?? found.ContentLength ?? 0)), body };
    },
    head,
    list,
    delete: remove,
    async deleteAll(prefix) {
      const found = listObjects(bucket, place.prefix, folderSegments(prefix));
      for await (const { key } of found) await remove(key);
    },
    measure: (prefix, signal) => measureObjects(list(prefix), prefix, signal),
    pathOf: () => null,
    removeUnfinished: async () => 0,
    learnConditions: async (key, bytes) =>
      Object.assign(keeps, await conditionsKept(bucket, keyOf(key), bytes)),
    async close() {
      client.destroy();
      joining.destroy();
    },
  };
}

/** Which conditions the server keeps to, at a key where something is. */
async function conditionsKept(
  bucket: Bucket,
  Key: string,
  bytes: Uint8Array,
): Promise<{ ifAbsent: boolean; ifMatch: boolean }> {
  const refuses = async (condition: PutCondition): Promise<boolean> =>
    !(await putObject(bucket, Key, { bytes, sha256: sha256Of(bytes) }, condition).catch(
      // A server that does not know the header may say so.
      (error: unknown) => {
        if (httpStatusOf(error) === 501) return true;
        throw error;
      },
    ));
  return {
    ifAbsent: await refuses({ ifAbsent: true }),
    ifMatch: await refuses({ ifMatch: '"00000000000000000000000000000000"' }),
  };
}

async function measureObjects(
  found: AsyncIterable<BlobEntry>,
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<Map<string, CountedBytes>> {
  const measured = new Map<string, CountedBytes>();
  for await (const { key, bytes } of found) {
    signal?.throwIfAborted();
    const name = key.slice(prefix.length).split('/', 1).join('');
    const before = measured.get(name)?.bytes ?? 0;
    measured.set(name, { bytes: before + bytes, unread: 0 });
  }
  return measured;
}

/** A client of a bucket. Reads its credentials when it is first asked, unless it has another one's. */
const s3Client = (
  { endpoint, region }: S3Place,
  socketTimeout: number,
  has: Pick<S3ClientConfig, 'credentials'> = {},
): S3Client =>
  new S3Client({
    ...has,
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: true,
    // Other servers know no checksum at the end of a body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: triesMax,
    // No `requestTimeout`: that is the time of all that is sent, on a slow line minutes. `ask` bounds it.
    requestHandler: { connectionTimeout: connectMs, socketTimeout },
  });

function openBucket(place: S3Place): Bucket {
  const client = s3Client(place, silentMs);
  const { credentials } = client.config;
  const where = whereOf(place);
  return {
    client,
    joining: s3Client(place, joiningMs, { credentials }),
    bucket: place.bucket,
    where,
    async ask(send, bytes = 0) {
      // Not `AbortSignal.timeout`: the body of an answer may take longer.
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), callMs(bytes));
      try {
        return await send({ abortSignal: late.signal });
      } catch (error) {
        throw s3Failure(error, where);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** The bytes of an answer, as long as they come. @throws {BlobsError} `BLOBS_AWAY` */
async function* received(body: Readable, where: string): AsyncGenerator<Buffer, void, void> {
  const silent = (): void => void body.destroy(away(where, 'broke-off'));
  let timer = setTimeout(silent, silentMs);
  try {
    const chunks: AsyncIterable<Buffer> = body;
    for await (const chunk of chunks) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(silent, silentMs);
    }
  } catch (error) {
    throw s3Failure(error, where);
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

async function checkedBody(body: BlobBody, sha256: string | undefined): Promise<Sent> {
  if (body instanceof Uint8Array) {
    const present = sha256Of(body);
    if (sha256 !== undefined && sha256 !== present) throw differs();
    return { bytes: body, sha256: present };
  }
  const { size } = await stat(body.path);
  if (size < inPartsFrom) return await checkedBody(await readFile(body.path), sha256);
  const present = (await hashFile(body.path))?.sha256;
  if (present === undefined || (sha256 !== undefined && sha256 !== present)) throw differs();
  return { path: body.path, size, sha256: present };
}

const differs = (): BlobsError => new BlobsError('BLOBS_DIFFER', dataFailure('file-differs'));

const sha256Of = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

/** False: the server says that the condition does not hold. */
async function putObject(
  bucket: Bucket,
  Key: string,
  body: Sent,
  { ifAbsent, ifMatch }: PutCondition,
): Promise<boolean> {
  const conditions = {
    ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
    ...(ifMatch === undefined ? {} : { IfMatch: ifMatch }),
  };
  const object = { Bucket: bucket.bucket, Key, Metadata: { sha256: body.sha256 } };
  for (let tries = 1; ; tries += 1) {
    try {
      if ('path' in body) await putInParts(bucket, object, body, conditions);
      else {
        const command = new PutObjectCommand({
          ...object,
          ...conditions,
          Body: body.bytes,
          ContentLength: body.bytes.length,
        });
        await bucket.ask((how) => bucket.client.send(command, how), body.bytes.length);
      }
      return true;
    } catch (error) {
      if (isMissing(error)) {
        // Of what is sent in parts there is no upload any more where an earlier try made it one.
        const isThere = 'path' in body && (await hasBytes(bucket, Key, body.sha256));
        if (isThere || ifMatch !== undefined) return isThere;
        throw away(bucket.where, 'status', { said: '404', cause: error });
      }
      // Two at once: the server wants it asked again.
      if (isConflict(error) && tries < triesMax) continue;
      if (httpStatusOf(error) !== 412) throw error;
      // A try whose answer was lost may have put what is there now.
      return attemptsOf(error) > 1 && (await hasBytes(bucket, Key, body.sha256));
    }
  }
}

async function hasBytes(
  { ask, client, bucket }: Bucket,
  Key: string,
  sha256: string,
): Promise<boolean> {
  const found = await orMissing(
    ask((how) => client.send(new HeadObjectCommand({ Bucket: bucket, Key }), how)),
  );
  return found?.Metadata?.['sha256'] === sha256;
}

const headOf = (
  found: { ETag?: string | undefined; LastModified?: Date | undefined },
  bytes: number,
): BlobHead => ({ bytes, etag: found.ETag ?? '', modifiedAt: found.LastModified ?? new Date(0) });

async function orMissing<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function* listObjects(
  { ask, client, bucket }: Bucket,
  before: string,
  segments: readonly string[],
): AsyncGenerator<BlobEntry, void, void> {
  const Prefix = before + segments.map((segment) => `${segment}/`).join('');
  let ContinuationToken: string | undefined;
  do {
    const place = { Bucket: bucket, Prefix, ...(ContinuationToken ? { ContinuationToken } : {}) };
    const page = await ask((how) => client.send(new ListObjectsV2Command(place), how));
    for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? [])
      yield { key: Key.slice(before.length), bytes: Size, modifiedAt: LastModified };
    ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (ContinuationToken !== undefined);
}

/** What is sent. */
type Sent = ({ bytes: Uint8Array } | { path: string; size: number }) & { sha256: string };

/** An error of the SDK, by what it says of itself. */
type Said = { name?: string; $metadata?: { httpStatusCode?: number; attempts?: number } };
const saidOf = (error: unknown): Said => error as Said;

/**
 * What a failed request means.
 * @returns {BlobsError}; what a condition or a missing object led to is still to be seen by `httpStatusOf` and `isMissing`
 */
function s3Failure(error: unknown, place: string): unknown {
  if (error instanceof BlobsError) return error;
  const { name = '', $metadata } = saidOf(error);
  const status = $metadata?.httpStatusCode;
  const refused = (sentence: Sentence): BlobsError =>
    new BlobsError('BLOBS_REFUSED', sentence, { cause: error });
  if (name === 'NoSuchBucket') return refused(check('files-no-bucket', { place }));
  if (name === 'RequestTimeTooSkewed') return refused(check('files-clock', { place }));
  if (name === 'CredentialsProviderError') return refused(check('files-no-credentials', { place }));
  if (status === 401 || status === 403) return refused(check('files-login', { place }));
  if (status === 404 || status === 409 || status === 412 || status === 501) return error;
  if (status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429)
    return refused(check('files-rejected', { place, said: `${status} ${name}`.trim() }));
  return status === undefined
    ? away(place, 'silent', { said: name || undefined, cause: error })
    : away(place, 'status', { said: String(status), cause: error });
}

const httpStatusOf = (error: unknown): number | undefined =>
  saidOf(error).$metadata?.httpStatusCode;

/** How often the server was asked until it said so. */
const attemptsOf = (error: unknown): number => saidOf(error).$metadata?.attempts ?? 1;

const isMissing = (error: unknown): boolean => httpStatusOf(error) === 404;

const isConflict = (error: unknown): boolean => httpStatusOf(error) === 409;

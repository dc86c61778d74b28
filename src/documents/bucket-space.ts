import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { dataFailure } from '../words/data-failures.ts';
import { type Blobs, BlobsError } from '../storage/blobs/blobs.ts';
import { type PerDocument, type DocumentName, documentNames } from './documents.ts';
import { OversizedDocument, type StoredDocument, documentBytesMax } from './stored-document.ts';

/**
 * A user's documents in a bucket, under the names they would have in a folder. People come to them by HTTP only. Each
 * is put on the condition that what is there is what was looked at, so that a node that was frozen replaces nothing newer.
 */
export type BucketSpace = {
  readonly bucket: Blobs;
  /** The user's id, or `guest`. */
  readonly user: string;
};

/** A space that several processes can write into. */
export type SharedSpace = {
  /** Asked before anything is written, and right before each document is replaced. @throws when another may write by now */
  assertMine(): Promise<void>;
};

/** The index is the last to appear, so that its links lead somewhere. */
export const writingOrder = ['transcript', 'summary', 'index'] as const;

/** Puts of one document that others were faster than, until it is said that the store is in the way. */
const putsMax = 5;

export const spaceInBucket = (bucket: Blobs, user: string): BucketSpace => ({ bucket, user });

const keyOf = ({ user }: BucketSpace, path: string): string => `spaces/${user}/${path}`;

/** @throws {OversizedDocument}, {BlobsError} */
export async function readFromBucket(
  space: BucketSpace,
  segments: readonly string[],
): Promise<StoredDocument | undefined> {
  return (await present(space, segments.join('/'))) ?? undefined;
}

/** Names at the top of the space. @throws {BlobsError} */
export async function entriesInBucket(space: BucketSpace): Promise<string[]> {
  const prefix = keyOf(space, '');
  const names = new Set<string>();
  for await (const { key } of space.bucket.list(prefix))
    names.add(key.slice(prefix.length).replace(/\/.*$/su, ''));
  return [...names];
}

/** As `writeDocuments`. @throws {BlobsError} */
export async function writeToBucket(
  space: BucketSpace,
  paths: PerDocument,
  contents: PerDocument,
  known: PerDocument | null,
  shared?: SharedSpace,
): Promise<DocumentName[]> {
  const kept = new Set<DocumentName>();
  for (const name of writingOrder) {
    const bytes = Buffer.from(contents[name]);
    const what = { bytes, sha256: hash('sha256', bytes, 'hex'), replaces: known?.[name] };
    if (!(await putDocument(space, paths[name], what, shared))) kept.add(name);
  }
  return documentNames.filter((name) => kept.has(name));
}

/** Whether there was one under the path; there is none afterwards. @throws {BlobsError} */
export async function deleteFromBucket(space: BucketSpace, path: string): Promise<boolean> {
  const key = keyOf(space, path);
  if ((await space.bucket.head(key)) === null) return false;
  await space.bucket.delete(key);
  return true;
}

/** False: what is there is a person's, and stays. */
async function putDocument(
  space: BucketSpace,
  path: string,
  { bytes, sha256, replaces }: { bytes: Buffer; sha256: string; replaces: string | undefined },
  shared: SharedSpace | undefined,
): Promise<boolean> {
  for (let puts = 1; puts <= putsMax; puts += 1) {
    const there = await present(space, path).catch((error: unknown) => {
      // None of ours is that large.
      if (error instanceof OversizedDocument) return 'foreign' as const;
      throw error;
    });
    if (there === 'foreign' || (there !== null && ![sha256, replaces].includes(there.sha256)))
      return false;
    if (there?.sha256 === sha256) return true;
    await shared?.assertMine();
    const condition = there === null ? { ifAbsent: true } : { ifMatch: there.etag };
    if (await space.bucket.put(keyOf(space, path), bytes, { ...condition, sha256 })) return true;
  }
  throw new BlobsError('BLOBS_AWAY', dataFailure('file-in-use'));
}

async function present(
  space: BucketSpace,
  path: string,
): Promise<(StoredDocument & { etag: string }) | null> {
  const found = await space.bucket.get(keyOf(space, path));
  if (found === null) return null;
  const { body, etag, modifiedAt } = found;
  if (found.bytes > documentBytesMax) {
    body.destroy();
    throw new OversizedDocument();
  }
  const bytes = await buffer(body);
  return { bytes, sha256: hash('sha256', bytes, 'hex'), modifiedAt, etag };
}

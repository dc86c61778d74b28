import * as z from 'zod';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { buffer, json } from 'node:stream/consumers';
import { limited } from '../../shared/mutex.ts';
import { type Blobs, BlobsError } from './blobs.ts';

/*
 * Resumable uploads in a bucket, so that one that began at a node goes on at any other. Each piece that arrives is an
 * object of its own, named by where it begins and how long it is, and never changed: what a node puts that was frozen, and
 * wakes when another goes on, is the same bytes of the same file. How far an upload is, is where the first hole is.
 *
 *   resumable/under-way/<id>                  what was said of it
 *   resumable/parts/<id>/<start>-<length>     its bytes
 *   resumable/over/<id>                       of one that became a recording: owner, command and length
 *   resumable/begun/<hash of a command>       the id that a command led to
 */

const uploadInfoSchema = z.object({
  metadata: z.record(z.string(), z.string().nullable()),
  /** Bytes; absent while the client has not said. */
  size: z.number().optional(),
  /** RFC 3339. */
  creation_date: z.string().optional(),
});

/** What was said of an upload. */
export type UploadInfo = z.infer<typeof uploadInfoSchema>;

export type UploadPart = { key: string; start: number; length: number };

const root = 'resumable/';
const underWayOf = (id: string): string => `${root}under-way/${id}`;
const overOf = (id: string): string => `${root}over/${id}`;
const allParts = `${root}parts/`;
const partsFolder = (id: string): string => `${allParts}${id}/`;
const begunOf = (command: string): string =>
  `${root}begun/${createHash('sha256').update(command).digest('hex')}`;
/** Objects that are asked for at once. */
const atOnceMax = 16;

export async function putUploadInfo(blobs: Blobs, id: string, info: UploadInfo): Promise<void> {
  await blobs.put(underWayOf(id), asBytes(info));
}

/** `isOver`: it is complete, and only remembered; null: there is no such upload. */
export async function uploadInfoOf(
  blobs: Blobs,
  id: string,
): Promise<(UploadInfo & { isOver: boolean }) | null> {
  const underWay = await readInfo(blobs, underWayOf(id));
  if (underWay) return { ...underWay, isOver: false };
  const over = await readInfo(blobs, overOf(id));
  return over && { ...over, isOver: true };
}

/** Remembers which upload a command began. */
export async function noteBegun(blobs: Blobs, command: string, id: string): Promise<void> {
  await blobs.put(begunOf(command), Buffer.from(id));
}

/** The upload that a command began; null: none that is known. */
export async function uploadBegunBy(blobs: Blobs, command: string): Promise<string | null> {
  const found = await blobs.get(begunOf(command));
  return found && (await buffer(found.body)).toString('latin1');
}

/** In the order of where they begin. */
export async function partsOfUpload(blobs: Blobs, id: string): Promise<UploadPart[]> {
  const parts: UploadPart[] = [];
  const folder = partsFolder(id);
  for await (const { key } of blobs.list(folder)) {
    const [, start, length] = /^(\d+)-(\d+)$/.exec(key.slice(folder.length)) ?? [];
    if (start !== undefined) parts.push({ key, start: Number(start), length: Number(length) });
  }
  return parts.toSorted((a, b) => a.start - b.start || b.length - a.length);
}

/** How many bytes are there without a hole. */
export const bytesWithoutHole = (parts: readonly UploadPart[]): number =>
  parts.reduce((end, one) => (one.start <= end ? Math.max(end, one.start + one.length) : end), 0);

export async function putUploadPart(
  blobs: Blobs,
  id: string,
  start: number,
  bytes: Buffer,
): Promise<void> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await blobs.put(`${partsFolder(id)}${start}-${bytes.length}`, bytes, { sha256 });
}

/** Puts its bytes together in a new file of this machine. @throws {BlobsError} `BLOBS_DIFFER`: some are not there */
export async function assembleUpload(blobs: Blobs, id: string, path: string): Promise<void> {
  const parts = await partsOfUpload(blobs, id);
  const file = await open(path, 'wx', 0o600);
  try {
    let end = 0;
    for (const { key, start, length } of parts) {
      if (start + length <= end) continue;
      const range = { start: end - start, end: length - 1 };
      const found = start > end ? null : await blobs.get(key, { range });
      if (found === null) throw new BlobsError('BLOBS_DIFFER', 'A piece of an upload is missing.');
      for await (const chunk of found.body) {
        await file.writeFile(chunk as Buffer);
        end += (chunk as Buffer).length;
      }
    }
    if (end !== bytesWithoutHole(parts))
      throw new BlobsError('BLOBS_DIFFER', 'A piece of an upload is not as long as it was.');
  } finally {
    await file.close();
  }
}

/** Of one that became a recording its bytes go, and only `remembered` stays, until it is swept; twice is once. */
export async function endUpload(blobs: Blobs, id: string, remembered: UploadInfo): Promise<void> {
  await blobs.put(overOf(id), asBytes(remembered));
  await removeUpload(blobs, id);
}

/** The last to go is what makes it known. */
export async function removeUpload(blobs: Blobs, id: string): Promise<void> {
  for await (const { key } of blobs.list(partsFolder(id))) await blobs.delete(key);
  await blobs.delete(underWayOf(id));
}

/** All that are not complete, with the bytes that are there. */
export async function uploadsUnderWay(
  blobs: Blobs,
): Promise<{ id: string; info: UploadInfo; bytes: number }[]> {
  const bytes = new Map<string, number>();
  for await (const part of blobs.list(allParts)) {
    const id = part.key.slice(allParts.length).split('/')[0]!;
    bytes.set(id, (bytes.get(id) ?? 0) + part.bytes);
  }
  const inTurn = limited(atOnceMax);
  const reading: Promise<{ id: string; info: UploadInfo; bytes: number } | null>[] = [];
  for await (const { key } of blobs.list(underWayOf(''))) {
    const id = key.slice(underWayOf('').length);
    reading.push(
      inTurn(async () => {
        const info = await readInfo(blobs, key);
        return info && { id, info, bytes: bytes.get(id) ?? 0 };
      }),
    );
  }
  return (await Promise.all(reading)).filter((one) => one !== null);
}

/** Removes uploads, and the memory of them, that began before then; returns how many objects that were. */
export async function sweepUnfinished(blobs: Blobs, before: Date): Promise<number> {
  let removed = 0;
  for (const folder of [underWayOf(''), overOf(''), `${root}begun/`]) {
    for await (const { key, modifiedAt } of blobs.list(folder)) {
      if (modifiedAt >= before) continue;
      if (folder === underWayOf('')) await removeUpload(blobs, key.slice(folder.length));
      else await blobs.delete(key);
      removed += 1;
    }
  }
  return removed;
}

const asBytes = (info: UploadInfo): Buffer => Buffer.from(JSON.stringify(info));

async function readInfo(blobs: Blobs, key: string): Promise<UploadInfo | null> {
  const found = await blobs.get(key);
  return found && uploadInfoSchema.parse(await json(found.body));
}

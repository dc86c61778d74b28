import { ulid } from 'ulid';
import { createHash } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { hasCode } from '../../shared/errors.ts';
import { limited } from '../../shared/mutex.ts';
import { dataFailure } from '../../words/data-failures.ts';
import { type Blobs, BlobsError } from '../blobs/blobs.ts';
import {
  type UnfinishedUploads,
  type UploadInfo,
  type UploadUnderWay,
  parseUploadInfo,
  rememberedOf,
} from './unfinished-uploads.ts';

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

const underWayFolder = 'resumable/under-way/';
const overFolder = 'resumable/over/';
const begunFolder = 'resumable/begun/';
const allParts = 'resumable/parts/';
const partsFolder = (id: string): string => `${allParts}${id}/`;
const begunOf = (command: string): string =>
  `${begunFolder}${createHash('sha256').update(command).digest('hex')}`;

/** Objects that are asked for at once. */
const atOnceMax = 16;
/** Bytes that are held in memory until they are put: of each connection. */
const partBytes = 8 * 1024 ** 2;
/** The last piece is put again with what follows it when it is shorter: small pieces do not add up to very many objects. */
const partBytesMin = 1024 ** 2;

/**
 * Unfinished uploads in a bucket: any node takes the next piece. A piece is acknowledged when it is put.
 * @param scratch folder of this machine in which complete ones are put together
 */
export function bucketUploads(blobs: Blobs, scratch: string): UnfinishedUploads {
  const infoOf: UnfinishedUploads['infoOf'] = async (id) => {
    const underWay = await readInfo(blobs, underWayFolder + id);
    if (underWay) return { ...underWay, isOver: false };
    const over = await readInfo(blobs, overFolder + id);
    return over && { ...over, isOver: true };
  };
  const remove = (id: string): Promise<void> => removeUpload(blobs, id);
  return {
    async put(id, info) {
      await blobs.put(underWayFolder + id, asBytes(info));
      const command = info.metadata['command'];
      if (typeof command === 'string') await blobs.put(begunOf(command), Buffer.from(id));
    },
    infoOf,
    async begunBy(command) {
      const found = await blobs.get(begunOf(command));
      if (found === null) return null;
      const id = await text(found.body);
      const info = await infoOf(id);
      return info && { id, info };
    },
    bytesOf: async (id) => bytesWithoutHole(await partsOf(blobs, id)),
    append: (id, offset, bytes) => putParts(blobs, id, offset, bytes),
    async withFile(id, work) {
      const folder = join(scratch, ulid());
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        const path = join(folder, 'file');
        await assemble(blobs, id, path);
        return await work(path);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async end(id) {
      const info = await infoOf(id);
      if (!info || info.isOver) return;
      await blobs.put(overFolder + id, asBytes(rememberedOf(info)));
      await remove(id);
    },
    remove,
    underWay: () => allUnderWay(blobs),
    async sweep(before) {
      let removed = 0;
      for (const folder of [underWayFolder, overFolder, begunFolder]) {
        for await (const { key, modifiedAt } of blobs.list(folder)) {
          if (modifiedAt >= before) continue;
          if (folder === underWayFolder) await remove(key.slice(folder.length));
          else await blobs.delete(key);
          removed += 1;
        }
      }
      return removed;
    },
  };
}

type Part = { key: string; start: number; length: number };

/** In the order of where they begin. */
async function partsOf(blobs: Blobs, id: string): Promise<Part[]> {
  const parts: Part[] = [];
  const folder = partsFolder(id);
  for await (const { key } of blobs.list(folder)) {
    const [, start, length] = /^(\d+)-(\d+)$/.exec(key.slice(folder.length)) ?? [];
    if (start !== undefined) parts.push({ key, start: Number(start), length: Number(length) });
  }
  return parts.toSorted((a, b) => a.start - b.start || b.length - a.length);
}

const bytesWithoutHole = (parts: readonly Part[]): number =>
  parts.reduce((end, one) => (one.start <= end ? Math.max(end, one.start + one.length) : end), 0);

async function putParts(
  blobs: Blobs,
  id: string,
  offset: number,
  bytes: AsyncIterable<Buffer>,
): Promise<number> {
  const last = (await partsOf(blobs, id)).findLast(
    ({ start, length }) => start + length === offset && length < partBytesMin,
  );
  const before = last && (await blobs.get(last.key));
  let pieces: Buffer[] = before ? [await buffer(before.body)] : [];
  let start = before ? last.start : offset;
  let end = offset;
  let put = offset;
  const putPieces = async (): Promise<void> => {
    if (end === put) return;
    const part = Buffer.concat(pieces);
    const sha256 = createHash('sha256').update(part).digest('hex');
    await blobs.put(`${partsFolder(id)}${start}-${part.length}`, part, { sha256 });
    pieces = [];
    start = put = end;
  };
  let broken: unknown;
  try {
    for await (const chunk of bytes) {
      pieces.push(chunk);
      end += chunk.length;
      if (end - start >= partBytes) await putPieces();
    }
  } catch (error) {
    if (hasCode<BlobsError>(error, 'BLOBS_AWAY', 'BLOBS_REFUSED')) throw error;
    broken = error;
  }
  // Also of a connection that broke off: what has arrived is not asked for again.
  await putPieces();
  if (before && put > offset) await blobs.delete(last.key);
  if (broken !== undefined) throw broken;
  return put;
}

/** Puts its bytes together in a new file of this machine. @throws {BlobsError} `BLOBS_DIFFER`: some are not there */
async function assemble(blobs: Blobs, id: string, path: string): Promise<void> {
  const parts = await partsOf(blobs, id);
  const file = await open(path, 'wx', 0o600);
  try {
    let end = 0;
    for (const { key, start, length } of parts) {
      if (start + length <= end) continue;
      const range = { start: end - start, end: length - 1 };
      const found = start > end ? null : await blobs.get(key, { range });
      if (found === null) throw new BlobsError('BLOBS_DIFFER', dataFailure('upload-part-missing'));
      const chunks: AsyncIterable<Buffer> = found.body;
      for await (const chunk of chunks) {
        await file.writeFile(chunk);
        end += chunk.length;
      }
    }
    if (end !== bytesWithoutHole(parts))
      throw new BlobsError('BLOBS_DIFFER', dataFailure('upload-part-changed'));
  } finally {
    await file.close();
  }
}

async function removeUpload(blobs: Blobs, id: string): Promise<void> {
  await blobs.deleteAll(partsFolder(id));
  await blobs.delete(underWayFolder + id);
}

async function allUnderWay(blobs: Blobs): Promise<UploadUnderWay[]> {
  const bytes = new Map<string, number>();
  for await (const part of blobs.list(allParts)) {
    const id = part.key.slice(allParts.length).split('/', 1).join('');
    bytes.set(id, (bytes.get(id) ?? 0) + part.bytes);
  }
  const inTurn = limited(atOnceMax);
  const reading: Promise<UploadUnderWay | null>[] = [];
  for await (const { key } of blobs.list(underWayFolder)) {
    const id = key.slice(underWayFolder.length);
    reading.push(
      inTurn(async () => {
        const info = await readInfo(blobs, key);
        return info && { id, info, bytes: bytes.get(id) ?? 0 };
      }),
    );
  }
  return (await Promise.all(reading)).filter((one) => one !== null);
}

const asBytes = (info: UploadInfo): Buffer => Buffer.from(JSON.stringify(info));

async function readInfo(blobs: Blobs, key: string): Promise<UploadInfo | null> {
  const found = await blobs.get(key);
  return found && parseUploadInfo(await text(found.body));
}

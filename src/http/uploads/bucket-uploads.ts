import { DataStore, ERRORS, Upload } from '@tus/server';
import { ulid } from 'ulid';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { hasCode } from '../../shared/errors.ts';
import type { Blobs } from '../../storage/blobs/blobs.ts';
import {
  assembleUpload,
  bytesWithoutHole,
  endUpload,
  noteBegun,
  partsOfUpload,
  putUploadInfo,
  putUploadPart,
  removeUpload,
  uploadBegunBy,
  uploadInfoOf,
  uploadsUnderWay,
} from '../../storage/blobs/unfinished-uploads.ts';
import { limits } from '../limits.ts';
import {
  type ResumableInfo,
  type ResumableUploads,
  resumableExtensions,
  resumableInfo,
} from './resumable-store.ts';

/** Bytes that are held in memory until they are put: of each connection. */
const partBytes = 8 * 1024 ** 2;
/** The last piece is put again with what follows it when it is shorter: small pieces do not add up to very many objects. */
const partBytesMin = 1024 ** 2;

/**
 * Unfinished uploads in a bucket: any node takes the next piece. A piece is acknowledged when it is put. Their
 * addresses cannot be guessed.
 */
export class BucketUploads extends DataStore implements ResumableUploads {
  override extensions: string[] = [...resumableExtensions];
  readonly #blobs: Blobs;
  readonly #scratch: string;

  /** @param scratch folder of this machine in which complete ones are put together */
  constructor(blobs: Blobs, scratch: string) {
    super();
    this.#blobs = blobs;
    this.#scratch = scratch;
  }

  override async create(upload: Upload): Promise<Upload> {
    await this.#put(upload);
    const { command } = upload.metadata ?? {};
    if (typeof command === 'string') await noteBegun(this.#blobs, command, upload.id);
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const info = await this.#underWay(id);
    return new Upload({ id, offset: await this.bytesOf(id), ...info });
  }

  override async declareUploadLength(id: string, size: number): Promise<void> {
    await this.#put(new Upload({ id, offset: 0, ...(await this.#underWay(id)), size }));
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const last = (await partsOfUpload(this.#blobs, id)).findLast(
      ({ start, length }) => start + length === offset && length < partBytesMin,
    );
    const before = last && (await this.#blobs.get(last.key));
    let pieces: Buffer[] = before ? [await buffer(before.body)] : [];
    let start = before ? last.start : offset;
    let end = offset;
    let put = offset;
    const putPieces = async (): Promise<void> => {
      if (end === put) return;
      await putUploadPart(this.#blobs, id, start, Buffer.concat(pieces));
      pieces = [];
      start = put = end;
    };
    let broken: unknown;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        pieces.push(chunk);
        end += chunk.length;
        if (end - start >= partBytes) await putPieces();
      }
    } catch (error) {
      if (hasCode(error, 'BLOBS_AWAY', 'BLOBS_REFUSED')) throw error;
      broken = error;
    }
    // Also of a connection that broke off: what has arrived is not asked for again.
    await putPieces();
    if (before && put > offset) await this.#blobs.delete(last.key);
    if (broken !== undefined) throw broken;
    return put;
  }

  override async remove(id: string): Promise<void> {
    await this.#underWay(id);
    await removeUpload(this.#blobs, id);
  }

  override getExpiration(): number {
    return limits.resumableMs;
  }

  async bytesOf(id: string): Promise<number> {
    return bytesWithoutHole(await partsOfUpload(this.#blobs, id));
  }

  async infoOf(id: string): Promise<ResumableInfo | undefined> {
    const info = await uploadInfoOf(this.#blobs, id);
    return info ? resumableInfo(id, info) : undefined;
  }

  async underWay(): Promise<ResumableInfo[]> {
    return (await uploadsUnderWay(this.#blobs)).map(({ id, info }) => resumableInfo(id, info));
  }

  async begunBy(command: string): Promise<ResumableInfo | undefined> {
    const id = await uploadBegunBy(this.#blobs, command);
    return id === null ? undefined : await this.infoOf(id);
  }

  async forgetWords(id: string): Promise<void> {
    const info = await uploadInfoOf(this.#blobs, id);
    if (!info || info.isOver) return;
    const { owner, command } = resumableInfo(id, info);
    const { size, creation_date } = info;
    await endUpload(this.#blobs, id, { metadata: { owner, command }, size, creation_date });
  }

  async withFile<T>(id: string, work: (path: string) => Promise<T>): Promise<T> {
    const folder = join(this.#scratch, ulid());
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const path = join(folder, 'file');
      await assembleUpload(this.#blobs, id, path);
      return await work(path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** @throws as the package wants it */
  async #underWay(id: string) {
    const info = await uploadInfoOf(this.#blobs, id);
    if (!info) throw ERRORS.FILE_NOT_FOUND;
    if (info.isOver) throw ERRORS.FILE_NO_LONGER_EXISTS;
    const { metadata, size, creation_date } = info;
    return {
      metadata,
      ...(size === undefined ? {} : { size }),
      ...(creation_date === undefined ? {} : { creation_date }),
    };
  }

  async #put({ id, size, metadata = {}, creation_date }: Upload): Promise<void> {
    await putUploadInfo(this.#blobs, id, { metadata, size, creation_date });
  }
}

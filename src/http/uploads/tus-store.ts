import { DataStore, ERRORS, Upload } from '@tus/server';
import type { Readable } from 'node:stream';
import type { UnfinishedUploads } from '../../storage/uploads/unfinished-uploads.ts';
import { limits } from '../limits.ts';

/** Unfinished uploads, as the package wants them. */
export class TusStore extends DataStore {
  /** Without creation-with-upload: an upload would be complete before its address is known. */
  override extensions = ['creation', 'creation-defer-length', 'termination', 'expiration'];
  readonly #uploads: UnfinishedUploads;

  constructor(uploads: UnfinishedUploads) {
    super();
    this.#uploads = uploads;
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, metadata = {}, size, creation_date } = upload;
    await this.#uploads.put(id, { metadata, size, creation_date });
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { metadata, size, creation_date } = await this.#underWay(id);
    return new Upload({
      id,
      offset: await this.#uploads.bytesOf(id),
      metadata,
      ...(size === undefined ? {} : { size }),
      ...(creation_date === undefined ? {} : { creation_date }),
    });
  }

  override async declareUploadLength(id: string, size: number): Promise<void> {
    const { metadata, creation_date } = await this.#underWay(id);
    await this.#uploads.put(id, { metadata, size, creation_date });
  }

  override write(bytes: Readable, id: string, offset: number): Promise<number> {
    return this.#uploads.append(id, offset, bytes);
  }

  override async remove(id: string): Promise<void> {
    await this.#underWay(id);
    await this.#uploads.remove(id);
  }

  override getExpiration(): number {
    return limits.resumableMs;
  }

  /** @throws as the package wants it */
  async #underWay(id: string) {
    const info = await this.#uploads.infoOf(id);
    if (!info) throw ERRORS.FILE_NOT_FOUND;
    if (info.isOver) throw ERRORS.FILE_NO_LONGER_EXISTS;
    return info;
  }
}

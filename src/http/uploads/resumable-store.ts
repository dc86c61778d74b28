import { FileStore } from '@tus/file-store';
import { type KvStore, Upload } from '@tus/server';
import { mkdirSync } from 'node:fs';
import { readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing, syncFile, writeDurably } from '../../shared/files.ts';
import { limits } from '../limits.ts';

/** What is known of an upload besides its bytes. */
export type ResumableInfo = {
  id: string;
  owner: string;
  /** Id of the command that began it, if that can be repeated. */
  command: string | null;
  /** Bytes; null while the client has not said. */
  size: number | null;
};

/**
 * Unfinished uploads, `<data>/resumable/<id>` and `<id>.json`: on the file system of the recordings, so
 * that a complete one can be moved there. They survive restarts; their addresses cannot be guessed.
 */
export class ResumableStore extends FileStore {
  readonly #info: InfoFiles;

  /** Makes the folder, private. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const info = new InfoFiles(directory);
    super({
      directory,
      configstore: info,
      expirationPeriodInMilliseconds: limits.resumableMs,
    });
    this.#info = info;
    // Without creation-with-upload: an upload would be complete before its address is known.
    this.extensions = ['creation', 'creation-defer-length', 'termination', 'expiration'];
  }

  /** Where the bytes are. */
  pathOf(id: string): string {
    return join(this.directory, id);
  }

  /** How many bytes are there. */
  async bytesOf(id: string): Promise<number> {
    return (await stat(this.pathOf(id)).catch(ifMissing(undefined)))?.size ?? 0;
  }

  async infoOf(id: string): Promise<ResumableInfo | undefined> {
    const upload = await this.#info.get(id);
    if (!upload) return undefined;
    const { owner, command } = upload.metadata ?? {};
    return { id, owner: owner ?? '', command: command ?? null, size: upload.size ?? null };
  }

  /** Uploads that are neither complete nor over. */
  async underWay(): Promise<ResumableInfo[]> {
    const ids = (await readdir(this.directory)).filter((name) => idPattern.test(name));
    const infos = await Promise.all(ids.map((id) => this.infoOf(id)));
    return infos.filter((info) => info !== undefined);
  }

  /** The upload a command began, complete or not. */
  async begunBy(command: string): Promise<ResumableInfo | undefined> {
    for (const name of await readdir(this.directory)) {
      if (!name.endsWith('.json')) continue;
      const info = await this.infoOf(name.slice(0, -'.json'.length));
      if (info?.command === command) return info;
    }
    return undefined;
  }

  /** Of a finished upload only owner, command and length are kept: names and titles may be erased. */
  async forgetWords(id: string): Promise<void> {
    const upload = await this.#info.get(id);
    if (!upload) return;
    const { owner = '', command = null } = upload.metadata ?? {};
    const { size, creation_date } = upload;
    const kept = {
      id,
      offset: 0,
      metadata: { owner, command },
      ...(size === undefined ? {} : { size }),
    };
    await this.#info.set(
      id,
      new Upload(creation_date === undefined ? kept : { ...kept, creation_date }),
    );
  }

  /** So that what is acknowledged is on the disk. */
  sync(id: string): Promise<void> {
    return syncFile(this.pathOf(id));
  }
}

const idPattern = /^[0-9a-f]{32}$/;

/** `<id>.json`, whole or not there. */
class InfoFiles implements KvStore {
  readonly #directory: string;
  constructor(directory: string) {
    this.#directory = directory;
  }

  async get(id: string): Promise<Upload | undefined> {
    if (!idPattern.test(id)) return undefined;
    const text = await readFile(this.#path(id), 'utf8').catch(ifMissing(undefined));
    const upload: Upload | undefined = text === undefined ? undefined : JSON.parse(text);
    return upload;
  }
  async set(id: string, upload: Upload): Promise<void> {
    await writeDurably(this.#path(id), JSON.stringify(upload));
  }
  async delete(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }
  #path(id: string): string {
    return join(this.#directory, `${id}.json`);
  }
}

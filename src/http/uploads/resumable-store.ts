import { FileStore } from '@tus/file-store';
import { type DataStore, type KvStore, Upload } from '@tus/server';
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

/** Unfinished uploads, for the package and for what is ours. They survive restarts. */
export interface ResumableUploads extends DataStore {
  /** How many bytes are there. */
  bytesOf(id: string): Promise<number>;
  /** Also of one that is complete, until it is over. */
  infoOf(id: string): Promise<ResumableInfo | undefined>;
  /** Uploads that are neither complete nor over. */
  underWay(): Promise<ResumableInfo[]>;
  /** The upload a command began, complete or not. */
  begunBy(command: string): Promise<ResumableInfo | undefined>;
  /** Of a finished upload only owner, command and length are kept: names and titles may be erased. */
  forgetWords(id: string): Promise<void>;
  /** Works with all bytes of one that is complete, in a file of this machine that may be moved away. */
  withFile<T>(id: string, work: (path: string) => Promise<T>): Promise<T>;
}

/** Without creation-with-upload: an upload would be complete before its address is known. */
export const resumableExtensions = [
  'creation',
  'creation-defer-length',
  'termination',
  'expiration',
] as const;

export const resumableInfo = (
  id: string,
  {
    metadata,
    size,
  }: { metadata?: Record<string, string | null> | undefined; size?: number | undefined },
): ResumableInfo => {
  const { owner, command } = metadata ?? {};
  return { id, owner: owner ?? '', command: command ?? null, size: size ?? null };
};

/**
 * Unfinished uploads, `<data>/resumable/<id>` and `<id>.json`: on the file system of the recordings, so
 * that a complete one can be moved there. Their addresses cannot be guessed.
 */
export class ResumableStore extends FileStore implements ResumableUploads {
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
    this.extensions = [...resumableExtensions];
  }

  async bytesOf(id: string): Promise<number> {
    return (await stat(this.#pathOf(id)).catch(ifMissing(undefined)))?.size ?? 0;
  }

  async infoOf(id: string): Promise<ResumableInfo | undefined> {
    const upload = await this.#info.get(id);
    return upload && resumableInfo(id, upload);
  }

  async underWay(): Promise<ResumableInfo[]> {
    const ids = (await readdir(this.directory)).filter((name) => idPattern.test(name));
    const infos = await Promise.all(ids.map((id) => this.infoOf(id)));
    return infos.filter((info) => info !== undefined);
  }

  async begunBy(command: string): Promise<ResumableInfo | undefined> {
    for (const name of await readdir(this.directory)) {
      if (!name.endsWith('.json')) continue;
      const info = await this.infoOf(name.slice(0, -'.json'.length));
      if (info?.command === command) return info;
    }
    return undefined;
  }

  async forgetWords(id: string): Promise<void> {
    const upload = await this.#info.get(id);
    if (!upload) return;
    const { owner, command } = resumableInfo(id, upload);
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

  /** On the disk for good, so that what is acknowledged is. */
  async withFile<T>(id: string, work: (path: string) => Promise<T>): Promise<T> {
    await syncFile(this.#pathOf(id));
    return await work(this.#pathOf(id));
  }

  #pathOf(id: string): string {
    return join(this.directory, id);
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

import { decodeTime, ulid } from 'ulid';
import { link, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import {
  type RecordingFact,
  type RecordingFactOf,
  recordingStream,
} from '../../events/facts/recording.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import { CommandUsedDifferently } from './refusals.ts';
import type { Personal } from '../../projections/personal.ts';
import type { Log } from '../shared/log.ts';
import { orderingOf } from './ordering.ts';
import { begunBy } from '../../projections/rules.ts';
import { type Wanted, said } from './beginnings.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';
import type { PendingJobs } from '../storage/pending-jobs.ts';
import { hasCode } from '../shared/errors.ts';
import { copyDurably, hashFile } from '../shared/files.ts';

export type Upload = Wanted & {
  /** Absolute path of a file on the same file system as the data directory; it is removed once it is taken. */
  path: string;
  filename: string;
  owner: string;
  by: string;
  /** Id of the command; a repetition returns the first answer. */
  command: string;
  speakers: number | null;
  speakers_min?: number | undefined;
  speakers_max?: number | undefined;
  /** When it began, as far as that is known; the first that is given counts, else it is now. RFC 3339. */
  began?: { said?: string | undefined; madeAt?: string | null; modifiedAt?: string | undefined };
};

/** What a command led to. */
export type Accepted = {
  recordingId: string;
  /** Position of the last fact in the log; 0 when nothing changed. */
  position: number;
  /** Canonical name of the state it led to. */
  state: string;
};

/** Uploads that become recordings. */
export interface Imports {
  /** Takes an upload into a new recording, each command once. */
  importAudio(upload: Upload): Promise<Accepted>;
  /**
   * Removes the folders of uploads that died before their fact was stored: none was acknowledged.
   * Returns their names. @param left folders that a process which is gone left; another one is given as long as any upload takes
   */
  removeUnacknowledged(left: readonly string[]): Promise<string[]>;
}

/** Another import under the same key is one in which these differ. */
const compared = [
  'sha256',
  'kind',
  'language',
  'speakers',
  'speakers_min',
  'speakers_max',
] as const;

type ImportedAs = Pick<RecordingFactOf<'audio.imported'>['data'], (typeof compared)[number]>;

/** Left open, they may have been anything. */
const leftOpen: readonly (typeof compared)[number][] = ['kind', 'language'];

type ImportsDeps = {
  files: Pick<AudioStore, 'keep' | 'read' | 'removeAll'>;
  /** What owners have set in order. */
  order: { of(owner: string): Promise<Personal> };
  log: Pick<Log, 'warn'>;
  /** The recording an import command led to before, from the log. */
  importedBy(command: string): Promise<Accepted | null>;
  /** What a recording was imported as; null when it was not. */
  importedAs(recordingId: string): Promise<ImportedAs | null>;
  jobs: PendingJobs;
  store: Pick<EventStore, 'version'>;
  /** Begins a new recording with the facts. */
  begin(recordingId: string, facts: readonly RecordingFact[], upload: Upload): Promise<Accepted>;
};

export function openImports(deps: ImportsDeps): Imports {
  const { files, jobs, store, log } = deps;
  const underWay = new Map<string, Promise<Accepted>>();
  const taking = new Set<string>();
  const mayBeTaken = (recordingId: string): boolean =>
    taking.has(recordingId) || Date.now() - decodeTime(recordingId) < unacknowledgedMs;

  return {
    async importAudio(upload) {
      // Two identical requests at once are one command: the second gets the first one's answer.
      const same = underWay.get(upload.command);
      if (same) return await earlierFor(upload, await same, deps.importedAs);
      const accepted = importOnce(upload).finally(() => underWay.delete(upload.command));
      underWay.set(upload.command, accepted);
      return await accepted;
    },
    async removeUnacknowledged(left) {
      const removed: string[] = [];
      for (const { recordingId, job } of await jobs.list()) {
        if (job !== 'import' || (!left.includes(recordingId) && mayBeTaken(recordingId))) continue;
        if ((await store.version(recordingStream(recordingId))) === 0) {
          await files.removeAll(recordingId);
          removed.push(recordingId);
        }
        await jobs.complete(recordingId, 'import');
      }
      return removed;
    },
  };

  async function importOnce(upload: Upload): Promise<Accepted> {
    const earlier = await deps.importedBy(upload.command);
    if (earlier) return await earlierFor(upload, earlier, deps.importedAs);
    const recordingId = ulid();
    taking.add(recordingId);
    try {
      await jobs.add(recordingId, 'import');
      const { fact, facts } = await takeUpload(upload, deps, recordingId);
      const accepted = await deps
        .begin(recordingId, [fact, ...facts], upload)
        .catch(async (error: unknown) => {
          if (error instanceof EventStoreError && error.retriable)
            await removeCopy(deps, recordingId, error);
          // Another process took the same command first: its recording is the answer, this copy no one's.
          if (!hasCode<EventStoreError>(error, 'COMMAND_TAKEN')) throw error;
          const first = await deps.importedBy(upload.command);
          if (!first) throw error;
          await files.removeAll(recordingId);
          await rm(upload.path, { force: true });
          const { sha256 } = fact.data;
          return await sameAs({ ...upload, sha256 }, first, deps.importedAs);
        });
      // The recording is there whatever becomes of this; the next start looks at it again.
      await rm(upload.path, { force: true })
        .then(() => jobs.complete(recordingId, 'import'))
        .catch((error: unknown) =>
          log.warn(
            { err: error, recordingId },
            'import finished, but its upload or job note could not be removed',
          ),
        );
      return accepted;
    } finally {
      taking.delete(recordingId);
    }
  }
}

/** What the log did not take now may be asked for again: its file is where it was. Never throws. */
async function removeCopy(
  { files, jobs, log }: Pick<ImportsDeps, 'files' | 'jobs' | 'log'>,
  recordingId: string,
  { code }: EventStoreError,
): Promise<void> {
  // It may have been taken all the same.
  if (code === 'OUTCOME_UNKNOWN') return;
  try {
    await files.removeAll(recordingId);
    await jobs.complete(recordingId, 'import');
  } catch (error) {
    log.warn({ err: error, recordingId }, 'copy of an upload could not be removed');
  }
}

/** The first answer, for the same file under the same name of a command. @throws {CommandUsedDifferently} */
async function earlierFor(
  upload: Upload,
  earlier: Accepted,
  importedAs: ImportsDeps['importedAs'],
): Promise<Accepted> {
  const { sha256 } = await hashUpload(upload.path);
  await rm(upload.path, { force: true });
  return await sameAs({ ...upload, sha256 }, earlier, importedAs);
}

async function sameAs(
  asked: Pick<Upload, 'kind' | 'language'> & Omit<ImportedAs, 'kind' | 'language'>,
  earlier: Accepted,
  importedAs: ImportsDeps['importedAs'],
): Promise<Accepted> {
  const first = await importedAs(earlier.recordingId);
  const differs = (name: (typeof compared)[number]) =>
    first?.[name] !== asked[name] && !(asked[name] === undefined && leftOpen.includes(name));
  if (first && compared.some(differs)) {
    throw new CommandUsedDifferently(
      'The key was given with another file, or with other fields. Take a new key.',
    );
  }
  return earlier;
}

/**
 * Keeps an uploaded file as the audio of a new recording, durably, and says what there is to record
 * of it. Until that fact is in the log the upload stays as well: a crash leaves a folder no fact speaks of, and what a
 * client was told has arrived.
 */
async function takeUpload(
  upload: Upload,
  { files, order }: Pick<ImportsDeps, 'files' | 'order'>,
  recordingId: string,
): Promise<{ fact: RecordingFactOf<'audio.imported'>; facts: RecordingFact[] }> {
  const { bytes, sha256 } = await hashUpload(upload.path);
  const name = `audio${safeExtension(upload.filename)}`;
  const copy = `${upload.path}.copy`;
  await rm(copy, { force: true });
  await link(upload.path, copy).catch(() => copyDurably(upload.path, copy));
  const path = await files.keep(recordingId, name, { path: copy, sha256 });
  const { owner, speakers, speakers_min, speakers_max } = upload;
  const { title, people, filename } = upload;
  const started_at = beginning(upload.began ?? {}, Date.now());
  const known = { source: 'upload', device: null, fileName: filename } as const;
  const { kind, language, facts } = begunBy(upload, await orderingOf(order, owner), {
    ...known,
    startedAt: started_at,
    title: title ?? null,
  });
  const origin = {
    owner,
    kind,
    language,
    speakers,
    ...(speakers_min === undefined ? {} : { speakers_min }),
    ...(speakers_max === undefined ? {} : { speakers_max }),
    started_at,
  };
  return {
    fact: {
      type: 'audio.imported',
      data: { ...origin, path, bytes, sha256, duration: null },
      content: { filename, ...said({ title, people }) },
    },
    facts,
  };
}

/**
 * What a person said, else what the file says of itself, else when it was last changed. Times of clocks that
 * were never set (1904, 1970) and times in the future are ignored.
 */
function beginning({ said, madeAt, modifiedAt }: Began, now: number): string {
  const found = [madeAt, modifiedAt].filter((time) => {
    const moment = Date.parse(time ?? '');
    return moment >= earliestMs && moment <= now + dayMs;
  });
  return new Date(said ?? found[0] ?? now).toISOString();
}

type Began = NonNullable<Upload['began']>;
const earliestMs = Date.UTC(1980, 0, 1);
const dayMs = 86_400_000;
const unacknowledgedMs = 7 * dayMs;

async function hashUpload(path: string): Promise<{ bytes: number; sha256: string }> {
  const hashed = await hashFile(path);
  if (!hashed) throw new Error('The uploaded file is gone.');
  return hashed;
}

/** Only letters and digits of what the uploader called it: a name is data, not a path. */
function safeExtension(filename: string): string {
  const extension = extname(filename).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? extension : '';
}

import * as z from 'zod';
import { readdir, rm } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { ifMissing, privateDirectory, syncDirectory, writeDurably } from '../shared/files.ts';
import { readJsonFile } from '../shared/json.ts';

/** What is known of a recording of this desk beside its audio: enough to go on after a kill -9. */
export type DeskNote = z.infer<typeof noteSchema>;

/** A recording of this desk that is not wholly with its service yet. */
export type DeskFolder = { path: string; note: DeskNote };

const storedNote = z.object({
  /** Of this folder; and the key by which the service knows the recording again that it begins. */
  id: z.string(),
  /** What the service calls the recording; null until it has begun it. */
  recordingId: z.string().nullable().optional(),
  server: z.string(),
  username: z.string(),
  /** Null: as its folder has it. */
  kind: z.enum(['solo', 'meeting']).nullable(),
  /** Id of a folder there that it begins in. */
  folder: z.string().nullable().default(null),
  title: z.string().nullable(),
  people: z.array(z.string()),
  /** As PortAudio calls it; `mitschrift-combined`: microphone and loudspeakers. */
  device: z.string(),
  /** Of what is captured and sent; notes of earlier releases do not say so. */
  channels: z.union([z.literal(1), z.literal(2)]).default(1),
  /** Which computer records it, of those that share a home; notes of earlier releases do not say so. */
  host: z.string().optional(),
  /** RFC 3339. */
  startedAt: z.string(),
  /** Of a note of 0.1, where both had one id: the service has begun it. */
  isKnown: z.boolean().optional(),
  /** It was stopped: nothing more is captured. */
  isOver: z.boolean(),
  /** The service paused it, and has not resumed it; notes of earlier releases do not say so. */
  isPaused: z.boolean().default(false),
  /** The service began it when it began here; notes of earlier releases do not say so. */
  isStartKnown: z.boolean().optional(),
  /** All audio is with the service, which may not know yet when it began. */
  isSent: z.boolean().optional(),
  /** Why the service takes no more of it; the audio stays here. */
  refused: z.string().nullable(),
});

const noteSchema = storedNote.transform(({ isKnown, recordingId = null, ...note }) => ({
  ...note,
  recordingId: isKnown === true ? note.id : recordingId,
}));

const noteName = 'recorder.json';

/** Where a desk keeps what it records: `$XDG_STATE_HOME/mitschrift/recorder`, or below `~/.local/state`. */
export const recorderRoot = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'mitschrift', 'recorder');

/** Its folder and note are on the disk when this returns. */
export async function makeDeskFolder(
  root: string,
  about: Omit<
    DeskNote,
    'id' | 'recordingId' | 'host' | 'startedAt' | 'isOver' | 'isPaused' | 'refused'
  >,
): Promise<DeskFolder> {
  const id = ulid();
  const path = join(root, 'recordings', id);
  const startedAt = new Date().toISOString();
  const begun = { recordingId: null, host: hostname(), startedAt, refused: null };
  const note = { ...about, id, ...begun, isOver: false, isPaused: false };
  await privateDirectory(path);
  await syncDirectory(join(root, 'recordings'));
  await writeNote({ path, note });
  return { path, note };
}

export const writeNote = ({ path, note }: DeskFolder): Promise<void> =>
  writeDurably(join(path, noteName), JSON.stringify(note));

/**
 * All recordings of this desk, the oldest first. @param damaged called with each folder whose note cannot be read;
 * it is left as it is
 */
export async function deskFolders(
  root: string,
  damaged: (path: string) => void,
): Promise<DeskFolder[]> {
  const names = await readdir(join(root, 'recordings')).catch(ifMissing<string[]>([]));
  const found: DeskFolder[] = [];
  for (const name of names.toSorted()) {
    const path = join(root, 'recordings', name);
    const note = await readJsonFile(join(path, noteName), noteSchema);
    if (note) found.push({ path, note });
    else damaged(path);
  }
  return found;
}

/** Only what a service has acknowledged all of may go. */
export async function removeDeskFolder({ path }: DeskFolder): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

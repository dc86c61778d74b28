import type { RecordingFact } from '../../events/facts/recording.ts';
import { said } from './import-audio.ts';

export type Start = {
  /** A ULID the caller has made up: what it holds for the recording can be named before it starts. */
  recordingId: string;
  owner: string;
  by: string;
  command: string;
  kind: 'solo' | 'meeting';
  language: string | null;
  speakers: number | null;
  title?: string | undefined;
  /** Names of people who may be heard. */
  people?: string[] | undefined;
  /** Id of one of the owner's folders. */
  folder?: string | null | undefined;
  /** Name of the host's input device; null for a browser's microphone. */
  device: string | null;
  /** Id of the ended recording into which it goes when it has ended. */
  continues?: string | undefined;
  /** What started it: `api`, `hotkey`, `tray`, `browser`. */
  trigger: string;
};

/** The facts with which it begins. Pure. */
export function startedWith({
  recordingId: _id,
  by: _by,
  command: _command,
  title,
  people,
  folder,
  continues,
  ...origin
}: Start): RecordingFact[] {
  const data = { ...origin, ...(continues === undefined ? {} : { continues }) };
  const content = said({ title, people });
  return [{ type: 'recording.started', data, content }, ...filedIn(folder)];
}

/** With the fact of its beginning, so that none begins outside of the folder that was chosen for it. */
export const filedIn = (folder: string | null | undefined): RecordingFact[] =>
  folder ? [{ type: 'recording.filed', data: { folder } }] : [];

import type { RecordingFact, Stage } from '../../events/facts/recording.ts';
import type { DocumentName } from '../documents/documents.ts';
import type { DecideRecording } from '../../projections/recording/decide.ts';
import type { Recording } from '../../projections/recording/recording.ts';
import type { LoggedRecordingFact } from './handle.ts';

/** Where people's commands on recordings go in. The only writer of recordings' streams. */
export interface RecordingsDesk {
  /** Takes an uploaded file into a new recording (the file is moved); durable when it returns. */
  importAudio(upload: Upload): Promise<Accepted>;
  /** Starts a recording from a device or a browser; its audio is captured from then on. */
  startRecording(start: Start): Promise<Accepted>;
  /**
   * Offers a fact at the recording's door.
   * @throws {NotAccepted} when its state does not allow it, {UnknownRecording} when there is none.
   */
  command(
    recordingId: string,
    fact: RecordingFact,
    circumstances: { by: string; command: string },
  ): Promise<Accepted>;
  /**
   * Appends what is decided on what the newest facts say (`projections/recording/decide.ts`): all or
   * none. A command that was given before is answered with what it led to then.
   * @throws {CommandRefused}, and as `command`
   */
  decide(
    recordingId: string,
    metadata: { by: string; command: string },
    decision: DecideRecording,
  ): Promise<Decided>;
  /** What the log holds of a recording. @throws {UnknownRecording} */
  read(recordingId: string): Promise<{ state: string; recording: Recording }>;
  /**
   * Ends whatever is done with the recording and removes all of it, for good. Resolves when nothing of
   * it can be read any more; what a crash leaves undone is done at the next start.
   * @throws {NotAccepted}, {UnknownRecording}
   */
  erase(recordingId: string, circumstances: { by: string; command: string }): Promise<Erased>;
  /** Deletes documents; all three with the index. The recording stays. @throws as `command` */
  deleteDocuments(
    recordingId: string,
    documents: readonly DocumentName[],
    circumstances: { by: string; command: string },
  ): Promise<Accepted>;
  /** What is going on right now with recordings that have work to do: not facts, gone after a restart. */
  activity(recordingId: string): Activity[];
  /** Calls back at every change of an activity's fraction or waiting; returns how to stop. */
  onActivity(listener: (recordingId: string, activity: Activity) => void): () => void;
}

export type Upload = {
  /** Absolute path of a file on the same file system as the data directory; it is moved away. */
  path: string;
  filename: string;
  owner: string;
  by: string;
  /** Id of the command; a repetition returns the first answer. */
  command: string;
  kind: 'solo' | 'meeting';
  language: string | null;
  speakers: number | null;
  title?: string | undefined;
};

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
  /** Name of the host's input device; null for a browser's microphone. */
  device: string | null;
  /** What started it: `api`, `hotkey`, `tray`, `browser`. */
  trigger: string;
};

export type Accepted = {
  recordingId: string;
  /** Position of the last fact in the log; 0 when nothing changed. */
  position: number;
  /** Canonical name of the state it led to. */
  state: string;
};
/** With what the command led to; where it was given before, without content. */
export type Decided = Accepted & { facts: readonly LoggedRecordingFact[] };

/** `left`: paths below the vault of copies that a person changed there; they stay. */
export type Erased = Accepted & { left: string[] };

export type Activity = {
  stage: Stage;
  attempt: number;
  /** 0 to 1; null while nobody can tell. */
  fraction: number | null;
  /** What it waits for: a turn at an engine, a server that is away, … */
  waiting: { for: string; ahead: number; since: string } | null;
};

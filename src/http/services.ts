import type { EventStore } from '../../events/store.ts';
import type { Kind, Stage } from '../../events/recording-facts.ts';
import type { RecordingRow, TranscriptRow } from '../../projections/recording-row.ts';
import type { ProjectionRunner } from '../../projections/runner.ts';
import type { StoredDocument } from '../documents/space.ts';
import type { Log } from '../log.ts';
import type { RecordingsDesk } from '../recordings/desk.ts';
import type { Settings } from '../settings.ts';

/** Everything the routes need of the rest of the service; `main.ts` hands it in. */
export type HttpServices = {
  log: Log;
  /** Release of the service, as `GET /health` and `GET /status` say. */
  version: string;
  /** Address the server listens on: one of the allowed hosts. */
  address: string;
  /** Read at every request, so that a changed setting counts at once. */
  settings(): Pick<Settings, 'server.allowed_hosts' | 'limits.upload_mb'>;
  /** Where uploads are received; on the file system of the recordings, so that they can be moved. */
  uploadsDir: string;
  desk: RecordingsDesk;
  store: Pick<EventStore, 'read' | 'readAll'>;
  views: Views;
  projections: Projections;
  accounts: HttpAccounts;
  documents: HttpDocuments;
  /** @throws an error with code `unsupported-media` and a sentence for a person. */
  acceptsAudio(path: string, filename: string): Promise<unknown>;
};

/** What can be read. Owners are user ids; `guest` is one. */
export type Views = {
  recording(recordingId: string): Promise<RecordingRow | undefined>;
  transcript(recordingId: string): Promise<TranscriptRow | undefined>;
  /** Newest first. @throws an error with code `INVALID_CURSOR`. */
  recordings(
    owner: string,
    page: {
      limit: number;
      cursor?: string | undefined;
      status?: RecordingRow['status'] | undefined;
    },
  ): Promise<{ rows: RecordingRow[]; next_cursor: string | null }>;
  /** Newest first. @throws an error with code `INVALID_CURSOR`. */
  transcripts(
    owner: string,
    page: { limit: number; cursor?: string | undefined; kind?: Kind | undefined },
  ): Promise<{ rows: LibraryRow[]; next_cursor: string | null }>;
  /** The recording one of whose three documents this is. */
  recordingOfDocument(owner: string, filename: string): Promise<string | undefined>;
  status(owner: string): Promise<OwnerStatus>;
};

/** One line of the library, as `GET /transcripts` answers. */
export type LibraryRow = {
  recording_id: string;
  filename: string;
  title: string | null;
  summary: string | null;
  kind: Kind;
  language: string | null;
  created_at: string;
  duration: number | null;
  speakers: (string | { label: string; name: string | null; seconds: number })[];
  documents: { index: string; transcript: string; summary: string };
};

/** What facts tell of one user's present; `GET /status` adds what only the running service knows. */
export type OwnerStatus = {
  status: 'IDLE' | 'RECORDING' | 'TRANSCRIBING' | 'AWAITING_SPEAKERS' | 'ERROR';
  recording: {
    recording_id: string;
    kind: Kind;
    started_at: string;
    duration: number | null;
    device: string | null;
    paused: boolean;
  } | null;
  processing: { recording_id: string; stage: Stage | null; attempt: number | null }[];
  speakers_pending: {
    recording_id: string;
    title: string | null;
    speakers: RecordingRow['suggestions'];
  }[];
  errors: {
    recording_id: string;
    stage: Stage;
    message: string | null;
    retriable: boolean;
    at: string;
  }[];
};

/** The runner of the projections, and the names of those a command's result is read from. */
export type Projections = Pick<
  ProjectionRunner,
  'applied' | 'assertRunning' | 'position' | 'onApplied'
> & { readonly needed: readonly string[] };

/** Somebody who is logged in. */
export type Caller = {
  userId: string;
  username: string;
  isAdmin: boolean;
  /** Identifies the session without being the token. */
  sessionId: string;
};

export type Session = { token: string; expires_at: string; username: string; is_admin: boolean };

/** Where a request for an account comes from. */
export type Peer = {
  /** Address of the peer, for limits. */
  address: string;
  /** A loopback peer, not forwarded, that asked for localhost: somebody at this machine. */
  local: boolean;
};

/** Errors carry the codes that `problems.ts` maps. */
export type HttpAccounts = {
  setupState(peer: Peer): Promise<{ setup_required: boolean; setup_code_required: boolean }>;
  setup(
    request: { username: string; password: string; setup_code?: string | undefined },
    peer: Peer,
  ): Promise<Session>;
  login(request: { username: string; password: string }, peer: Peer): Promise<Session>;
  /** Null for a token that is none, or not any more. */
  authenticate(token: string): Promise<Caller | null>;
  logout(token: string): Promise<void>;
  /** Calls back when sessions die; returns how to stop. */
  onSessionEnded(listener: (sessionId: string) => void): () => void;
};

export type HttpDocuments = {
  /**
   * A document by its path in the user's space; undefined when there is none.
   * @throws errors with the codes `OUTSIDE_SPACE`, `DOCUMENT_TOO_LARGE`.
   */
  read(userId: string, filename: string): Promise<StoredDocument | undefined>;
};

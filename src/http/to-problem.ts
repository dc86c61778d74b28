import type { KeyError } from '../../events/key-store.ts';
import type { EventStoreError } from '../../events/store.ts';
import type { InvalidCursor } from '../../projections/list-page.ts';
import type { ProjectionBehind, ProjectionStopped } from '../../projections/runner/projection.ts';
import type { TranscriptMoving } from '../../projections/texts.ts';
import type { AccountError } from '../accounts/account-error.ts';
import type { Starting } from './middleware/ready.ts';
import type { ConfigError } from '../config/schema.ts';
import type { ConfinementError } from '../documents/confinement.ts';
import type { NoDesktop } from '../documents/desktop.ts';
import type { OversizedDocument } from '../documents/space.ts';
import type { BackupRefused } from '../integrity/backups.ts';
import type { NoVault } from '../documents/vault.ts';
import type {
  CommandRefused,
  CommandUsedDifferently,
  NotAccepted,
  UnknownRecording,
} from '../recordings/refusals.ts';
import type { StageError } from '../shared/errors.ts';
import type { Busy } from '../shared/mutex.ts';
import type { BlobsError } from '../storage/blobs/blobs.ts';
import type { DiskFull } from '../storage/disk.ts';
import type { SpaceLimitReached } from '../storage/quota.ts';
import { Problem, filesUnavailable, invalid, logDamaged, notFound, starting } from './problems.ts';
import { statusName } from './recording-answer.ts';

/**
 * The one place that knows which error is which answer. It goes by `code`, never by class, so that
 * an error keeps its meaning across ports. What is not known here is our mistake: 500, nothing quoted.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof Error)) return mistake(error);
  const code = 'code' in error ? String(error.code) : '';
  // The table says for each code which errors have it; errors from elsewhere may have the same code.
  const known = (byCode as Record<string, ((error: never) => Problem) | undefined>)[code];
  return known?.(error as never) ?? fromBodyParser(error) ?? mistake(error);
}

const cutOff = (cause: Error): Problem =>
  new Problem('malformed-body', 'The body was cut off.', { cause });

const again = { 'Retry-After': '1' };

function diskFull(error: Error & { freeBytes?: number | undefined }): Problem {
  const { freeBytes } = error;
  return new Problem('disk-full', error.message, {
    headers: { 'Retry-After': '60' },
    members: freeBytes === undefined ? {} : { free_bytes: freeBytes },
    cause: error,
  });
}

/** The database under log or rows is closed, to be opened again, or its disk refuses. */
const unavailable = (cause: Error): Problem =>
  new Problem(
    'log-unavailable',
    'The disk refuses, and the log is being opened again. Nothing stored is lost. Try again in a moment.',
    { headers: again, cause },
  );

/** Errors whose every code has an answer here: a new code does not compile without one. */
type Answered =
  | AccountError
  | BackupRefused
  | Busy
  | CommandRefused
  | CommandUsedDifferently
  | ConfigError
  | ConfinementError
  | DiskFull
  | EventStoreError
  | InvalidCursor
  | NoDesktop
  | NotAccepted
  | NoVault
  | OversizedDocument
  | ProjectionBehind
  | ProjectionStopped
  | SpaceLimitReached
  | Starting
  | TranscriptMoving
  | UnknownRecording;
/** Most of these end a stage and reach the log, not a request; what has no entry is a mistake. */
type Sometimes = BlobsError | KeyError | StageError | SystemError;
/** Of Node and LevelDB; `1002` is formidable's. */
type SystemError = Error & {
  code:
    | '1002'
    | 'ECONNRESET'
    | 'ENOSPC'
    | 'LEVEL_DATABASE_NOT_OPEN'
    | 'LEVEL_ITERATOR_NOT_OPEN'
    | 'LEVEL_IO_ERROR';
};

type WithCode<Code, Known = Answered | Sometimes> = Known extends { code: string }
  ? Code extends Known['code']
    ? Known
    : never
  : never;
type Answers<Code extends string> = { [C in Code]: (error: WithCode<C>) => Problem };

const byCode = {
  NOT_ACCEPTED: (error) =>
    new Problem('not-accepted', error.message, {
      // Not `status`: RFC 9457 has a member of that name, the number.
      members: {
        recording_status: statusName(error.state),
        state: error.state,
        possible: error.possible,
      },
    }),
  UNKNOWN_RECORDING: () => notFound(),
  // While there are no documents the state refuses: `NOT_ACCEPTED`.
  NO_DOCUMENTS: (error) => notFound(error.message),
  NO_SUCH_TURN: (error) => notFound(error.message),
  TURNS_CHANGED: (error) => new Problem('changed-meanwhile', error.message),
  NO_SUCH_VERSION: (error) => notFound(error.message),
  NO_SUCH_WORD: (error) => invalid([{ path: 'word', message: error.message }]),
  COMMAND_USED_DIFFERENTLY: (error) => new Problem('key-used-differently', error.message),
  NO_LANGUAGE_MODEL: (error) => new Problem('no-language-model', error.message),
  NO_SPEAKERS: (error) => invalid([{ path: 'speaker', message: error.message }]),
  UNKNOWN_LABELS: ({ refusal }) =>
    invalid(
      ('unknown' in refusal ? refusal.unknown : []).map((label) => ({
        path: `speakers.${label}`,
        message: refusal.message,
      })),
    ),

  // Another node has just done the same: a repetition finds what it led to.
  COMMAND_TAKEN: (error) => unavailable(error),
  VERSION_CONFLICT: (error) =>
    new Problem('changed-meanwhile', 'Another change came first. Look again and repeat.', {
      cause: error,
    }),
  OUTCOME_UNKNOWN: (error) =>
    new Problem(
      'outcome-unknown',
      'The log did not say whether this was stored. Repeating it with the same Idempotency-Key is safe.',
      { headers: again, cause: error },
    ),
  BUSY: (error) =>
    new Problem('busy', 'Too much is waiting to be done. Try again in a moment.', {
      headers: again,
      cause: error,
    }),
  DAMAGED: (error) => logDamaged(error),
  DISK_FULL: (error) => diskFull(error),
  UNREADABLE: (error) =>
    new Problem(
      'unreadable',
      'Nothing can be read here or added: the key is missing or damaged. Put it back from a backup and start ' +
        'the service again, or delete this.',
      { cause: error },
    ),
  NEWER_LOG: (error) =>
    new Problem('log-newer', 'Start the release that wrote it, or a newer one.', { cause: error }),
  INVALID_FACT: (error) => mistake(error),
  LOCKED: (error) => mistake(error),
  CLOSED: (error) =>
    new Problem('stopping', 'The service is stopping. Try again when it is back.', {
      headers: { 'Retry-After': '5' },
      cause: error,
    }),

  BLOBS_AWAY: (error) => filesUnavailable(error),
  BLOBS_REFUSED: (error) => filesUnavailable(error),
  STARTING: (error) => starting(error.progress),
  PROJECTION_STOPPED: (error) =>
    new Problem(
      'view-stopped',
      'A projection of the log has stopped, so nothing is taken that could not be read afterwards. ' +
        'The service has logged why; nothing stored is lost.',
      { cause: error },
    ),
  PROJECTION_BEHIND: (error) =>
    new Problem('view-stopped', 'A view of the log is being rebuilt. Try again in a moment.', {
      headers: again,
      cause: error,
    }),
  INVALID_CURSOR: () =>
    invalid([{ path: 'cursor', message: 'must be the next_cursor of the page before' }]),

  TRANSCRIPT_MOVING: (error) =>
    new Problem('busy', 'The transcript is being replaced. Try again in a moment.', {
      headers: again,
      cause: error,
    }),

  BACKUP_RUNNING: (error) => new Problem('backup-running', error.message, { cause: error }),
  BACKUP_PLACE: (error) => invalid([{ path: 'path', message: error.message }]),

  ALREADY_SET_UP: (error) => new Problem('already-set-up', error.message),
  SETUP_CODE_REQUIRED: (error) => new Problem('setup-code-required', error.message),
  WRONG_CREDENTIALS: (error) => new Problem('wrong-credentials', error.message),
  TOO_MANY_ATTEMPTS: (error) =>
    new Problem('too-many-attempts', error.message, {
      headers:
        error.retryAfter === undefined
          ? {}
          : { 'Retry-After': String(Math.ceil(error.retryAfter)) },
    }),
  USERNAME_TAKEN: (error) => new Problem('username-taken', error.message),
  LAST_ADMINISTRATOR: (error) => new Problem('last-administrator', error.message),
  OWN_ACCOUNT: (error) => new Problem('own-account', error.message),
  USER_DISABLED: (error) => new Problem('user-disabled', error.message),
  ADMINISTRATOR_FIRST: (error) => new Problem('administrator-first', error.message),
  BUILT_IN_USER: (error) => new Problem('built-in-user', error.message),
  LINK_OVER: (error) => new Problem('link-over', error.message),
  TOO_MANY_LINKS: (error) => new Problem('too-many-links', error.message),
  UNKNOWN_USER: (error) => notFound(error.message),
  INVALID_USERNAME: (error) => invalid([{ path: 'username', message: error.message }]),
  INVALID_PASSWORD: (error) => invalid([{ path: 'password', message: error.message }]),

  // Read from the environment and from files, never given in a request.
  INVALID_PASSWORD_HASH: (error) => mistake(error),
  SECRETS_DAMAGED: (error) => mistake(error),
  MASTER_KEY_DIFFERS: (error) => mistake(error),

  CONFIG_INVALID: (error) => invalid([...error.faults]),
  CONFIG_OVERRIDDEN: (error) =>
    new Problem('overridden', error.message, { members: { errors: error.faults } }),

  SPACE_LIMIT_REACHED: (error) =>
    new Problem('space-limit', error.message, {
      members: { taken_bytes: error.takenBytes, limit_bytes: error.limitBytes },
    }),

  NO_DESKTOP: (error) => new Problem('unavailable', error.message, { cause: error }),
  NO_VAULT: (error) => new Problem('unavailable', error.message, { cause: error }),
  OUTSIDE_SPACE: (error) => new Problem('outside-space', error.message, { cause: error }),
  DOCUMENT_TOO_LARGE: (error) => new Problem('too-large', error.message, { cause: error }),

  'not-a-recorder': (error) => new Problem('not-a-recorder', error.message),
  'device-taken': (error) => new Problem('device-unavailable', error.message),
  'device-gone': (error) => new Problem('device-unavailable', error.message),
  'no-device': (error) => new Problem('device-unavailable', error.message),
  'combined-in-use': (error) => new Problem('device-unavailable', error.message),
  'not-recording': (error) => new Problem('not-recording', error.message),
  'nothing-captured': (error) => new Problem('not-recording', error.message),
  'already-recording': (error) => new Problem('already-recording', error.message),
  'devices-unavailable': (error) => new Problem('unavailable', error.message, { cause: error }),
  'no-audio-server': (error) => new Problem('unavailable', error.message, { cause: error }),
  'audio-server-silent': (error) => new Problem('unavailable', error.message, { cause: error }),
  'audio-server-refused': (error) => new Problem('unavailable', error.message, { cause: error }),
  'source-gone': (error) => invalid([{ path: '', message: error.message }]),
  'combined-with-itself': (error) => invalid([{ path: 'microphone', message: error.message }]),
  'not-a-monitor': (error) => invalid([{ path: 'monitor', message: error.message }]),
  'nothing-combined': (error) => new Problem('device-unavailable', error.message),

  'decoder-stalled': (error) =>
    new Problem('decoder-stalled', error.message, {
      headers: { 'Retry-After': '60' },
      cause: error,
    }),
  'unsupported-media': (error) => new Problem('unsupported-media', error.message, { cause: error }),
  // Formidable and Node say so when the client goes away in the middle; no client reads this.
  '1002': (error) => cutOff(error),
  ECONNRESET: (error) => cutOff(error),
  ENOSPC: (error) => diskFull(new Error('The disk of the service is full.', { cause: error })),
  LEVEL_DATABASE_NOT_OPEN: (error) => unavailable(error),
  LEVEL_ITERATOR_NOT_OPEN: (error) => unavailable(error),
  LEVEL_IO_ERROR: (error) => unavailable(error),
} satisfies Answers<Answered['code']> & Partial<Answers<Sometimes['code']>>;

/** co-body and raw-body (JSON) and formidable (uploads) say what is wrong in fields of their own. */
function fromBodyParser(error: Error): Problem | undefined {
  const { status, httpCode, type } = error as { status?: number; httpCode?: number; type?: string };
  switch (status ?? httpCode) {
    case 413:
      return new Problem('too-large', 'The body is larger than the limit.', {
        headers: { Connection: 'close' },
        cause: error,
      });
    case 415:
      return new Problem('unsupported-media', 'The body has an encoding that is not supported.', {
        cause: error,
      });
    case 400:
    case 501:
      return type === 'request.aborted'
        ? cutOff(error)
        : new Problem('malformed-body', 'The body cannot be parsed.', { cause: error });
    default:
      return undefined;
  }
}

const mistake = (cause: unknown): Problem =>
  new Problem(
    'internal',
    'An unexpected error. The service has logged it: report it with its request_id.',
    { cause },
  );

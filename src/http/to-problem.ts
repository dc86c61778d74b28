import type { KeyError } from '../../events/key-store.ts';
import { fieldFault } from '../words/field-faults.ts';
import type { EventStoreError } from '../../events/store.ts';
import type { InvalidCursor } from '../../projections/list-page.ts';
import type { ProjectionBehind, ProjectionStopped } from '../../projections/runner/projection.ts';
import type { TranscriptMoving } from '../../projections/texts.ts';
import type { AccountError } from '../accounts/account-error.ts';
import type { Starting } from './middleware/ready.ts';
import type { ConfigError } from '../config/schema.ts';
import type { ConfinementError } from '../documents/confinement.ts';
import type { NoDesktop } from '../documents/desktop.ts';
import { type OversizedDocument, documentBytesMax } from '../documents/space.ts';
import type { BackupRefused } from '../integrity/backups.ts';
import type { NoVault } from '../documents/vault.ts';
import type {
  CommandRefused,
  CommandUsedDifferently,
  NotAccepted,
  UnknownRecording,
} from '../recordings/refusals.ts';
import type { QuestionRefused } from '../recordings/question-limits.ts';
import { StageError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Busy } from '../shared/mutex.ts';
import type { BlobsError } from '../storage/blobs/blobs.ts';
import type { DiskFull } from '../storage/disk.ts';
import type { SpaceLimitReached } from '../storage/quota.ts';
import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
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

/** What a WebSocket says of an error. @param what failed, for the log */
export function saidOfError(
  error: unknown,
  log: Pick<Log, 'error'>,
  what: string,
): { code: string; said: Sentence } {
  if (error instanceof StageError) return { code: error.code, said: error.sentence };
  const { status, type, said } = toProblem(error);
  if (status >= 500) log.error({ err: error }, what);
  return { code: type, said };
}

const cutOff = (cause: Error): Problem =>
  new Problem('malformed-body', { said: detail('body-cut-off'), cause });

const again = { 'Retry-After': '1' };

function diskFull(
  error: Error & { freeBytes?: number | undefined; lowBytes?: number | undefined },
): Problem {
  const { freeBytes: free, lowBytes: least } = error;
  const headers = { 'Retry-After': '60' };
  if (free === undefined) return new Problem('disk-full', { headers, cause: error });
  const said =
    least === undefined ? detail('disk-full-free', { free }) : detail('disk-low', { free, least });
  return new Problem('disk-full', { said, headers, members: { free_bytes: free }, cause: error });
}

/** The database under log or rows is closed, to be opened again, or its disk refuses. */
const unavailable = (cause: Error): Problem =>
  new Problem('log-unavailable', { headers: again, cause });

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
  | QuestionRefused
  | ProjectionStopped
  | SpaceLimitReached
  | Starting
  | TranscriptMoving
  | UnknownRecording;
/** Most of these end a stage and reach the log, not a request; what has no entry is a mistake. */
type Sometimes = BlobsError | KeyError | StageError | SystemError;
/** Of Node and LevelDB. */
type SystemError = Error & {
  code:
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
    new Problem('not-accepted', {
      ...(error.why && { said: error.why }),
      // Not `status`: RFC 9457 has a member of that name, the number.
      members: {
        recording_status: statusName(error.state),
        state: error.state,
        possible: error.possible,
      },
    }),
  UNKNOWN_RECORDING: () => notFound(detail('recording-not-found')),
  // While there are no documents the state refuses: `NOT_ACCEPTED`.
  NO_DOCUMENTS: ({ refusal }) => notFound(refusal.said),
  NO_SUCH_TURN: ({ refusal }) => notFound(refusal.said),
  TURNS_CHANGED: ({ refusal }) => new Problem('changed-meanwhile', { said: refusal.said }),
  NO_SUCH_VERSION: ({ refusal }) => notFound(refusal.said),
  NO_SUCH_SIDENOTE: ({ refusal }) => notFound(refusal.said),
  TOO_MANY_SIDENOTES: ({ refusal }) => invalid([{ path: 'sidenotes', fault: refusal.said }]),
  TOO_MANY_GRANTS: ({ refusal }) => new Problem('too-many-names', { said: refusal.said }),
  ON_HOLD: ({ refusal }) =>
    new Problem('on-hold', { members: { until: 'hold' in refusal ? refusal.hold.until : null } }),
  TOO_MANY_TAGS: ({ refusal }) => invalid([{ path: 'tags', fault: refusal.said }]),
  NO_SUCH_LINE: ({ refusal }) => notFound(refusal.said),
  NO_OFFERED_SUMMARY: ({ refusal }) => notFound(refusal.said),
  SUMMARY_CHANGED: ({ refusal }) => new Problem('changed-meanwhile', { said: refusal.said }),
  TOO_MANY_LINES: ({ refusal }) => invalid([{ path: 'edits', fault: refusal.said }]),
  NOT_SO: ({ refusal }) =>
    invalid([{ path: 'field' in refusal ? refusal.field : 'at', fault: refusal.said }]),
  NO_SUCH_WORD: ({ refusal }) => invalid([{ path: 'word', fault: refusal.said }]),
  COMMAND_USED_DIFFERENTLY: () => new Problem('key-used-differently'),
  NO_LANGUAGE_MODEL: () => new Problem('no-language-model'),
  NO_SPEAKERS: ({ refusal }) => invalid([{ path: 'speaker', fault: refusal.said }]),
  UNKNOWN_LABELS: ({ refusal }) =>
    invalid(
      ('unknown' in refusal ? refusal.unknown : []).map((label) => ({
        path: `speakers.${label}`,
        fault: refusal.said,
      })),
    ),

  // Another node has just done the same: a repetition finds what it led to.
  COMMAND_TAKEN: (error) => unavailable(error),
  VERSION_CONFLICT: (error) => new Problem('changed-meanwhile', { cause: error }),
  OUTCOME_UNKNOWN: (error) => new Problem('outcome-unknown', { headers: again, cause: error }),
  BUSY: (error) => new Problem('busy', { headers: again, cause: error }),
  DAMAGED: (error) => logDamaged(error),
  DISK_FULL: (error) => diskFull(error),
  UNREADABLE: (error) => new Problem('unreadable', { cause: error }),
  NEWER_LOG: (error) => new Problem('log-newer', { cause: error }),
  INVALID_FACT: (error) => mistake(error),
  LOCKED: (error) => mistake(error),
  CLOSED: (error) => new Problem('stopping', { headers: { 'Retry-After': '5' }, cause: error }),

  BLOBS_AWAY: (error) => filesUnavailable(error),
  BLOBS_REFUSED: (error) => filesUnavailable(error),
  STARTING: (error) => starting(error.progress),
  PROJECTION_STOPPED: (error) =>
    new Problem('view-stopped', { params: { list: error.projection }, cause: error }),
  PROJECTION_BEHIND: (error) =>
    new Problem('view-stopped', {
      said: detail('lists-being-rebuilt'),
      headers: again,
      cause: error,
    }),
  INVALID_CURSOR: () => invalid([{ path: 'cursor', fault: fieldFault('not-a-cursor') }]),

  TRANSCRIPT_MOVING: (error) =>
    new Problem('busy', {
      said: detail('transcript-being-replaced'),
      headers: again,
      cause: error,
    }),

  BACKUP_RUNNING: (error) => new Problem('backup-running', { cause: error }),
  BACKUP_PLACE: (error) => invalid([{ path: 'path', fault: error.said }]),

  ALREADY_SET_UP: () => new Problem('already-set-up'),
  SETUP_CODE_REQUIRED: () => new Problem('setup-code-required'),
  WRONG_CREDENTIALS: () => new Problem('wrong-credentials'),
  TOO_MANY_ATTEMPTS: ({ said, retryAfter }) =>
    new Problem('too-many-attempts', {
      said,
      headers: retryAfter === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfter)) },
    }),
  TOO_MANY_QUESTIONS: ({ wait }) =>
    new Problem('too-many-questions', {
      params: { wait },
      headers: { 'Retry-After': String(wait) },
    }),
  QUESTIONS_BUSY: (error) => new Problem('busy', { headers: again, cause: error }),
  USERNAME_TAKEN: ({ said }) => new Problem('username-taken', { said }),
  LAST_ADMINISTRATOR: () => new Problem('last-administrator'),
  OWN_ACCOUNT: () => new Problem('own-account'),
  USE_SINGLE_SIGN_ON: ({ said }) => new Problem('use-single-sign-on', { said }),
  NOT_ADMITTED: ({ said, reason = 'other' }) =>
    new Problem('not-admitted', { said, members: { reason } }),
  FLOW_OVER: () => new Problem('flow-over'),
  NO_SINGLE_SIGN_ON: () => new Problem('no-single-sign-on'),
  PROVIDER_AWAY: ({ said }) =>
    new Problem('provider-away', { said, headers: { 'Retry-After': '30' } }),
  NO_PASSWORD: ({ said }) => new Problem('no-password', { said }),
  CODE_REQUIRED: () => new Problem('code-required'),
  WRONG_CODE: ({ said }) => new Problem('wrong-code', { said }),
  TWO_STEP_CHANGED: () => new Problem('two-step-changed'),
  USER_DISABLED: () => new Problem('user-disabled'),
  ADMINISTRATOR_FIRST: () => new Problem('administrator-first'),
  BUILT_IN_USER: ({ said }) => new Problem('built-in-user', { said }),
  LINK_OVER: () => new Problem('link-over'),
  KEY_USED_DIFFERENTLY: () => new Problem('key-used-differently'),
  TOO_MANY_LINKS: () => new Problem('too-many-links'),
  NAME_TAKEN: ({ said }) => new Problem('name-taken', { said }),
  TOO_MANY_NAMES: ({ said }) => new Problem('too-many-names', { said }),
  UNKNOWN_GROUP: ({ said }) => notFound(said),
  UNKNOWN_USER: ({ said }) => notFound(said),
  INVALID_USERNAME: ({ said, passwordFault }) =>
    invalid([
      { path: 'username', fault: said },
      ...(passwordFault ? [{ path: 'password', fault: passwordFault }] : []),
    ]),
  INVALID_PASSWORD: ({ said }) => invalid([{ path: 'password', fault: said }]),

  // Read from the environment and from files, never given in a request.
  INVALID_PASSWORD_HASH: (error) => mistake(error),
  SECRETS_DAMAGED: (error) => mistake(error),
  MASTER_KEY_DIFFERS: (error) => mistake(error),

  CONFIG_INVALID: (error) => invalid(error.faults),
  CONFIG_OVERRIDDEN: ({ faults }) =>
    new Problem('overridden', {
      params: { keys: faults.map(({ path }) => path) },
      errors: faults,
    }),

  SPACE_LIMIT_REACHED: (error) =>
    new Problem('space-limit', {
      said: error.said,
      members: { taken_bytes: error.takenBytes, limit_bytes: error.limitBytes },
    }),

  NO_DESKTOP: (error) => new Problem('unavailable', { said: error.said, cause: error }),
  NO_VAULT: (error) => new Problem('unavailable', { said: error.said, cause: error }),
  OUTSIDE_SPACE: (error) =>
    new Problem('outside-space', { params: { reason: error.reason }, cause: error }),
  DOCUMENT_TOO_LARGE: (error) =>
    new Problem('too-large', {
      said: detail('document-too-large', { limit: documentBytesMax }),
      cause: error,
    }),

  'not-a-recorder': (error) => new Problem('not-a-recorder', { said: error.sentence }),
  'device-taken': (error) => new Problem('device-unavailable', { said: error.sentence }),
  'device-gone': (error) => new Problem('device-unavailable', { said: error.sentence }),
  'no-device': (error) => new Problem('device-unavailable', { said: error.sentence }),
  'combined-in-use': (error) => new Problem('device-unavailable', { said: error.sentence }),
  'not-recording': (error) => new Problem('not-recording', { said: error.sentence }),
  'recorded-elsewhere': (error) =>
    new Problem('busy', { said: error.sentence, headers: again, cause: error }),
  'nothing-captured': (error) => new Problem('not-recording', { said: error.sentence }),
  'already-recording': (error) => new Problem('already-recording', { said: error.sentence }),
  'devices-unavailable': (error) =>
    new Problem('unavailable', { said: error.sentence, cause: error }),
  'no-audio-server': (error) => new Problem('unavailable', { said: error.sentence, cause: error }),
  'audio-server-silent': (error) =>
    new Problem('unavailable', { said: error.sentence, cause: error }),
  'audio-server-refused': (error) =>
    new Problem('unavailable', { said: error.sentence, cause: error }),
  'source-gone': (error) => invalid([{ path: '', fault: error.sentence }]),
  'combined-with-itself': (error) => invalid([{ path: 'microphone', fault: error.sentence }]),
  'not-a-monitor': (error) => invalid([{ path: 'monitor', fault: error.sentence }]),
  'nothing-combined': (error) => new Problem('device-unavailable', { said: error.sentence }),

  'decoder-stalled': (error) =>
    new Problem('decoder-stalled', { headers: { 'Retry-After': '60' }, cause: error }),
  'unsupported-media': (error) =>
    new Problem('unsupported-media', { said: error.sentence, cause: error }),
  // Node says so when the client goes away in the middle; no client reads this.
  ECONNRESET: (error) => cutOff(error),
  ENOSPC: (error) => diskFull(error),
  LEVEL_DATABASE_NOT_OPEN: (error) => unavailable(error),
  LEVEL_ITERATOR_NOT_OPEN: (error) => unavailable(error),
  LEVEL_IO_ERROR: (error) => unavailable(error),
} satisfies Answers<Answered['code']> & Partial<Answers<Sometimes['code']>>;

/** co-body and raw-body say what is wrong in fields of their own. */
function fromBodyParser(error: Error): Problem | undefined {
  const { status, type } = error as { status?: number; type?: string };
  switch (status) {
    case 413:
      return new Problem('too-large', { headers: { Connection: 'close' }, cause: error });
    case 415:
      return new Problem('unsupported-media', { said: detail('content-encoding'), cause: error });
    case 400:
      return type === 'request.aborted'
        ? cutOff(error)
        : new Problem('malformed-body', { cause: error });
    default:
      return undefined;
  }
}

const mistake = (cause: unknown): Problem => new Problem('internal', { cause });

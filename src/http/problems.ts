import { detail } from '../words/details.ts';
import type { Sentence, Values } from '../words/params.ts';
import type { problems } from '../words/problems.ts';
import type { StartProgress } from './middleware/ready.ts';

/** Every problem the interface answers with: RFC 9457 `type` is `/problems/<slug>`. Slugs are stable, programs rely on them. */
export type ProblemType = keyof typeof problems;

export const problemStatus: Readonly<Record<ProblemType, number>> = {
  'malformed-body': 400,
  'malformed-request': 400,
  'not-authenticated': 401,
  'wrong-credentials': 401,
  'password-required': 401,
  'code-required': 401,
  'wrong-code': 401,
  'use-single-sign-on': 403,
  'not-admitted': 403,
  'user-disabled': 403,
  'not-admin': 403,
  'password-change-required': 403,
  'two-step-required': 403,
  'confirmation-required': 403,
  'not-a-recorder': 403,
  'not-yours': 403,
  'sharing-off': 403,
  'links-off': 403,
  'outside-space': 403,
  'setup-code-required': 403,
  'cross-origin': 403,
  'not-found': 404,
  'unknown-user': 404,
  'link-over': 404,
  'method-not-allowed': 405,
  'too-slow': 408,
  'not-accepted': 409,
  'already-set-up': 409,
  'flow-over': 409,
  'no-single-sign-on': 409,
  'no-password': 409,
  'two-step-changed': 409,
  'username-taken': 409,
  'last-administrator': 409,
  'own-account': 409,
  'administrator-first': 409,
  'built-in-user': 409,
  'too-many-links': 409,
  'on-hold': 409,
  'name-taken': 409,
  'too-many-names': 409,
  overridden: 409,
  'device-unavailable': 409,
  'not-recording': 409,
  'already-recording': 409,
  'several-waiting': 409,
  'no-language-model': 409,
  'no-embeddings': 409,
  'nobody-waiting': 409,
  'backup-running': 409,
  'key-used-differently': 409,
  'wrong-offset': 409,
  'upload-over': 410,
  'tus-version': 412,
  'changed-meanwhile': 412,
  'too-large': 413,
  'unsupported-media': 415,
  'range-not-satisfiable': 416,
  'host-not-allowed': 421,
  invalid: 422,
  'upgrade-required': 426,
  'https-required': 426,
  'too-many-attempts': 429,
  'too-many-questions': 429,
  'too-many-connections': 429,
  internal: 500,
  'outcome-unknown': 503,
  starting: 503,
  busy: 503,
  'views-behind': 503,
  'view-stopped': 503,
  'log-damaged': 503,
  unreadable: 503,
  'log-newer': 503,
  stopping: 503,
  'disk-full': 503,
  'log-unavailable': 503,
  'files-unavailable': 503,
  'provider-away': 503,
  unavailable: 503,
  'decoder-stalled': 503,
  'space-limit': 507,
};

/** What is wrong with a field: a sentence of area `field`, or of another that says more. */
export type FieldFault = { path: string; fault: Sentence };

/** What it carries besides. */
type Carried = {
  /** What is wrong with which field. */
  errors?: readonly FieldFault[];
  /** Members beside RFC 9457's own (`possible`, …). */
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
};
type OwnValues<T extends ProblemType> = Values<(typeof problems)[T]['params']>;
/** Another sentence than the type's own (of area `detail`), or what varies in that. */
type Says<T extends ProblemType> =
  | { said: Sentence; params?: never }
  | (object extends OwnValues<T>
      ? { said?: never; params?: OwnValues<T> }
      : { said?: never; params: OwnValues<T> });
type More<T extends ProblemType> = Carried & Says<T>;

/** An answer that says what is wrong, thrown where it is noticed. Who reads it makes the sentence (`problem-answer.ts`). */
export class Problem<T extends ProblemType = ProblemType> extends Error {
  override name = 'Problem';
  readonly type: T;
  /** What it says: a sentence of area `problem`, `detail` or `failure`. */
  readonly said: Sentence;
  readonly errors: readonly FieldFault[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(type: T, ...[more]: object extends More<T> ? [more?: More<T>] : [more: More<T>]) {
    const { said, params, errors, members, headers, cause } = (more ?? {}) as Partial<More<T>>;
    super(type, cause === undefined ? undefined : { cause });
    this.type = type;
    this.said = said ?? {
      area: 'problem',
      code: type,
      ...(params && { params }),
    };
    this.errors = errors ?? [];
    this.members = members ?? {};
    this.headers = headers ?? {};
  }
  get status(): number {
    return problemStatus[this.type];
  }
}

/** 422 with one entry a wrong field. */
export const invalid = (errors: readonly FieldFault[]): Problem<'invalid'> =>
  new Problem('invalid', { errors });

/** 404; without a sentence it is said that there is nothing, or somebody else's. */
export const notFound = (said?: Sentence): Problem<'not-found'> =>
  new Problem('not-found', said === undefined ? {} : { said });

/** 503: what all nodes have of files is away, or lets us in no more. */
export const filesUnavailable = (cause: unknown): Problem<'files-unavailable'> =>
  new Problem('files-unavailable', { headers: { 'Retry-After': '5' }, cause });

/** 404: a node that works on recordings and answers no one. */
export const onlyWorks = (): Problem => notFound(detail('node-only-works'));

/** 503: the log takes nothing new until it has been repaired. */
export const logDamaged = (cause?: unknown): Problem<'log-damaged'> =>
  new Problem('log-damaged', { cause });

/** 503: what was asked for is not ready yet; how far it is. */
export const starting = ({ waitsFor, fraction, retryAfter }: StartProgress): Problem<'starting'> =>
  new Problem('starting', {
    ...(fraction !== null && { params: { done: fraction } }),
    members: { waits_for: waitsFor, fraction },
    headers: { 'Retry-After': String(retryAfter) },
  });

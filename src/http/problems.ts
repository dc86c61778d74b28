import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StartProgress } from './middleware/ready.ts';

/**
 * Every problem the interface answers with: RFC 9457 `type` is `/problems/<slug>`. Slugs are stable,
 * programs rely on them.
 */
export const problemTypes = {
  'malformed-body': { status: 400, title: 'The body cannot be read' },
  'malformed-request': { status: 400, title: 'The request cannot be read' },
  'not-authenticated': { status: 401, title: 'Not logged in' },
  'wrong-credentials': { status: 401, title: 'Wrong user name or password' },
  'user-disabled': { status: 403, title: 'The user is disabled' },
  'not-admin': { status: 403, title: 'Only an administrator may do this' },
  'password-change-required': { status: 403, title: 'The password has to be changed first' },
  'confirmation-required': { status: 403, title: 'The password is needed once more' },
  'not-a-recorder': { status: 403, title: 'You may not record here' },
  'outside-space': { status: 403, title: 'The path leaves your space' },
  'setup-code-required': { status: 403, title: 'The setup code is required' },
  'cross-origin': { status: 403, title: 'The request comes from another site' },
  'not-found': { status: 404, title: 'Not found' },
  'link-over': { status: 404, title: 'The link is no longer valid' },
  'too-slow': { status: 408, title: 'The request takes too long' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-accepted': { status: 409, title: 'The present state does not allow this' },
  'already-set-up': { status: 409, title: 'The first administrator exists' },
  'username-taken': { status: 409, title: 'There is a user of that name' },
  'last-administrator': { status: 409, title: 'The last administrator has to stay' },
  'own-account': { status: 409, title: 'Not possible for your own account' },
  'administrator-first': { status: 409, title: 'The first user has to be an administrator' },
  'built-in-user': { status: 409, title: 'A built-in user cannot be changed' },
  'too-many-links': { status: 409, title: 'Too many open invitations and links' },
  overridden: { status: 409, title: 'Set by the environment' },
  'device-unavailable': { status: 409, title: 'The device cannot be recorded now' },
  'not-recording': { status: 409, title: 'Nothing is being recorded' },
  'already-recording': { status: 409, title: 'A recording is running already' },
  'several-waiting': { status: 409, title: 'More than one recording waits for speakers' },
  'no-language-model': { status: 409, title: 'No language model is configured' },
  'nobody-waiting': { status: 409, title: 'No recording waits for speakers' },
  'backup-running': { status: 409, title: 'A backup is being made' },
  'key-used-differently': {
    status: 409,
    title: 'This Idempotency-Key was used for something else',
  },
  'wrong-offset': { status: 409, title: 'The upload is at another place' },
  'upload-over': { status: 410, title: 'The upload is over' },
  'tus-version': { status: 412, title: 'Another version of the upload protocol' },
  'changed-meanwhile': { status: 412, title: 'Changed meanwhile' },
  'too-large': { status: 413, title: 'Too large' },
  'unsupported-media': { status: 415, title: 'Media type not supported' },
  'range-not-satisfiable': { status: 416, title: 'The file has no such range' },
  'host-not-allowed': { status: 421, title: 'Host name not allowed' },
  invalid: { status: 422, title: 'Well-formed but invalid' },
  'upgrade-required': { status: 426, title: 'WebSocket only' },
  'https-required': { status: 426, title: 'This service speaks https' },
  'too-many-attempts': { status: 429, title: 'Too many attempts' },
  'too-many-connections': { status: 429, title: 'Too many connections' },
  internal: { status: 500, title: 'The service made a mistake' },
  'outcome-unknown': { status: 503, title: 'It is not known whether this was stored' },
  starting: { status: 503, title: 'The service is starting' },
  busy: { status: 503, title: 'Too much to do at the moment' },
  'views-behind': { status: 503, title: 'Stored, but not readable yet' },
  'view-stopped': { status: 503, title: 'A view of the log has stopped' },
  'log-damaged': { status: 503, title: 'The log is damaged' },
  unreadable: { status: 503, title: 'The key is lost' },
  'log-newer': { status: 503, title: 'The log was written by a newer release' },
  stopping: { status: 503, title: 'The service is stopping' },
  'disk-full': { status: 503, title: 'The disk is full' },
  'log-unavailable': { status: 503, title: 'The log cannot be reached' },
  'files-unavailable': { status: 503, title: 'The files cannot be reached' },
  'space-limit': { status: 507, title: 'As much is kept here as may be' },
  unavailable: { status: 503, title: 'Something the host lacks' },
  'decoder-stalled': { status: 503, title: 'The file could not be looked into in time' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemType = keyof typeof problemTypes;
export type FieldError = { path: string; message: string };

/** An answer that says what is wrong, thrown where it is noticed. */
export class Problem extends Error {
  override name = 'Problem';
  readonly type: ProblemType;
  readonly detail: string;
  /** Members beside RFC 9457's own (`errors`, `possible`, …). */
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    type: ProblemType,
    detail: string,
    more: {
      members?: Record<string, unknown>;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.type = type;
    this.detail = detail;
    this.members = more.members ?? {};
    this.headers = more.headers ?? {};
  }
  get status(): number {
    return problemTypes[this.type].status;
  }
}

/** The JSON body of a problem. */
export const problemBody = (
  problem: Problem,
): Record<string, unknown> & { title: string; detail: string } => ({
  type: `/problems/${problem.type}`,
  title: problemTypes[problem.type].title,
  status: problem.status,
  detail: problem.detail,
  ...problem.members,
});

/** Answers outside of the app, for people as a page: a browser shows no JSON that it has not asked for. */
export function answerProblem(
  { headers: { accept = '' } }: IncomingMessage,
  outgoing: ServerResponse,
  problem: Problem,
): void {
  const asPage = accept.includes('text/html');
  const body = asPage
    ? pageSaying({ title: problemTypes[problem.type].title, detail: problem.detail })
    : JSON.stringify(problemBody(problem));
  outgoing.writeHead(problem.status, {
    'Content-Type': asPage ? 'text/html; charset=utf-8' : 'application/problem+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...problem.headers,
  });
  outgoing.end(body);
}

/** A page without any file of the app, for who cannot be given one. */
export const pageSaying = ({ title, detail }: { title: string; detail: string }): string =>
  `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mitschrift</title><h1>${escaped(title)}</h1><p>${linked(escaped(detail))}</p>\n`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (sign) => entities[sign]!);
const linked = (text: string): string =>
  text.replaceAll(/https:\/\/[\w.:[\]-]+/g, (address) => `<a href="${address}">${address}</a>`);

/** 422 with one entry a wrong field; `summary` stands for a long message in the text for people. */
export const invalid = (errors: readonly (FieldError & { summary?: string })[]): Problem =>
  new Problem(
    'invalid',
    errors.map(({ path, message, summary = message }) => `${path}: ${summary}`).join('; '),
    { members: { errors: errors.map(({ path, message }) => ({ path, message })) } },
  );

export const notFound = (what = 'There is nothing here, or it is not yours.'): Problem =>
  new Problem('not-found', what);

/** 503: what all nodes have of files is away, or lets us in no more. */
export const filesUnavailable = (cause: unknown): Problem =>
  new Problem(
    'files-unavailable',
    'The files of the service cannot be reached now. Nothing stored is lost. Try again in a moment.',
    { headers: { 'Retry-After': '5' }, cause },
  );

/** 404: a node that works on recordings and answers no one. */
export const onlyWorks = (): Problem =>
  notFound(
    'This node works on recordings and answers only /health and /metrics. Ask one whose role is serve or all.',
  );

/** 503: the log takes nothing new until it has been repaired. */
export const logDamaged = (cause?: unknown): Problem =>
  new Problem(
    'log-damaged',
    'The log is damaged and takes nothing new. `mitschrift verify` names the places; restore a backup.',
    { cause },
  );

/** 503: what was asked for is not ready yet; how far it is. */
export const starting = ({ waitsFor, fraction, retryAfter }: StartProgress): Problem =>
  new Problem(
    'starting',
    `The service has just started and still reads ${waitsFor.join(', ')}. Nothing was changed; try again in a moment.`,
    {
      members: { waits_for: waitsFor, fraction },
      headers: { 'Retry-After': String(retryAfter) },
    },
  );

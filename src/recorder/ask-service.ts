import * as z from 'zod';
import { StageError } from '../shared/errors.ts';
import { parsedJson } from '../shared/json.ts';
import { failure } from '../words/failures.ts';
import { connectionFailure } from '../servers/server-failure.ts';
import type { Login } from './logins.ts';

/** The service answered, and refuses. */
export class ServiceRefusal extends Error {
  override name = 'ServiceRefusal';
  readonly status: number;
  /** Last part of the problem's type, such as `code-required`; empty: it is none. */
  readonly problem: string;
  constructor(status: number, { detail, problem }: { detail: string; problem: string }) {
    super(detail);
    this.status = status;
    this.problem = problem;
  }
}

/** A service that says nothing for so long is away, milliseconds. */
const answerMs = 10_000;
const problemSchema = z.object({
  detail: z.string().max(1000),
  type: z.string().max(200).default(''),
});
const sessionSchema = z.object({
  token: z.string(),
  username: z.string(),
  limited: z.enum(['password', 'totp']).optional(),
});

/**
 * @returns `limited`: what has to be done on the server's page before the session opens anything
 * @throws {ServiceRefusal} wrong name or password, too many tries, `code-required`; {StageError} as `askService`
 */
export async function logIn(
  server: string,
  credentials: { username: string; password: string; code?: string | undefined },
): Promise<Login & { limited?: 'password' | 'totp' | undefined }> {
  const answer = await ask(server, 'POST', '/login', { body: credentials });
  const session = sessionSchema.safeParse(answer);
  if (!session.success) throw noMitschrift(server, session.error);
  return { server, ...session.data };
}

/** The same with a one-time code from the account page. @throws {ServiceRefusal} `wrong-code`, too many tries; {StageError} */
export async function logInByCode(server: string, code: string): Promise<Login> {
  const session = sessionSchema.safeParse(
    await ask(server, 'POST', '/login/code', { body: { code } }),
  );
  if (!session.success) throw noMitschrift(server, session.error);
  return { server, token: session.data.token, username: session.data.username };
}

/**
 * One request with a session. @returns what was answered as JSON; null for nothing
 * @throws {ServiceRefusal} its `status` 401: logged out; {StageError} what stands between here and the service,
 *   in words, `retriable` when it may be gone later
 */
export const askAs = (
  { server, token }: Login,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<unknown> => ask(server, method, path, { token, ...(body ? { body } : {}) });

/** What keeps a connection from a service, in words. @param error what fetch or a WebSocket failed with */
export const linkFailure = (server: string, error: unknown): StageError =>
  connectionFailure({ kind: 'mitschrift', name: server }, error);

/** What answers there is something else. */
export const noMitschrift = (server: string, cause?: unknown): StageError =>
  new StageError(failure('not-mitschrift', { server }), {
    retriable: false,
    cause,
  });

async function ask(
  server: string,
  method: string,
  path: string,
  { token, body }: { token?: string; body?: object },
): Promise<unknown> {
  const answer = await fetch(`${server}${path}`, {
    method,
    headers: {
      'user-agent': 'mitschrift record',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    // Never to another host with a token or a password.
    redirect: 'manual',
    signal: AbortSignal.timeout(answerMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw linkFailure(server, error);
  });
  const text = await answer.text().catch((error: unknown) => {
    throw linkFailure(server, error);
  });
  if (answer.ok) return text === '' ? null : parsed(server, text);
  throw new ServiceRefusal(answer.status, refusalIn(server, answer.status, text));
}

function parsed(server: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw noMitschrift(server, cause);
  }
}

/** A problem document's detail and type (RFC 9457); of anything else its status. */
function refusalIn(server: string, status: number, text: string) {
  const { data } = problemSchema.safeParse(parsedJson(text));
  return data
    ? { detail: data.detail, problem: data.type.replace('/problems/', '') }
    : { detail: `${server} answered with HTTP ${status}.`, problem: '' };
}

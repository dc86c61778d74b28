/** The HTTP interface, typed by its OpenAPI document (`interface.d.ts`, made by `npm run types:web`). */
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './interface.d.ts';
import { locale } from '../words/i18n.ts';
import { words } from '../components/words.ts';
import { confirmPassword } from './confirmation.ts';
import { session } from './session.ts';

/** A schema of the OpenAPI document by its name. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

type Json = { content: { 'application/json': unknown } };
type JsonOf<Body> = Body extends Json ? Body['content']['application/json'] : never;
/** What an operation of the OpenAPI document answers when it is done. */
export type Answered<Name extends keyof operations> = JsonOf<
  operations[Name]['responses'][keyof operations[Name]['responses'] & (200 | 201)]
>;
/** What is sent to an operation. */
export type Sent<Name extends keyof operations> = JsonOf<
  NonNullable<(operations[Name] & { requestBody?: unknown })['requestBody']>
>;

/** RFC 9457, as every error of the service is. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail?: string;
  /** Of `detail`: where the service has no sentence in the language of the page, it is English. */
  lang?: string;
  errors?: { path: string; message: string }[];
  /** Of a recording that does not accept what was asked as it is. */
  recording_status?: string;
};

/**
 * What the service answered instead, or that it did not answer (`status` 0): `away`, and nothing was changed;
 * `unanswered`, a change that it may have made.
 */
export class ApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
  }
}

/** What was refused. @throws what says nothing of that */
export function problemIn(error: unknown): Problem {
  if (!(error instanceof ApiError)) throw error;
  return error.problem;
}

const away = (): Problem => ({ type: 'away', title: words.get().away, status: 0 });
const unanswered = (): Problem => ({ ...away(), type: 'unanswered' });

/** A change may have been made although it was not answered as one. */
export const mayBeDone = ({ type }: Pick<Problem, 'type'>): boolean =>
  ['unanswered', '/problems/outcome-unknown', '/problems/views-behind'].includes(type);

/** What is asked may have been done: only reading shows whether it was. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError && mayBeDone(error.problem);

/**
 * `api.GET('/recordings/{id}', { params: { path: { id } } })`; `data` of the answer is typed. Give the
 * promise to `answer` to have errors thrown.
 */
export const api = createClient<paths>({ baseUrl: '/', fetch: fetchAsUser });

/**
 * Sends a request with the present session, which ends when the service says so.
 * @throws {ApiError} when the service does not answer.
 */
export async function fetchAsUser(request: Request): Promise<Response> {
  const current = session.get();
  if (current !== null) request.headers.set('Authorization', `Bearer ${current.token}`);
  request.headers.set('Accept-Language', locale.get());
  // What is sent is gone with the first try; of large bodies none is asked for a password.
  const again = request.method === 'GET' || isLarge(request) ? null : request.clone();
  let response = await sent(request);
  let refused = await refusalOf(response);
  if (again !== null && refused === 'confirmation-required' && (await confirmPassword())) {
    response = await sent(again);
    refused = await refusalOf(response);
  }
  // Only what was sent with this session's token says something of this session.
  if (current !== null && session.get()?.token === current.token) {
    if (response.status === 401) session.set(null);
    // The server asks for two-step login since: the login page sets it up.
    if (refused === 'two-step-required') session.set({ ...current, limited: 'totp' });
  }
  return response;
}

/** Sends a request of a person without an account here: no session is sent, and none ends by the answer. */
export async function fetchAsStranger(request: Request): Promise<Response> {
  request.headers.set('Accept-Language', locale.get());
  return await sent(request);
}

async function sent(request: Request): Promise<Response> {
  // From a device that is offline nothing goes out.
  const mayChange = navigator.onLine && !['GET', 'HEAD'].includes(request.method);
  try {
    const response = await fetch(request);
    // An answer that is cut off on its way is none.
    if (mayChange) await response.clone().arrayBuffer();
    if (!mayChange || !isProxys(response)) return response;
  } catch {}
  throw new ApiError(mayChange ? unanswered() : away());
}

/** A proxy’s own word, which has lost the answer of the service. */
const isProxys = ({ status, headers }: Response): boolean =>
  [502, 504].includes(status) && headers.get('Content-Type')?.includes('json') !== true;

const isLarge = ({ headers }: Request): boolean =>
  headers.get('Content-Type')?.startsWith('application/json') === false;

/** What is needed first, by the service's own word: a proxy's refusal has no JSON. */
async function refusalOf(response: Response): Promise<string | undefined> {
  const isProblem = response.headers.get('Content-Type')?.includes('json') === true;
  if (response.status !== 403 || !isProblem) return undefined;
  const { type }: Partial<Problem> = await response.clone().json();
  return type?.replace('/problems/', '');
}

/**
 * The data of an answer.
 * @throws {ApiError} when the service refused or does not answer.
 */
export async function answer<Data>(
  asked: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Exclude<Data, undefined>> {
  const { data, error, response } = await asked.catch((failure: unknown) => {
    // The answer was cut off on its way, or it is none of the service's (a proxy's page).
    const isBroken = failure instanceof TypeError || failure instanceof SyntaxError;
    throw isBroken ? new ApiError(away()) : failure;
  });
  if (response.ok) return data as Exclude<Data, undefined>;
  const problem = error as Partial<Problem> | undefined;
  throw new ApiError(
    typeof problem?.type === 'string'
      ? { ...(problem as Problem), lang: response.headers.get('Content-Language') ?? 'en' }
      : {
          type: 'about:blank',
          title: words.get().answered({ status: String(response.status) }),
          status: response.status,
        },
  );
}

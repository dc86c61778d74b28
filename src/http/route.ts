import type { Context } from 'koa';
import type * as z from 'zod';
import type { Caller } from '../accounts/caller.ts';
import { decodedOnce, jsonBody, queryOf } from './body.ts';
import { callerOf } from './middleware/authenticate.ts';
import { toChange, toRead } from './middleware/ready.ts';
import { Problem, type ProblemType } from './problems.ts';
import { limits } from './limits.ts';
import { clientAddress } from './peer.ts';
import type { RouteServices } from './services.ts';
import type { WhoMayCall, State } from './state.ts';
import { oncePer } from '../shared/once-per.ts';
import { commandOf } from './written.ts';

/** A route as it is declared: `app.ts` registers it, and `openapi/document.ts` describes it. */
export type Route = Operation & {
  /**
   * What is returned is the answer, as JSON or as bytes of the declared media type. What returns nothing has written its
   * answer into `ctx`, or has none.
   */
  run(asked: RouteRequest, services: RouteServices): unknown;
};

export type RouteContext = Context & {
  state: State;
  params: Record<string, string>;
  captures?: string[];
};

/** A request to a route, as far as its declaration has read it. */
export type RouteRequest<Path extends string = string, Query = unknown, Body = unknown> = {
  /** For headers and streams. */
  ctx: RouteContext;
  params: Record<NamesIn<Path>, string>;
  query: Query;
  body: Body;
  /** @throws {Problem} 401 at a route that needs no login */
  readonly caller: Caller;
  /** Who gives the command, and its id: the same `Idempotency-Key` is the same command. */
  readonly onBehalf: { by: string; command: string };
  /** The client's address, and what its program calls itself. */
  readonly from: { address: string; agent: string };
};

/** `'/recordings/{id}/versions/{version}'` → `'id' | 'version'`. */
type NamesIn<Path extends string> = string extends Path
  ? string
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Name | NamesIn<Rest>
    : never;

/** What a route says of itself in the document. */
export type Operation = WhoMayCall & {
  method: 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options';
  /** With `{names}`, which `openapi/describe-operation.ts` explains. What `{filename}` stands for may have slashes. */
  path: string;
  /** `operationId`: what generated clients call it. */
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** What of the service has to be ready for it (`middleware/ready.ts`): by the method, unless said otherwise. */
  needs: readonly string[];
  /** Whether the reserve of a full disk is given up for it, as for all that deletes. */
  makesRoom?: true;
  /** The schema of the query string. A `ticket` is none of its members. */
  query?: z.ZodObject;
  headers?: readonly RequestHeader[];
  body?: RequestBody;
  /** Whether it is left out of the document: files of pages. */
  hidden?: true;
  /** By status. The lowest is that of what `run` returns; 204 is that of nothing. */
  answers: Readonly<Record<number, Answer>>;
  /** Besides those that follow from who may call, from path, query and body, and from `command`. */
  problems?: readonly ProblemType[];
  /** Whether it appends facts: what can go wrong with that is added. */
  command?: true;
  /** It heeds `Idempotency-Key`, as every POST does. */
  repeatable?: true;
};

/** Whether a request of it with the same `Idempotency-Key` is the same command. */
export const isRepeatable = ({ method, access, repeatable }: Operation): boolean =>
  repeatable === true || (method === 'post' && access !== 'public');

/** What the routes of a file have in common; a route may say otherwise. Without `access` every user may call. */
type Shared = Pick<Operation, 'tag'> &
  Partial<Pick<Operation, 'access' | 'needs' | 'asksPassword'>>;

type Declared<Path extends string, Query extends z.ZodObject, Body extends z.ZodType> = Omit<
  Operation,
  'method' | 'path' | 'query' | 'body' | keyof Shared
> &
  Partial<Shared> & {
    query?: Query;
    body?: JsonBody<Body> | OtherBody;
    run(
      asked: RouteRequest<Path, z.output<Query>, z.output<Body>>,
      services: RouteServices,
    ): unknown;
  };

/** `routesOf({ tag })` is the function by which a file declares its routes. */
export const routesOf =
  (shared: Shared) =>
  <const Path extends string, Query extends z.ZodObject, Body extends z.ZodType>(
    method: Operation['method'],
    path: Path,
    declared: Declared<Path, Query, Body>,
  ): Route => {
    const { access = 'user', needs = needsOf(method), ...rest } = { ...shared, ...declared };
    return { ...rest, method, path, access, needs: access === 'public' ? [] : needs };
  };

/** What a route keeps as long as one app lives, opened with the first request. */
export const perApp = <T>(open: (services: RouteServices) => T) => oncePer(open);

/** Reads what a route declares of a request, runs the route, and writes what it returns. */
export function answerBy(route: Route, services: RouteServices) {
  const { path, access, query, body, answers } = route;
  const [status = 200] = Object.keys(answers).map(Number);
  const answerIsOptional = 204 in answers;
  const readBody = access === 'public' ? strangersBody : jsonBody;
  return async (ctx: RouteContext): Promise<void> => {
    ctx.status = status;
    const answer = await route.run(
      {
        ctx,
        params: paramsOf(path, ctx),
        query: query && queryOf(ctx, query, access === 'ticket'),
        body: body && 'json' in body ? await readBody(ctx, body.json, services) : undefined,
        get caller() {
          return callerOf(ctx.state);
        },
        get onBehalf() {
          return { by: callerOf(ctx.state).userId, command: commandOf(ctx.state) };
        },
        get from() {
          const address = clientAddress(ctx.req, services.settings()['server.trusted_proxies']);
          return { address, agent: ctx.get('User-Agent') };
        },
      },
      services,
    );
    if (answer !== undefined) write(ctx, answer, answers[status]);
    else if (answerIsOptional && ctx.status === status && !ctx.body) ctx.status = 204;
  };
}

const needsOf = (method: Operation['method']): readonly string[] =>
  method === 'get' || method === 'head' ? toRead : toChange;

const paramsOf = (path: string, { params, captures = [] }: RouteContext): Record<string, string> =>
  path.includes('{filename}') ? { filename: decodedOnce(captures[0] ?? '') } : params;

/**
 * The body of who is not logged in: small, and a refused one counts as an attempt of the address does, since reading and
 * refusing it is work as well.
 */
async function strangersBody<Schema extends z.ZodType>(
  ctx: RouteContext,
  schema: Schema,
  { accounts, settings }: RouteServices,
): Promise<z.output<Schema>> {
  try {
    return await jsonBody(ctx, schema, { bytesMax: limits.publicJsonBytesMax });
  } catch (error) {
    if (error instanceof Problem) {
      await accounts.bodyRefused(clientAddress(ctx.req, settings()['server.trusted_proxies']));
    }
    throw error;
  }
}

function write(ctx: RouteContext, answer: unknown, declared: Answer | undefined): void {
  const isWritten = typeof answer === 'string' || Buffer.isBuffer(answer);
  if (isWritten) ctx.type = declared?.media?.[0] ?? 'application/json';
  ctx.body = answer;
}

export const tags = {
  Server: 'Whether the server responds, the setup, logging in.',
  Status: 'Current work and past events.',
  Recordings: 'Recordings from their first second on: their history, commands, words, audio.',
  Transcripts: 'The documents in the user’s space.',
  Speakers: 'The speakers of a meeting.',
  Users: 'The people who may log in.',
  Order: 'Folders and tags of the caller.',
  Retention: 'How long audio and notes are kept.',
  Configuration: 'Settings, and the separate servers that they name.',
  Host: 'Input devices, audio and programs of the server’s computer.',
  Watching: 'Metrics and checks for administrators.',
} as const;
type Tag = keyof typeof tags;

export type RequestHeader = { name: string; description: string; required?: true };

/** What a request brings; JSON is parsed by the declaration, all else by `run`. */
export type RequestBody = JsonBody<z.ZodType> | OtherBody;
/** The schema that validates it; `shown` is a narrower one for the document. `optional`: no body is `{}`. */
type JsonBody<Body> = { json: Body; shown?: z.ZodType; optional?: true };
type OtherBody =
  /** A form with a file in the field `file`, and the schema that validates the other fields. */
  { form: z.ZodObject } | { mediaType: string; description: string };

export type Answer = {
  description: string;
  /** Of a JSON body. */
  json?: z.ZodType;
  /** Media types of any other body. */
  media?: readonly string[];
  headers?: Readonly<Record<string, string>>;
};

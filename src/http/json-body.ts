import type { Context } from 'koa';
import type { z } from 'zod';
import { loadOnce } from '../load-once.ts';
import { bodyParser } from './body-parser.ts';
import { limits } from './limits.ts';
import { Problem, invalid } from './problems.ts';

/**
 * The body as JSON of the given shape; no body is an empty object.
 * @throws {Problem} 400 no JSON, 413 too large, 415 not declared as JSON (which also keeps other sites'
 *   forms out: they cannot send this type without asking first), 408 too slow, 422 another shape.
 */
export async function jsonBody<S extends z.ZodType>(ctx: Context, schema: S): Promise<z.output<S>> {
  // Some clients announce an empty body (`fetch` without one), which has no type.
  const empty = ctx.get('Content-Length') === '0';
  if (!empty && ctx.is('application/json') === false) {
    throw new Problem('unsupported-media', 'Send `Content-Type: application/json`.');
  }
  const parseJson = await parser();
  await inTime(parseJson(ctx, async () => {}));
  return validated(schema, (ctx.request as { body?: unknown }).body ?? {});
}

/** Whoever sends a byte now and then would otherwise keep a connection for hours, without a login. */
async function inTime<T>(parsed: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = limits.jsonBodyMs / 1000;
    const problem = new Problem('too-slow', `The body has to be there within ${seconds} seconds.`, {
      headers: { Connection: 'close' },
    });
    timer = setTimeout(() => reject(problem), limits.jsonBodyMs);
  });
  return await Promise.race([parsed, late]).finally(() => clearTimeout(timer));
}

/** The query string's parameters of the given shape; one given twice is refused. */
export function queryOf<S extends z.ZodType>(ctx: Context, schema: S): z.output<S> {
  return validated(schema, { ...ctx.query });
}

/** @throws {Problem} 422 with one entry a wrong field. */
export function validated<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, { error: inWords });
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues.map(({ path, message }) => ({ path: path.join('.') || '(body)', message })),
  );
}

/** What the library says of a value that is not there, or of another type, is for programmers. */
const inWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is missing';
  return `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
};

const parser = loadOnce(async () => {
  return bodyParser()({
    json: true,
    jsonLimit: limits.jsonBytesMax,
    jsonTypes: ['application/json'],
    text: false,
    urlencoded: false,
    multipart: false,
  });
});

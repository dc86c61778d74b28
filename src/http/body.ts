import { createRequire } from 'node:module';
import type { IncomingMessage } from 'node:http';
import { detail } from '../words/details.ts';
import type { Context } from 'koa';
import * as z from 'zod';
import { tagsMax } from '../../events/facts/order.ts';
import { kindSchema } from '../../events/facts/recording.ts';
import { orderNameMax } from '../../projections/personal.ts';
import { plainTitle } from '../../projections/recording/reading.ts';
import { personNameMax, titleMax } from '../shared/people-limits.ts';
import { faultOf, inWords, wrong } from '../shared/in-words.ts';
import { bytesUpTo } from '../shared/bytes-up-to.ts';
import { requestedLanguage } from '../shared/languages.ts';
import { limits } from './limits.ts';
import { Problem, invalid } from './problems.ts';
import { inTime } from '../shared/abort.ts';

/**
 * The body as JSON of the given shape; no body is an empty object.
 * @throws {Problem} 400 not JSON, 413 too large, 415 not declared as JSON (which also keeps other sites'
 *   forms out: they cannot send this type without asking first), 408 too slow, 422 another shape.
 */
export async function jsonBody<S extends z.ZodType>(
  ctx: Context,
  schema: S,
  { bytesMax = limits.jsonBytesMax }: { bytesMax?: number } = {},
): Promise<z.output<S>> {
  // Some clients announce an empty body (`fetch` without one), which has no type.
  const empty = ctx.get('Content-Length') === '0';
  if (!empty && ctx.is('application/json') === false) {
    throw new Problem('unsupported-media', {
      said: detail('content-type-needed', { type: 'application/json' }),
    });
  }
  return validated(schema, (await jsonIn(ctx, bytesMax)) ?? {});
}

/** What was sent as JSON, read once; undefined without a body. @throws {Problem} 400, 408, 413 */
export async function jsonIn(ctx: Context, bytesMax = limits.jsonBytesMax): Promise<unknown> {
  const request = ctx.request as { body?: unknown };
  if (!('body' in request)) request.body = await bodyInTime(readJson(ctx.req, bytesMax));
  return request.body;
}

/**
 * The query string's parameters of the given shape; one given twice is refused.
 * @param hasTicket whether a `ticket` is let by, which was looked at before
 */
export function queryOf<S extends z.ZodType>(
  ctx: Context,
  schema: S,
  hasTicket: boolean,
): z.output<S> {
  const { ticket, ...given } = ctx.query;
  return validated(schema, hasTicket || ticket === undefined ? given : { ...given, ticket });
}

/** @throws {Problem} 422 with one entry a wrong field. */
export function validated<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, { error: inWords });
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues
      .slice(0, limits.faultsMax)
      .map((issue) => ({ path: issue.path.join('.') || '(body)', fault: faultOf(issue) })),
  );
}

/**
 * koa-body, loaded with the first text: it brings parsers of everything, and the start must not wait for them.
 * By `require`, in one go: as ES modules, while a recording that is taken up loads its own, Node 20.20 ran
 * formidable before what it imports, and kept that failure: every such request was answered 500 until a restart.
 */
export function bodyParser(): typeof import('koa-body').koaBody {
  const { koaBody }: typeof import('koa-body') = createRequire(import.meta.url)('koa-body');
  return koaBody;
}

/** Percent-encoding is undone once: `%2F` and `/` are the same, `%252F` is not. */
export function decodedOnce(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new Problem('malformed-request', { said: detail('path-encoding'), cause });
  }
}

const { pageMax, pageDefault } = limits;

const whole = (text: string): boolean => /^\d{1,15}$/.test(text);

/** `?limit&cursor` of lists. */
export const pageSchema = z.object({
  limit: z
    .string()
    .refine(whole, wrong('field-type', { type: 'whole-number' }))
    .transform(Number)
    .pipe(z.number().int().min(1).max(pageMax))
    .default(pageDefault),
  cursor: z.string().max(1000).optional(),
});

/** An end of a span of time, with its offset. */
export const timeBoundSchema = z.iso.datetime({ offset: true, error: wrong('not-a-time') });

/** Id of a folder or a tag. */
export const orderIdSchema = z.string().regex(/^\w{1,64}$/);

/** Id of a template of summaries, also of one that everybody has. */
export const templateIdSchema = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .describe('id of a template of summaries');

/** In what a recording begins with. */
export const folderSchema = orderIdSchema.describe('id of a folder that it is put into');

/** Of a sender that knows what it is mostly used for, and not what this recording is. */
export const usualKindSchema = kindSchema
  .optional()
  .describe('where neither `kind`, its folder nor a rule says it; else `solo`');

/** What a list of documents is narrowed to. */
export const narrowingSchema = z.strictObject({
  kind: kindSchema.optional(),
  speaker: z.string().min(1).max(personNameMax).optional().describe('a name, or a label'),
  from: timeBoundSchema.optional().describe('those that began then or later'),
  to: timeBoundSchema.optional().describe('those that began then or earlier'),
  folder: orderIdSchema.optional().describe('id of a folder; `none`: those in no folder'),
  tag: z
    .string()
    .regex(new RegExp(`^\\w{1,64}(?:,\\w{1,64}){0,${tagsMax - 1}}$`))
    .optional()
    .describe('ids of tags, separated by commas: those that have all of them'),
});

/** Query of a list of documents. */
export const librarySchema = z
  .strictObject({
    ...pageSchema.shape,
    before: z.string().max(1000).optional().describe('`previous_cursor` of the page below'),
    around: z
      .string()
      .max(64)
      .optional()
      .describe('id of a recording: the page in whose middle it is, or would be'),
    ...narrowingSchema.shape,
    shared: z
      .enum(['mine', 'with-me', 'all'])
      .default('mine')
      .describe('one’s own, what others share, or both; `folder` of `with-me` is one of theirs'),
  })
  .refine(
    ({ cursor, before, around }) =>
      [cursor, before, around].filter((one) => one !== undefined).length < 2,
    { path: ['cursor'], message: wrong('one-place') },
  )
  // Nobody is shown the tags of others.
  .refine(({ shared, tag }) => shared !== 'with-me' || tag === undefined, {
    path: ['tag'],
    message: wrong('tags-of-others'),
  });

/** `?after`: a position of the log, 0 for its beginning. */
export const positionSchema = z
  .string()
  .refine(whole, wrong('not-a-position'))
  .transform(Number)
  .pipe(z.number().int().min(0))
  .default(0);

/** A BCP 47 tag, reduced to its ISO 639-1 code (or 639-3, where there is none); `auto` and nothing mean: find out. */
export const languageSchema = z
  .string()
  .max(64)
  .transform((tag, { addIssue }) => {
    const code = requestedLanguage(tag);
    if (code === undefined) addIssue({ code: 'custom', message: wrong('not-a-language') });
    return code ?? null;
  })
  .nullable();

/** A title on one line, without overrides of its direction. Empty where there is nothing else. */
export const titleSchema = z
  .string()
  .max(titleMax)
  .transform((text) => plainTitle(text.normalize('NFC')).replaceAll(/\s+/g, ' ').trim());

/** A number out of a path; -1 for anything else, which names nothing. */
export const numberIn = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : -1);

/** What a person is called, on one line. Empty where there is nothing else. */
export const nameSchema = z
  .string()
  .max(200)
  .transform((text) => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim());

/** What a folder, tag or group is called. */
export const shortNameSchema = nameSchema
  .refine((name) => name !== '', wrong('field-empty'))
  .pipe(z.string().max(orderNameMax));

/** A time as a clock had it, however wrong it went: RFC 3339 with a zone. */
export const clockTimeSchema = z.iso.datetime({ offset: true, error: wrong('not-a-time') });

/** A moment, RFC 3339 with a zone; from 1900 on, not in the future. */
export const momentSchema = clockTimeSchema.refine((text) => {
  const moment = Date.parse(text);
  return moment >= Date.UTC(1900, 0, 1) && moment <= Date.now() + 86_400_000;
}, wrong('time-out-of-range'));

/** A client that sends a byte now and then would otherwise keep a connection for hours, without a login. */
const bodyInTime = <T>(parsed: Promise<T>): Promise<T> =>
  inTime(limits.jsonBodyMs, parsed, () => {
    const seconds = limits.jsonBodyMs / 1000;
    throw new Problem('too-slow', {
      said: detail('body-late', { limit: seconds }),
      headers: { Connection: 'close' },
    });
  });

/**
 * The body of a request as JSON; undefined without a body. What would keep the event loop busy (deep
 * nesting, tens of thousands of values) is refused before it is parsed.
 * @throws {Problem} 400, 413, 415
 */
async function readJson(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new Problem('unsupported-media', { said: detail('content-encoding') });
  }
  const text = (await readAtMost(request, bytesMax)).toString('utf8');
  if (text === '') return undefined;
  if (!isBounded(text)) {
    throw new Problem('too-large', { said: detail('body-too-deep') });
  }
  try {
    return JSON.parse(text, withoutPrototype);
  } catch (cause) {
    throw new Problem('malformed-body', { said: detail('body-not-json'), cause });
  }
}

async function readAtMost(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  // The answer goes out over the same connection.
  const coming = request.iterator({ destroyOnReturn: false });
  return await bytesUpTo(coming, bytesMax, () => tooLarge(bytesMax));
}

const tooLarge = (bytesMax: number): Problem =>
  new Problem('too-large', {
    said: detail('body-too-large', { limit: bytesMax }),
    headers: { Connection: 'close' },
  });

/** Looks at the characters only, so that it takes milliseconds for a megabyte of anything. */
function isBounded(text: string): boolean {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === backslash) at += 1;
      else if (character === quote) inString = false;
    } else if (character === quote) inString = true;
    else if (character === comma) values += 1;
    else if (character === openBrace || character === openBracket) {
      depth += 1;
      values += 1;
    } else if (character === closeBrace || character === closeBracket) depth -= 1;
    if (depth > limits.jsonDepthMax || values > limits.jsonValuesMax) return false;
  }
  return true;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** `__proto__` as a key would be another object's prototype once the value is copied. */
function withoutPrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('__proto__ is not allowed as a key');
  return value;
}

/** Whether at least so many speakers are no more than at most so many. */
export const speakersInOrder = ({
  speakers_min: min,
  speakers_max: max,
}: {
  speakers_min?: number | undefined;
  speakers_max?: number | undefined;
}): boolean => min === undefined || max === undefined || min <= max;

/** What is said of limits that are not in order. */
export const outOfOrder = { path: ['speakers_max'], error: wrong('speakers-limits') };

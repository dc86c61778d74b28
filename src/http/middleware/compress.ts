import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Middleware, Context } from 'koa';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';

/**
 * Compresses answers that are text, whole in memory and large enough, for clients that take that. Streams (audio,
 * exports) and what is compressed already stay as they are. Only of GET and HEAD: tokens and tickets are handed out in
 * answers to POST, and the size of what is compressed together with them could tell of them (BREACH).
 *
 * An `ETag` stays the same: it names what is said, for `If-Match`, and no part of a text can be asked for.
 */
export function compressAnswers(): Middleware<State> {
  const kept = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();

  /** A `Buffer` is never changed: one that is answered again (the statechart) is compressed once. */
  const compressedOnce = (bytes: Buffer, encoding: Encoding): Promise<Buffer> => {
    const made = kept.get(bytes) ?? new Map<Encoding, Promise<Buffer>>();
    kept.set(bytes, made);
    const present = made.get(encoding);
    if (present !== undefined) return present;
    const making = compress[encoding](bytes);
    made.set(encoding, making);
    making.catch(() => made.delete(encoding));
    return making;
  };

  return async (ctx, next) => {
    await next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return;
    if (!ctx.body || ctx.res.hasHeader('Content-Encoding')) return;
    if (!ctx.type.startsWith('text/') && ctx.type !== 'application/json') return;
    const whole = wholeOf(ctx.body);
    if (whole === null) return;
    if (whole !== ctx.body) ctx.body = whole;
    if (Buffer.byteLength(whole) < limits.compressedBytesMin) return;
    ctx.vary('Accept-Encoding');
    const encoding = encodingFor(ctx);
    if (encoding === undefined) return;
    const bytes = typeof whole === 'string' ? Buffer.from(whole) : whole;
    ctx.body = await compressedOnce(bytes, encoding);
    ctx.set('Content-Encoding', encoding);
  };
}

/** Content encodings, best first. */
export const encodings = ['br', 'gzip'] as const;

export type Encoding = (typeof encodings)[number];

/**
 * The best of `offered` that the client takes; undefined: it takes what is not compressed. Browsers name all they
 * know as equally welcome, so which is best is ours to say.
 */
export const encodingFor = (
  ctx: Pick<Context, 'acceptsEncodings'>,
  offered: readonly Encoding[] = encodings,
): Encoding | undefined => offered.find((name) => ctx.acceptsEncodings(name) === name);

/** As Koa would send it, which then need not make it once more; null of a stream. */
function wholeOf(body: unknown): Buffer | string | null {
  if (Buffer.isBuffer(body) || typeof body === 'string') return body;
  const isData = Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype;
  return isData ? JSON.stringify(body) : null;
}

/** Outside the event loop. Little of what more work would save: it is done for every answer. */
const compress: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: async (bytes) =>
    await promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: async (bytes) => await promisify(gzip)(bytes, { level: 1 }),
};

import type { Context } from 'koa';

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

import type { Context } from 'koa';
import type { IncomingMessage } from 'node:http';
import { type Language, type Sentence, languages } from '../words/params.ts';
import type { Waiting } from '../recordings/stages/stage-progress.ts';
import { type Hearer, sayTo, shownTo } from '../words/say.ts';

/** What the client would rather read (`Accept-Language`). */
export const languageWanted = (ctx: Pick<Context, 'acceptsLanguages'>): Language =>
  languageOf(ctx.acceptsLanguages(...languages)) ?? 'en';

/** The same of a page for people, whose address may name the language (`?lang=`). */
export const languageOfPage = (
  ctx: Pick<Context, 'acceptsLanguages'>,
  lang: string | undefined,
): Language => languageOf(lang) ?? languageWanted(ctx);

const languageOf = (tag: unknown): Language | undefined => languages.find((one) => one === tag);

/** The same of a request that no app answers; a WebSocket says it in its address. */
export function languageAsked({
  url,
  headers,
}: Pick<IncomingMessage, 'url' | 'headers'>): Language {
  const inAddress = languageOf(/[?&]language=([a-z]+)(?:&|$)/.exec(url ?? '')?.[1]);
  if (inAddress !== undefined) return inAddress;
  const wishes = (headers['accept-language'] ?? '').split(',').map((wish) => {
    const [, tag, quality = '1'] = /^\s*([a-z]+)[^;]*(?:;\s*q=([\d.]+))?/i.exec(wish) ?? [];
    return { tag: tag?.toLowerCase(), quality: Number(quality) };
  });
  const best = (tag: Language): number =>
    Math.max(0, ...wishes.filter((wish) => wish.tag === tag).map(({ quality }) => quality));
  return languages.reduce((first, tag) => (best(tag) > best(first) ? tag : first));
}

/** Who reads: what somebody can do about a failure depends on whether it is theirs to do. */
export type Reader = { language: Language; isAdmin: boolean };

type FailureKept = { message: string | null; reason: Sentence | null };

/**
 * Why a recording failed, as somebody reads it: addresses, folders and commands of the server are for administrators.
 * `reason`: the same for programs; null where only an earlier release's sentence is kept.
 */
export function errorIn<E extends FailureKept>(reader: Reader, error: E) {
  const { reason } = error;
  const hearer = hearerOf(reader);
  const message = reason && sayTo(hearer, reason, reader.language);
  return message
    ? { ...error, message, reason: shownTo(hearer, reason) }
    : { ...error, reason: null };
}

/** What a stage waits for, as somebody reads it. */
export const waitingIn = (reader: Reader, waiting: Waiting | null) =>
  waiting && {
    ahead: waiting.ahead,
    since: waiting.since,
    for: heardBy(reader, waiting.for),
    code: waiting.for.code,
    cause: waiting.cause ? heardBy(reader, waiting.cause) : null,
  };

/** To whom a sentence is said. */
export const hearerOf = ({ isAdmin }: Reader): Hearer => (isAdmin ? 'administrators' : 'everyone');

/** A sentence as somebody reads it. */
export const heardBy = (reader: Reader, sentence: Sentence): string =>
  sayTo(hearerOf(reader), sentence, reader.language) ?? sentence.code;

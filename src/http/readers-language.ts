import type { Context } from 'koa';
import type { IncomingMessage } from 'node:http';
import { germanChecks } from '../doctor/german-checks.ts';
import { germanCluster } from '../doctor/german-cluster.ts';
import { type ToGerman, germanBy } from '../shared/german.ts';
import { knownLanguages } from '../shared/languages.ts';
import { germanLanguageNames, germanModels } from '../speech/catalogue/german-models.ts';
import type { Language, Sentence } from '../words/params.ts';
import { type Hearer, sayTo, shownTo } from '../words/say.ts';
import { wholePhrases } from '../words/whole-phrases.ts';
import { germanDetails } from './german-details.ts';

/** What the client would rather read (`Accept-Language`). */
export const languageWanted = (ctx: Pick<Context, 'acceptsLanguages'>): Language =>
  ctx.acceptsLanguages('en', 'de') === 'de' ? 'de' : 'en';

/** The same of a request that no app answers; a WebSocket says it in its address. */
export function languageAsked({
  url,
  headers,
}: Pick<IncomingMessage, 'url' | 'headers'>): Language {
  const inAddress = /[?&]language=(de|en)(?:&|$)/.exec(url ?? '')?.[1];
  if (inAddress !== undefined) return inAddress as Language;
  const wishes = (headers['accept-language'] ?? '').split(',').map((wish) => {
    const [, tag, quality = '1'] = /^\s*([a-z]+)[^;]*(?:;\s*q=([\d.]+))?/i.exec(wish) ?? [];
    return { tag: tag?.toLowerCase(), quality: Number(quality) };
  });
  const best = (tag: Language): number =>
    Math.max(0, ...wishes.filter((wish) => wish.tag === tag).map(({ quality }) => quality));
  return best('de') > best('en') ? 'de' : 'en';
}

let toGerman: ToGerman | undefined;

/** A sentence of the service in German, of whatever part of it; undefined where there is none. */
export function germanText(english: string): string | undefined {
  toGerman ??= germanBy(
    wholePhrases(),
    germanChecks,
    germanCluster,
    germanModels,
    germanLanguageNames(knownLanguages()),
    germanDetails,
  );
  return toGerman(english);
}

/** A sentence as it is read in a language: what is not known in German stays as it is. */
export const textIn = (language: Language, english: string): string =>
  (language === 'de' ? germanText(english) : undefined) ?? english;

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

/** To whom a sentence is said. */
export const hearerOf = ({ isAdmin }: Reader): Hearer => (isAdmin ? 'administrators' : 'everyone');

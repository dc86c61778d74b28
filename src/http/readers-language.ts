import type { Context } from 'koa';
import { germanReasons } from '../documents/german-reasons.ts';
import { germanChecks, germanTrials } from '../doctor/german-checks.ts';
import { germanCluster } from '../doctor/german-cluster.ts';
import { type ToGerman, germanBy } from '../shared/german.ts';
import { knownLanguages } from '../shared/languages.ts';
import { germanLanguageNames, germanModels } from '../speech/catalogue/german-models.ts';
import { germanDetails } from './german-details.ts';

/** Languages that the service speaks. */
export type Language = 'de' | 'en';

/** What the client would rather read (`Accept-Language`). */
export const languageWanted = (ctx: Pick<Context, 'acceptsLanguages'>): Language =>
  ctx.acceptsLanguages('en', 'de') === 'de' ? 'de' : 'en';

let toGerman: ToGerman | undefined;

/** A sentence of the service in German, of whatever part of it; undefined where there is none. */
export function germanText(english: string): string | undefined {
  toGerman ??= germanBy(
    germanReasons,
    germanTrials,
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

/** What a recording's answer says of how it came about, as somebody reads it. */
export function reasonsIn<
  Answer extends {
    notes: { text: string }[];
    error?: { message: string | null; code?: string } | null;
  },
>(reader: Reader, answer: Answer): Answer {
  const { language } = reader;
  const { notes, error } = answer;
  return {
    ...answer,
    notes: notes.map((note) => ({ ...note, text: textIn(language, note.text) })),
    ...(error ? { error: errorIn(reader, error) } : {}),
  };
}

/** Why a recording failed, as somebody reads it: commands and folders of the server are for administrators. */
export function errorIn<E extends { message: string | null; code?: string }>(
  { language, isAdmin }: Reader,
  error: E,
): E {
  const text = error.code === 'no-engine' && !isAdmin ? notSetUp : error.message;
  return { ...error, message: text && textIn(language, text) };
}

const notSetUp = 'Speech recognition is not set up yet. Ask an administrator.';

import { checkTitles } from './check-titles.ts';
import { checkTitlesInGerman } from './check-titles.de.ts';
import { checks, checksInGerman } from './checks.ts';
import { dataFailures } from './data-failures.ts';
import { dataFailuresInGerman } from './data-failures.de.ts';
import { details, detailsInGerman } from './details.ts';
import { failures, failuresInGerman } from './failures.ts';
import { fieldFaults } from './field-faults.ts';
import { fieldFaultsInGerman } from './field-faults.de.ts';
import { findings } from './findings.ts';
import { findingsInGerman } from './findings.de.ts';
import { frameWarnings } from './frame-warnings.ts';
import { frameWarningsInGerman } from './frame-warnings.de.ts';
import { models } from './models.ts';
import { modelsInGerman } from './models.de.ts';
import { noteWords, type Note } from './notes.ts';
import { labelsOfDocuments } from './labels-of-documents.ts';
import { labelsOfDocumentsInGerman } from './labels-of-documents.de.ts';
import { notesInGerman } from './notes.de.ts';
import type { Language, ParamValue, Sentence } from './params.ts';
import { problems, problemsInGerman } from './problems.ts';
import { suggestionReasons } from './suggestion-reasons.ts';
import { suggestionReasonsInGerman } from './suggestion-reasons.de.ts';
import {
  type WordCatalogue,
  type Spoken,
  type Given,
  type Words,
  textsIn,
  spoken,
  tellAdministrator,
} from './sentences.ts';
import { waitingWords } from './waiting.ts';
import { waitingInGerman } from './waiting.de.ts';

/** The English catalogue of each area: it decides which codes there are, and their parameters. */
const english = {
  problem: problems,
  detail: details,
  field: fieldFaults,
  failure: failures,
  waiting: waitingWords,
  note: noteWords,
  label: labelsOfDocuments,
  suggestion: suggestionReasons,
  frame: frameWarnings,
  check: checks,
  'check-title': checkTitles,
  data: dataFailures,
  finding: findings,
  model: models,
} as const satisfies Record<string, WordCatalogue>;
export type Area = keyof typeof english;

/** Another language is an entry here, and a file beside each catalogue. */
const translations = {
  de: {
    problem: problemsInGerman,
    detail: detailsInGerman,
    field: fieldFaultsInGerman,
    failure: failuresInGerman,
    waiting: waitingInGerman,
    label: labelsOfDocumentsInGerman,
    note: notesInGerman,
    suggestion: suggestionReasonsInGerman,
    frame: frameWarningsInGerman,
    check: checksInGerman,
    'check-title': checkTitlesInGerman,
    data: dataFailuresInGerman,
    finding: findingsInGerman,
    model: modelsInGerman,
  },
} satisfies Record<Exclude<Language, 'en'>, { [A in Area]: Words<(typeof english)[A]> }>;

/** Every catalogue, by language and area. */
export const catalogues = { en: english, ...translations };

/**
 * Who reads a sentence. Documents outlive advice; what servers, files and settings are called is for administrators, Health
 * and the command line.
 */
export type Hearer = 'documents' | 'everyone' | 'administrators';

/**
 * What a sentence says in a language, by its parts; of sentences within it `detail` alone.
 * @param area where the sentence does not name its own
 * @returns undefined for a code that this release does not know (a fact of a newer one may hold it)
 */
export const say = (
  sentence: Sentence,
  language: Language,
  area: Area = 'failure',
): Spoken | undefined =>
  spokenIn(sentence, language, area, (inner) => say(inner, language)?.detail);

/** All that a reader is told by a sentence, sentences within it included. @returns as `say` */
export function sayTo(hearer: Hearer, sentence: Sentence, language: Language): string | undefined {
  const spoken = spokenIn(sentence, language, 'failure', (inner) => sayTo(hearer, inner, language));
  if (!spoken) return undefined;
  const said = [spoken.detail, ...rest[hearer](spoken)];
  const isOwnTask = hearer === 'administrators' && spoken.admin !== undefined;
  return said
    .filter((part) => part && !(isOwnTask && part === tellAdministrator[language]))
    .join(' ');
}

const rest = {
  documents: () => [],
  everyone: ({ todo }) => [todo],
  administrators: ({ todo, admin }) => [todo, admin],
} as const satisfies Record<Hearer, (spoken: Spoken) => (string | undefined)[]>;

/** A sentence whole in English, for the log and for releases that know no codes. */
export const inEnglish = (sentence: Sentence): string => sayWhole(sentence, 'en');

/** What an error's `message` is: a sentence in English, or what is for programmers. */
export const messageFor = (said: string | Sentence): string =>
  typeof said === 'string' ? said : inEnglish(said);

/** The sentence of an error that has one. */
export const sentenceFor = (said: string | Sentence): Sentence | undefined =>
  typeof said === 'string' ? undefined : said;

/** A sentence as programs get it: parameters that an administrator's part alone names are for administrators. */
export function shownTo(
  hearer: Hearer,
  { area = 'failure', code, params = {} }: Sentence,
): Pick<Sentence, 'code' | 'params'> {
  const { admin: _, ...texts } = entryOf(area, code)?.texts ?? { detail: '' };
  const open = JSON.stringify(texts);
  const shown = Object.entries(params)
    .filter(([name]) => hearer === 'administrators' || open.includes(`{${name}}`))
    .map(([name, value]) => [name, shownValue(hearer, value)]);
  return { code, ...(shown.length > 0 && { params: Object.fromEntries(shown) }) };
}

/** A sentence within a sentence has parameters of its own. */
function shownValue(hearer: Hearer, value: ParamValue): ParamValue {
  if (typeof value !== 'object') return value;
  if ('code' in value) return shownTo(hearer, value);
  return value.map((one) => (typeof one === 'string' ? one : shownTo(hearer, one))) as ParamValue;
}

/** A sentence whole, for who runs the server; its code where this release does not know that. */
export const sayWhole = (sentence: Sentence, language: Language): string =>
  sayTo('administrators', sentence, language) ?? sentence.code;

function entryOf(area: string, code: string): WordCatalogue[string] | undefined {
  if (!Object.hasOwn(english, area)) return undefined;
  const catalogue: WordCatalogue = catalogues.en[area as Area];
  return Object.hasOwn(catalogue, code) ? catalogue[code] : undefined;
}

function spokenIn(
  { area: own, code, params = {} }: Sentence,
  language: Language,
  area: Area,
  within: (sentence: Sentence) => string | undefined,
): Spoken | undefined {
  const named = own ?? area;
  const entry = entryOf(named, code);
  if (!entry) return undefined;
  const translated: Readonly<Record<string, Given>> | undefined =
    language === 'en' ? undefined : translations[language][named as Area];
  return spoken(entry, textsIn(translated?.[code] ?? entry.texts), params, { language, within });
}

/** Notes as somebody reads them, a text each. One cause has several consequences: it is said with the first. */
export function sayNotes(hearer: Hearer, notes: readonly Note[], language: Language): string[] {
  const known = new Set<string>();
  return notes.map(({ detail, params = {}, ...note }) => {
    const { cause, ...others } = params;
    const why = detail ?? (cause === undefined ? undefined : JSON.stringify(cause));
    const isKnown = why !== undefined && known.has(why);
    if (why !== undefined) known.add(why);
    const sentence = { area: 'note', ...note, params: isKnown ? others : params };
    return [sayTo(hearer, sentence, language) ?? note.code, isKnown ? undefined : detail]
      .filter((part) => part !== undefined)
      .join(' ');
  });
}

import { checkTitles } from './check-titles.ts';
import { checkTitlesInGerman } from './check-titles.de.ts';
import { checks, checksInGerman } from './checks.ts';
import { detailsOfDevices } from './details-of-devices.ts';
import { detailsOfDevicesInGerman } from './details-of-devices.de.ts';
import { detailsOfRecordings } from './details-of-recordings.ts';
import { detailsOfRecordingsInGerman } from './details-of-recordings.de.ts';
import { detailsOfServer } from './details-of-server.ts';
import { detailsOfServerInGerman } from './details-of-server.de.ts';
import { failures, failuresInGerman } from './failures.ts';
import { fieldFaults } from './field-faults.ts';
import { fieldFaultsInGerman } from './field-faults.de.ts';
import { frameWarnings } from './frame-warnings.ts';
import { frameWarningsInGerman } from './frame-warnings.de.ts';
import { models } from './models.ts';
import { modelsInGerman } from './models.de.ts';
import { noteWords } from './notes.ts';
import { notesInGerman } from './notes.de.ts';
import type { Language, Sentence } from './params.ts';
import { problems } from './problems.ts';
import { problemsInGerman } from './problems.de.ts';
import { suggestionReasons } from './suggestion-reasons.ts';
import { suggestionReasonsInGerman } from './suggestion-reasons.de.ts';
import { type WordCatalogue, type Spoken, type Texts, type Words, spoken } from './sentences.ts';
import { waitingWords } from './waiting.ts';
import { waitingInGerman } from './waiting.de.ts';

const details = { ...detailsOfRecordings, ...detailsOfDevices, ...detailsOfServer };

/** The English catalogue of each area: it decides which codes there are, and their parameters. */
const english = {
  problem: problems,
  detail: details,
  field: fieldFaults,
  failure: failures,
  waiting: waitingWords,
  note: noteWords,
  suggestion: suggestionReasons,
  frame: frameWarnings,
  check: checks,
  'check-title': checkTitles,
  model: models,
} as const satisfies Record<string, WordCatalogue>;
export type Area = keyof typeof english;

/** Another language is an entry here, and a file beside each catalogue. */
const translations = {
  de: {
    problem: problemsInGerman,
    detail: {
      ...detailsOfRecordingsInGerman,
      ...detailsOfDevicesInGerman,
      ...detailsOfServerInGerman,
    },
    field: fieldFaultsInGerman,
    failure: failuresInGerman,
    waiting: waitingInGerman,
    note: notesInGerman,
    suggestion: suggestionReasonsInGerman,
    frame: frameWarningsInGerman,
    check: checksInGerman,
    'check-title': checkTitlesInGerman,
    model: modelsInGerman,
  },
} satisfies Record<Exclude<Language, 'en'>, { [A in Area]: Words<(typeof english)[A]> }>;

/**
 * What a sentence says in a language.
 * @param area where the sentence does not name its own
 * @returns undefined for a code that this release does not know (a fact of a newer one may hold it)
 */
export function say(
  sentence: Sentence,
  language: Language,
  area: Area = 'failure',
): Spoken | undefined {
  const named = sentence.area ?? area;
  if (!Object.hasOwn(english, named)) return undefined;
  const catalogue: WordCatalogue = english[named as Area];
  if (!Object.hasOwn(catalogue, sentence.code)) return undefined;
  const entry = catalogue[sentence.code]!;
  const own: Readonly<Record<string, Texts>> | undefined =
    language === 'en' ? undefined : translations[language][named as Area];
  return spoken(entry, own?.[sentence.code] ?? entry.texts, sentence.params ?? {}, {
    language,
    within: (inner) => say(inner, language)?.detail,
  });
}

/** A sentence whole in English, for the log and for releases that know no codes. */
export const inEnglish = (sentence: Sentence): string => sayWhole(sentence, 'en') ?? sentence.code;

/** A sentence whole, for who runs the server: what it says, and what only administrators are told. */
export function sayWhole(sentence: Sentence, language: Language): string | undefined {
  const said = say(sentence, language);
  return said && [said.detail, said.todo, said.admin].filter(Boolean).join(' ');
}

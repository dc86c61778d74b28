import type { WordsOf } from './words-held.ts';
import { peopleGiven } from '../../projections/recording/people-given.ts';
import type { Recording } from '../../projections/recording/recording.ts';

/** Names and terms that may be said in a recording, the most useful first. */
export type TermsOf = (recording: Recording, owner: string) => Promise<readonly string[]>;

/** Of a run. More would not fit into what models take. */
const termsMax = 500;
const termCharactersMax = 64;

/** The terms of a setting: commas, semicolons or lines stand between them. */
export const termsIn = (text: string | null): string[] =>
  (text ?? '')
    .split(/[,;\n]/u)
    .map((term) => term.replaceAll(/\s+/gu, ' ').trim())
    .filter((term) => term !== '' && term.length <= termCharactersMax);

/**
 * The terms of a recording: the people given with it, then the words of its folder, its owner and the house, then the list
 * of the settings, then the names that its owner confirmed, those named last first.
 */
export const openTerms =
  (deps: {
    peopleOf(owner: string): Promise<readonly string[]>;
    wordsOf: WordsOf;
    /** `stt.terms` */
    listed(): string | null;
  }): TermsOf =>
  async (recording, given) => {
    // It may be handed over while a stage is at work.
    const owner = recording.files.owner ?? given;
    const terms = [
      ...peopleGiven(recording),
      ...(await deps.wordsOf(recording, owner)).map(({ write }) => write),
      ...termsIn(deps.listed()),
      ...(await deps.peopleOf(owner)),
    ];
    const seen = new Set<string>();
    const isNew = (term: string) => !seen.has(term.toLowerCase()) && seen.add(term.toLowerCase());
    return terms.filter(isNew).slice(0, termsMax);
  };

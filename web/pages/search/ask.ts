/** Questions to all notes, or to those that match the filters. */
import { type Answer, type Asker, openAsker } from '../../questions/asking.ts';
import { type Filter, isEverything, queryOf } from '../home/library/filter.ts';
import { dates } from '../../words/i18n.ts';
import { words } from './words.ts';

export type AskedOfAll = { question: string; filter: Filter };

export const openAskerOfAll = (): Asker<AskedOfAll> =>
  openAsker({
    bodyOf: ({ question, filter }) => ({ question, ...queryOf(filter) }),
    reading: () => words.get().reading,
    noneOf,
  });

/** What is said of an answer without lines. */
export function noneOf({ filter }: AskedOfAll, { searched }: Answer): string {
  if (!searched.complete) return words.get().noneFound;
  if (searched.when !== null) return words.get().noneOfThenSays;
  return isEverything(filter) ? words.get().noneSays : words.get().noneOfTheseSays;
}

/** What the question itself says of when, so that notes of then alone were searched; empty: nothing. */
export function searchedOnly({ searched: { when, recordings } }: Answer): string {
  if (when === null) return '';
  if (when.latest) return recordings === 0 ? '' : words.get().latestSearched(recordings);
  const [from, to] = [when.from, when.to].map((at) =>
    at === null ? null : dates.get().fullDay(at),
  );
  if (!from || !to) return from ? words.get().sinceSearched({ from }) : '';
  return from === to
    ? words.get().daySearched({ day: from })
    : words.get().spanSearched({ from, to });
}

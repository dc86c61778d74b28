/** Questions to all notes, or to those that match the filters. */
import { type Answer, type Asker, openAsker } from '../../questions/asking.ts';
import { type Filter, isEverything, queryOf } from '../home/library/filter.ts';
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
  return isEverything(filter) ? words.get().noneSays : words.get().noneOfTheseSays;
}

import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { EventStore } from '../../events/store.ts';

/** At most this many facts are folded in one batch. */
export const foldedFactsMax = 2000;
/** At most this much content: a fact weighs 1, one with text more, by how much text its type may hold. */
const pageWeightMax = 4000;

/**
 * The facts after a position, as many as a page may hold.
 * `ended`: there were no more in the log.
 */
export async function readPage(
  store: EventStore,
  afterPosition: number,
  factsMax: number = foldedFactsMax,
): Promise<{ facts: LoggedFact[]; ended: boolean }> {
  const facts: LoggedFact[] = [];
  const limit = Math.min(factsMax, foldedFactsMax);
  let weight = 0;
  for await (const fact of store.readAll({ afterPosition, limit })) {
    facts.push(fact);
    weight += weightOf(fact);
    if (weight >= pageWeightMax) return { facts, ended: false };
  }
  return { facts, ended: facts.length < limit };
}

/**
 * The facts after a position up to the end of the log, many at a time: in catching up, what a page
 * costs besides its facts (rows looked up, a commit) counts.
 */
export async function* factPages(
  store: EventStore,
  afterPosition: number,
): AsyncGenerator<LoggedFact[], void, void> {
  let held: LoggedFact[] = [];
  let weight = 0;
  try {
    for await (const page of store.pages({ afterPosition })) {
      if (held.length > 0 && held.length + page.length > foldedFactsMax) {
        yield held;
        held = [];
        weight = 0;
      }
      held = held.length === 0 ? page : held.concat(page);
      for (const fact of page) weight += weightOf(fact);
      if (weight < pageWeightMax && held.length < foldedFactsMax) continue;
      yield held;
      held = [];
      weight = 0;
    }
  } catch (error) {
    // What lies before damage counts.
    if (held.length > 0) yield held;
    throw error;
  }
  if (held.length > 0) yield held;
}

/** Whole transcripts weigh as much as a page of plain facts may have beside them. */
const heavy: ReadonlySet<string> = new Set(['turns.joined', 'transcript.punctuated']);

const weightOf = (fact: LoggedFact): number => {
  if (fact.content === undefined) return 1;
  return heavy.has(fact.type) ? 400 : 20;
};

import type { NameQuote } from '../../events/facts/results.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { streamSafe } from '../../src/shared/stream-safe.ts';

/** Who a label may be. `reason`: a quote in “ ”, or a code (`named-before`, `named-live`, `only-one-left`, `voice`). */
export type SuggestedName = { name: string; confidence: number; reason: string };

export type IdentifiedName = {
  name: string;
  confidence: number;
  quotes?: readonly NameQuote[] | undefined;
};
export type NameForLabel = { label: string } & SuggestedName;

export type NameSources = {
  turns: readonly Block[];
  /** Names that a language model found, with what was said that they rest on. */
  identified: readonly IdentifiedName[];
  /** Names of an earlier version of the same recording. */
  carried: ReadonlyMap<string, { name: string; confidence: number }>;
  /** Voices that sound like a person who was confirmed before, and those that were named while it was recorded. */
  voices: readonly NameForLabel[];
  /** Names given with the recording. */
  people: readonly string[];
};

/** How much it says for a label that its speaker says a name as their own. */
const selfWeight = 0.9;
/** Who is called by name often speaks next, or has just spoken. Together never more than `addressedMax`. */
const addressedWeight = { near: 0.4, far: 0.15 };
const addressedMax = 0.5;
/** Of a name that two labels have, one is wrong, or both are one person. */
const sharedMax = 0.3;
const onlyOneLeft = 0.25;

/**
 * A name for each label that has one that something speaks for: quotes of the talk by the turns they are in,
 * names of an earlier version, voices, and names given with the recording. Different sources that say the same
 * add up. A person confirms them. Pure, linear in turns times quotes.
 */
export function suggestNames(sources: NameSources): Map<string, SuggestedName> {
  const { turns, identified, carried, voices, people } = sources;
  const labels = [...new Set(turns.flatMap(({ speaker }) => (speaker === null ? [] : [speaker])))];
  const spelled = spellings(people);
  const found: NameForLabel[] = [
    ...[...carried].map(([label, one]) => ({ label, ...one, reason: 'named-before' })),
    ...voices,
    ...identified.flatMap((one) => byQuotes(one, turns)),
  ].map((one) => ({ ...one, name: spelled(one.name) }));
  const best = new Map<string, SuggestedName>();
  for (const label of labels) {
    const [first] = summedUp(found.filter((one) => one.label === label));
    if (first && first.confidence > 0) best.set(label, first);
  }
  const rest = leftOver(labels, people, best);
  if (rest) best.set(rest.label, { name: rest.name, confidence: onlyOneLeft, reason: rest.reason });
  return new Map([...best].map(([label, one]) => [label, { ...one, ...lowered(one, best) }]));
}

/** The labels a name's quotes speak for. */
function byQuotes({ name, confidence, quotes = [] }: IdentifiedName, turns: readonly Block[]) {
  const self: NameForLabel[] = [];
  const addressed: NameForLabel[] = [];
  for (const { text, start, end, how } of quotes) {
    const at = turnOf(turns, start, end);
    const label = turns[at]?.speaker ?? null;
    if (label === null) continue;
    const reason = `“${text}”`;
    if (how === 'said_by_self')
      self.push({ label, name, confidence: selfWeight * confidence, reason });
    else {
      for (const { label: other, weight } of neighbours(turns, at, start))
        addressed.push({ label: other, name, confidence: weight * confidence, reason });
    }
  }
  if (self.length > 0) return self;
  const labels = [...new Set(addressed.map(({ label }) => label))];
  const sums = labels.flatMap((label) =>
    summedUp(addressed.filter((one) => one.label === label)).map((sum) => ({ label, ...sum })),
  );
  // Called by name is one person: the label that most speaks for.
  const most = sums.toSorted((a, b) => b.confidence - a.confidence).slice(0, 1);
  return most.map((one) => ({ ...one, confidence: Math.min(addressedMax, one.confidence) }));
}

/** Index of the turn that most of a span's words are in; -1 where nobody speaks. */
function turnOf(turns: readonly Block[], start: number, end: number): number {
  let best = -1;
  let most = 0;
  for (const [at, turn] of turns.entries()) {
    if (turn.start > end || turn.end < start) continue;
    const inside = turn.words.filter((word) => word.end > start && word.start < end).length;
    const overlap = Math.min(turn.end, end) - Math.max(turn.start, start);
    const share = turn.words.length > 0 ? inside + overlap / 1000 : overlap;
    if (share > most) [best, most] = [at, share];
  }
  return best;
}

/** The next to speak and the last who spoke: who is greeted at the end of a turn, and who is thanked at its beginning. */
function neighbours(turns: readonly Block[], at: number, start: number) {
  const turn = turns[at]!;
  const isOther = ({ speaker }: Block) => speaker !== null && speaker !== turn.speaker;
  const next = turns.slice(at + 1, at + 1 + turnsLooked).find(isOther)?.speaker;
  const last = turns.slice(Math.max(0, at - turnsLooked), at).findLast(isOther)?.speaker;
  const isEarly = start - turn.start < (turn.end - turn.start) / 2 && last !== undefined;
  const { near, far } = addressedWeight;
  return [
    { label: next, weight: isEarly ? far : near },
    { label: last, weight: isEarly ? near : far },
  ].flatMap(({ label, weight }) => (label ? [{ label, weight }] : []));
}

/** A speech is cut into several turns; beyond so many nobody remembers who was called. */
const turnsLooked = 6;

/** One entry a name: what speaks for it independently adds up; the strongest reason. Best first. */
function summedUp(found: readonly SuggestedName[]): SuggestedName[] {
  const names = new Map<string, { doubt: number; strongest: SuggestedName }>();
  for (const { name, confidence, reason } of found) {
    const key = foldedName(name);
    const before = names.get(key);
    const doubt = (before?.doubt ?? 1) * (1 - Math.min(1, Math.max(0, confidence)));
    const isStronger = !before || confidence > before.strongest.confidence;
    const strongest = isStronger ? { name, confidence, reason } : before.strongest;
    names.set(key, { doubt, strongest });
  }
  return [...names.values()]
    .map(({ doubt, strongest }) => ({ ...strongest, confidence: 1 - doubt }))
    .toSorted((a, b) => b.confidence - a.confidence);
}

/** As sure as one can be of a name that another label has too. In hundredths. */
function lowered(
  { name, confidence }: SuggestedName,
  all: ReadonlyMap<string, SuggestedName>,
): { confidence: number } {
  const same = [...all.values()].filter((one) => foldedName(one.name) === foldedName(name));
  const sure = same.length > 1 ? Math.min(sharedMax, confidence) : confidence;
  return { confidence: Math.round(sure * 100) / 100 };
}

/** Where as many people were named as were heard, and one of each is left, they are likely the same. */
function leftOver(
  labels: readonly string[],
  people: readonly string[],
  best: ReadonlyMap<string, SuggestedName>,
): NameForLabel | undefined {
  if (labels.length !== people.length) return undefined;
  const taken = new Set([...best.values()].map(({ name }) => foldedName(name)));
  const [name, ...otherNames] = people.filter((one) => !taken.has(foldedName(one)));
  const [label, ...otherLabels] = labels.filter((one) => !best.has(one));
  if (name === undefined || label === undefined) return undefined;
  if (otherNames.length + otherLabels.length > 0) return undefined;
  return { label, name, confidence: onlyOneLeft, reason: 'only-one-left' };
}

/** “Anna” is Anna Schmidt where one Anna was named, and is written as she was. */
function spellings(people: readonly string[]): (name: string) => string {
  const key = people.map((person) => [person, foldedName(person)] as const);
  return (name) => {
    const folded = foldedName(name);
    const same = key.find(([, one]) => one === folded);
    const [part, ...others] = key.filter(([, one]) => one.split(' ').includes(folded));
    return same?.[0] ?? (part && others.length === 0 ? part[0] : name);
  };
}

/** A name as it is compared: without case, accents composed, one space between its parts. */
export const foldedName = (name: string): string =>
  streamSafe(name).normalize('NFC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();

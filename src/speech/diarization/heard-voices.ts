import type { Segment } from '../../../events/facts/transcript.ts';
import { similarity } from '../../../projections/recording/voices.ts';
import { requestOf } from '../answer-speakers.ts';
import {
  type SpokenTurn,
  type WindowVoice,
  isReliable,
  joinMin,
  joinShortMin,
  unit,
} from './windows.ts';

/** Whom a recogniser heard by its own answers. */
export type ToldVoices = {
  /** As the answers name them, in the order in which they first occur. */
  names: string[];
  /** Speakers are indices of the names. */
  turns: SpokenTurn[];
  /** The requests in which each name occurs, and how many there were. */
  requests: ReadonlySet<number>[];
  requestCount: number;
};

/** Part of the speech that must have a speaker for the recogniser's speakers to count. */
const toldMin = 0.5;
/** Requests overlap by less, seconds. */
const borderSeconds = 5;
/** More are no answer: a name for each sentence, say. */
const namesMax = 400;

/** Who spoke when, as the recogniser said; null where it did not, or of too little. Pure. */
export function heardVoices(segments: readonly Segment[]): ToldVoices | null {
  const names: string[] = [];
  const indexOf = new Map<string, number>();
  const turns: SpokenTurn[] = [];
  let seconds = 0;
  let told = 0;
  for (const { start, end, speaker } of segments) {
    seconds += end - start;
    if (speaker === undefined) continue;
    told += end - start;
    let index = indexOf.get(speaker);
    if (index === undefined) indexOf.set(speaker, (index = names.push(speaker) - 1));
    turns.push([start, end, index]);
  }
  if (names.length === 0 || names.length > namesMax || told < toldMin * seconds) return null;
  // A request is called by the second at which it begins.
  const begins = [...new Set(names.map((name) => Number(requestOf(name) ?? 0)))].toSorted(
    (a, b) => a - b,
  );
  const requests = names.map(() => new Set<number>());
  for (const [start, , index] of turns) {
    const own = begins.indexOf(Number(requestOf(names[index]!) ?? 0));
    // Speech at a border may be of either request; one that an earlier request named may be known to later ones.
    const at = begins.findLastIndex((begin) => begin <= start - borderSeconds);
    requests[index]!.add(Math.max(own, at));
  }
  return { names, turns, requests, requestCount: begins.length };
}

/**
 * Which of them are one person: speakers of different requests by how they sound, the most similar first; two
 * of one request never. Pure.
 * @param voices of each name, in their order
 * @param speakers how many people speak; null when unknown
 * @returns for each name the number of its person, counted from 0
 */
export function samePeople(
  { names, requests }: Pick<ToldVoices, 'names' | 'requests'>,
  voices: readonly WindowVoice[],
  speakers: number | null,
): number[] {
  if (speakers === 1) return names.map(() => 0);
  const groups = names.map((_, i) => ({ names: [i], requests: requests[i]! }));
  const pairs = names.flatMap((_, a) =>
    names.slice(a + 1).map((__, i) => {
      const b = a + 1 + i;
      const [one, other] = [voices[a], voices[b]];
      const isSure = one && other && isReliable(one) && isReliable(other);
      const alike = similarity(one?.embedding ?? null, other?.embedding ?? null);
      return { a, b, alike, isAlike: alike >= (isSure ? joinMin : joinShortMin) };
    }),
  );
  for (const { a, b, alike, isAlike } of pairs.toSorted((x, y) => y.alike - x.alike)) {
    // As long as there are too many, those who sound most alike are one.
    const isTooMany = speakers !== null && groups.length > speakers && alike > -1;
    if (!(speakers === null ? isAlike : isTooMany)) continue;
    const one = groups.find((group) => group.names.includes(a))!;
    const other = groups.find((group) => group.names.includes(b))!;
    const meet = [...one.requests].some((request) => other.requests.has(request));
    if (one === other || meet) continue;
    one.names.push(...other.names);
    one.requests = new Set([...one.requests, ...other.requests]);
    groups.splice(groups.indexOf(other), 1);
  }
  return names.map((_, i) => groups.findIndex((group) => group.names.includes(i)));
}

/** How one person sounds by several embeddings; null of none. Pure. */
export function meanVoice(
  voices: readonly WindowVoice[],
): { seconds: number; embedding: number[] } | null {
  let sum: number[] | null = null;
  let seconds = 0;
  for (const { embedding, seconds: own } of voices) {
    if (!embedding) continue;
    seconds += own;
    sum = embedding.map((value, i) => (sum?.[i] ?? 0) + value * own);
  }
  return sum && { seconds, embedding: unit(sum) };
}

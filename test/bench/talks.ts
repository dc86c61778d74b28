import { type Random, seeded } from '../support/seeded.ts';

/** Words of a talk of about ten minutes. */
const wordsEach = 1500;
const syllables =
  'ba be bi da de der di en er ge ha hei in ka ko lich ma me ne no ra re sa sch se ta te tra un ver vor zu'.split(
    ' ',
  );

const invented = (random: Random): string =>
  Array.from({ length: 2 + random.below(4) }, () => random.pick(syllables)).join('');

/** Invented words, the same in each process. */
export const vocabulary: readonly string[] = ((random) =>
  Array.from({ length: 60_000 }, () => invented(random)))(seeded(1));

/** Zipf's law: the n-th word is said n times less often than the first. */
export const said = (random: Random): string =>
  vocabulary[Math.floor(vocabulary.length ** random.next()) - 1]!;

/** What is said in the talk of that number: always the same. */
export function talk(number: number): string {
  const own = seeded(number + 1);
  return Array.from({ length: wordsEach }, () => said(own)).join(' ');
}

/** A question: the beginning of a rare word, or a word and a rare one. */
export function askedOfTalks(random: Random): string[] {
  const rare = vocabulary[100 + random.below(vocabulary.length - 100)]!;
  return random.chance(0.5) ? [rare.slice(0, 5)] : [said(random), rare];
}

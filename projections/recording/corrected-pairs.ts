import { foldWord, wordsOf } from '../../src/shared/folded-words.ts';
import { streamSafe } from '../../src/shared/stream-safe.ts';
import { wordPatches } from '../../src/shared/word-patches.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { wordLimits } from '../words.ts';

/** What a person wrote in place of what was heard. */
export type CorrectedPair = { heard: string; write: string };

/** Of one correction: who writes a passage anew corrects no words. */
const pairsMax = 20;
/** Words of one place: longer ones are no term. */
const wordsMax = 4;
/** Letters of what was heard, folded: less would be found everywhere. */
const heardLettersMin = 2;

/**
 * The words that a correction put in place of others. None where only case, accents or marks differ, and none where it takes
 * back what a word of a list replaced. Pure.
 */
export function correctedPairs(before: Pick<Block, 'text' | 'replaced'>, text: string) {
  const [old, fresh] = [[...wordsOf(before.text)], [...wordsOf(text)]];
  const patches = wordPatches(
    old.map(({ word }) => word),
    fresh.map(({ word }) => word),
  );
  const pairs = new Map<string, CorrectedPair>();
  let shift = 0;
  for (const { from, to, inserted } of patches) {
    const heard = partOf(before.text, old.slice(from, to));
    const write = partOf(text, fresh.slice(from + shift, from + shift + inserted.length));
    shift += inserted.length - (to - from);
    if (Math.max(to - from, inserted.length) > wordsMax || !isTerm(heard) || !isTerm(write))
      continue;
    const folded = foldedText(heard);
    if (folded.length < heardLettersMin || folded === foldedText(write)) continue;
    const isBack = (before.replaced ?? []).some(
      (one) => foldedText(one.write) === folded && foldedText(one.heard) === foldedText(write),
    );
    if (!isBack) pairs.set(pairKey({ heard, write }), { heard, write });
  }
  return [...pairs.values()].slice(0, pairsMax);
}

/** The same for pairs that say the same: what was heard is compared folded. */
export const pairKey = ({ heard, write }: CorrectedPair): string =>
  JSON.stringify([foldedText(heard), write]);

/** The words of a text in the form in which they are compared. */
export const foldedText = (text: string): string =>
  Array.from(wordsOf(text), ({ word }) => foldWord(word)).join(' ');

const partOf = (text: string, words: readonly { word: string; at: number }[]): string => {
  const [first, last] = [words[0], words.at(-1)];
  return first && last
    ? streamSafe(text.slice(first.at, last.at + last.word.length)).normalize('NFC')
    : '';
};

/** One line that a word of a list may have. */
const isTerm = (text: string): boolean =>
  text !== '' && text.length <= wordLimits.termMax && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

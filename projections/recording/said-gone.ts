import type { Block } from '../../events/facts/transcript.ts';
import { foldWord, wordsOf } from '../../src/shared/folded-words.ts';

/** Whether a text mentions words that were said in these passages and are in none of those that are left. Pure. */
export function mentionsGone(
  said: readonly Block[],
  left: readonly Block[],
): (text: string) => boolean {
  const present = new Set(left.flatMap(({ text }) => foldedIn(text)));
  const gone = new Set(
    said.flatMap(({ text }) => foldedIn(text)).filter((word) => !present.has(word)),
  );
  return (text) => foldedIn(text).some((word) => gone.has(word));
}

/** Also the words of scripts without spaces: a title quotes them in other surroundings. */
const foldedIn = (text: string): string[] => [...wordsOf(text)].map(({ word }) => foldWord(word));

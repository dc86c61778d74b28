import type { Block } from '../../events/facts/transcript.ts';

/** Whether a text mentions words that were said in these passages and are in none of those that are left. Pure. */
export function mentionsGone(
  said: readonly Block[],
  left: readonly Block[],
): (text: string) => boolean {
  const present = new Set(left.flatMap(({ text }) => wordsOf(text)));
  const gone = new Set(
    said.flatMap(({ text }) => wordsOf(text)).filter((word) => !present.has(word)),
  );
  return (text) => wordsOf(text).some((word) => gone.has(word));
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

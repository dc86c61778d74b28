import type { Word } from '../../events/facts/transcript.ts';
import { type SpokenWord, spokenLetters } from './spoken-words.ts';

/**
 * Words with the case and the punctuation they have in a text of the same letters; their times stay.
 * A word that is a mark alone falls away, since the word beside it has the mark now. Where words and
 * text do not match, because an engine's words are not its text, all stay as they are.
 */
export function punctuatedWords(words: Word[], text: string, language: string | null): Word[] {
  const spoken = spokenLetters(text, language);
  const spans: { word: Word; start: number; end: number }[] = [];
  let next = 0;
  for (const word of words) {
    const own = spokenLetters(word.text, language);
    const first = next;
    for (const letter of own) {
      if (spoken[next]?.word !== letter.word) return words;
      next += 1;
    }
    if (own.length > 0) spans.push({ word, ...reach(spoken, first, next) });
  }
  if (spans.length === 0 || next !== spoken.length) return words;
  const borders = spans.map(({ end }, index) => {
    const following = spans[index + 1];
    return following ? following.start - opening(text.slice(end, following.start)) : text.length;
  });
  return spans.map(({ word }, index) => ({
    ...word,
    text: text
      .slice(borders[index - 1] ?? 0, borders[index])
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  }));
}

const reach = (letters: readonly SpokenWord[], first: number, next: number) => ({
  start: letters[first]!.start,
  end: letters[next - 1]!.end,
});

/** How much of what stands between two words opens the second: „ ( «. All else closes the first. */
const opening = (between: string): number =>
  (/\s(\S*)$/u.exec(between)?.[1] ?? /(?<![\p{Ps}\p{Pi}])[\p{Ps}\p{Pi}]*$/u.exec(between)![0])
    .length;

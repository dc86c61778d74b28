import type { Word } from '../../events/transcript.ts';
import { spokenWords, type SpokenWord } from './spoken-words.ts';

/**
 * Words with the case and the punctuation they have in a text of the same words; their times stay.
 * A word that holds no spoken word (a lone dash) stays as it is. Where words and text do not match,
 * because an engine's words are not its text, all stay as they are.
 */
export function punctuatedWords(words: Word[], text: string, language: string | null): Word[] {
  const spoken = spokenWords(text, language);
  const shown = displayed(text, spoken);
  let next = 0;
  const punctuated: Word[] = [];
  for (const word of words) {
    const parts = spokenWords(word.text, language);
    const first = next;
    for (const part of parts) {
      if (spoken[next]?.word !== part.word) return words;
      next += 1;
    }
    const own =
      parts.length === 0 ? word.text : text.slice(shown[first]!.start, shown[next - 1]!.end);
    punctuated.push({ ...word, text: own.replaceAll(/\s+/gu, ' ').trim() });
  }
  return next === spoken.length ? punctuated : words;
}

/** How far each spoken word reaches with its punctuation, so that all of the text is somebody's. */
function displayed(text: string, spoken: SpokenWord[]): { start: number; end: number }[] {
  const borders = spoken.map(({ end }, index) => {
    const next = spoken[index + 1]?.start ?? text.length;
    const gap = text.slice(end, next);
    // What stands right before the next word opens it: „ ( «. All else closes this one.
    const opening = index + 1 === spoken.length ? '' : (/\s(\S*)$/u.exec(gap)?.[1] ?? '');
    return next - opening.length;
  });
  return spoken.map((_, index) => ({
    start: index === 0 ? 0 : borders[index - 1]!,
    end: borders[index]!,
  }));
}

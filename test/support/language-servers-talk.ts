import type { Block } from '../../events/facts/transcript.ts';

/** Blocks as recognition leaves them: words with times half a second apart, no punctuation. */
export function talk(texts: string[], speakers: (string | null)[] = [null]): Block[] {
  let clock = 0;
  return texts.map((text, index) => {
    const words = text
      .split(/\s+/u)
      .filter(Boolean)
      .map((word) => {
        clock += 0.5;
        return { text: word, start: clock, end: clock + 0.4 };
      });
    const start = words[0]?.start ?? clock;
    return {
      id: `t-${String(index + 1).padStart(4, '0')}`,
      speaker: speakers[index % speakers.length]!,
      start,
      end: words.at(-1)?.end ?? start,
      text,
      words,
    };
  });
}

/** A long meeting of two, every sentence with a number of its own. */
export const longTalk = (turns: number): Block[] =>
  talk(
    Array.from(
      { length: turns },
      (_, index) =>
        `im punkt ${index} haben wir über das budget gesprochen und beschlossen dass es bei ${1000 + index} euro bleibt`,
    ),
    ['SPEAKER_1', 'SPEAKER_2'],
  );

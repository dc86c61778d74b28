import type { Segment, Word } from '../../events/facts/transcript.ts';

/**
 * Cuts a segment where another speaker begins, as far as the words tell it (WhisperX). A segment whose
 * words do not spell its text stays whole, under the speaker that it has itself. Pure.
 * @param speakers of each word of the answer; undefined: as the word before
 */
export function cutAtSpeakers(
  segment: Segment,
  speakers: readonly (string | undefined)[],
): Segment[] {
  const { text, words, speaker, doubt } = segment;
  const told = new Set(speakers.filter((one) => one !== undefined));
  const spelt = words.map((word) => word.text).join(' ');
  const isSpelt = words.length === speakers.length && spelt === text.trim().replaceAll(/\s+/g, ' ');
  if (told.size < 2 || !isSpelt) return [segment];
  const voices = withoutSplinters(words, filledUp(speakers, speaker));
  // Whether segments begin with a blank says how they are put together.
  const blank = /^\s/.test(text) ? ' ' : '';
  const parts: Segment[] = [];
  for (const [i, word] of words.entries()) {
    const open = parts.at(-1);
    const voice = voices[i];
    if (open && open.speaker === voice) {
      open.text += ` ${word.text}`;
      open.end = Math.max(open.end, word.end);
      open.words.push(word);
    } else {
      const { start, end } = word;
      const part: Segment = { start, end, text: `${blank}${word.text}`, words: [word] };
      if (doubt !== undefined) part.doubt = doubt;
      parts.push(voice === undefined ? part : { ...part, speaker: voice });
    }
  }
  return parts;
}

/** A word without a speaker is said by who said the one before it; the first ones by who comes then. */
function filledUp(
  speakers: readonly (string | undefined)[],
  usual: string | undefined,
): (string | undefined)[] {
  let voice = speakers.find((one) => one !== undefined) ?? usual;
  return speakers.map((speaker) => (voice = speaker ?? voice));
}

/** What is left of a sentence at its end or beginning, on the wrong side of a border, seconds. */
const splinterSeconds = 0.3;

/** So few words at the edge of a sentence follow it, unless they are a sentence. */
function withoutSplinters(
  words: readonly Word[],
  speakers: readonly (string | undefined)[],
): (string | undefined)[] {
  const voices = [...speakers];
  const isSplinter = (from: number, to: number) => {
    const [first, last] = [words[from], words[to]];
    return first && last && last.end - first.start <= splinterSeconds && !/[.!?…]$/.test(last.text);
  };
  const first = voices.findIndex((one) => one !== voices[0]);
  if (first > 0 && isSplinter(0, first - 1)) voices.fill(voices[first], 0, first);
  const last = voices.findLastIndex((one) => one !== voices.at(-1)) + 1;
  if (last > 0 && isSplinter(last, words.length - 1)) voices.fill(voices[last - 1], last);
  return voices;
}

/**
 * A transcript whose speakers are told from those of other requests: their names begin with the request's.
 * @param lasting names that mean the same in every request
 */
export const ofRequest = <T extends { segments: readonly Segment[] }>(
  transcript: T,
  request: string,
  lasting: ReadonlyMap<string, string> = new Map(),
): T & { segments: Segment[] } => ({
  ...transcript,
  segments: transcript.segments.map((segment) =>
    segment.speaker === undefined
      ? segment
      : {
          ...segment,
          speaker: lasting.get(segment.speaker) ?? `${request}/${segment.speaker}`,
        },
  ),
});

/** The request that a speaker's name belongs to; null for one that means the same in every request. */
export const requestOf = (speaker: string): string | null =>
  /^([\d.]+)\//.exec(speaker)?.[1] ?? null;

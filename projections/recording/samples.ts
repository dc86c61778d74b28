import type { Block, Word } from '../../events/facts/transcript.ts';
import type { LabelledTurn } from './join-turns.ts';
import type { Sample } from './reading.ts';

/** A speaker's longest sentence, and so many more to choose from. */
const samplesMax = 3;
/** As much of a sentence as it takes to tell a voice: this many words, from its beginning. */
const sampleWords = 40;
/** A pause that ends a sentence where the recogniser set no marks, seconds. */
const pauseSeconds = 0.5;

/**
 * What a speaker said, by which a person tells who it is: their longest sentences, the longest first. Clean ones
 * come first: nobody speaks at the same time (by `diarized`), and nothing says that the words may be wrong. Pure.
 */
export function voiceSamples(
  label: string,
  turns: readonly Block[],
  diarized: readonly LabelledTurn[],
): Sample[] {
  const others = diarized.filter(([, , speaker]) => speaker !== label);
  const sentences = turns
    .filter(({ speaker }) => speaker === label)
    .flatMap((turn) =>
      sentencesOf(turn).map((sample) => ({ sample, isDoubtful: turn.doubt !== undefined })),
    );
  const longest = sentences.toSorted((a, b) => lengthOf(b.sample) - lengthOf(a.sample));
  const isClean = ({ sample, isDoubtful }: (typeof sentences)[number]) =>
    !isDoubtful && !others.some(([start, end]) => start < sample.end && end > sample.start);
  const clean: Sample[] = [];
  for (const one of longest) {
    if (clean.length === samplesMax) break;
    if (isClean(one)) clean.push(one.sample);
  }
  const rest = longest.map(({ sample }) => sample).filter((sample) => !clean.includes(sample));
  // Better one that is not clean than none.
  return clean.length > 0 ? clean : rest.slice(0, samplesMax);
}

const lengthOf = ({ start, end }: Sample): number => end - start;

/** The sentences of a turn with their times; without times of words, the whole turn. */
function sentencesOf({ text, words, start, end }: Block): Sample[] {
  if (words.length === 0) return [shortened({ start, end, text })];
  const sentences: Word[][] = [];
  for (const [at, word] of words.entries()) {
    const last = words[at - 1];
    if (!last || endsSentence(last.text) || word.start - last.end >= pauseSeconds)
      sentences.push([]);
    sentences.at(-1)!.push(word);
  }
  return sentences.map((own) => {
    const some = own.slice(0, sampleWords);
    const said = some.map((word) => word.text.trim()).join(' ');
    return {
      start: some[0]!.start,
      end: some.at(-1)!.end,
      text: some.length < own.length ? `${said} …` : said,
    };
  });
}

const endsSentence = (word: string): boolean => /[.!?…。！？]["'”’»)]*$/u.test(word.trim());

function shortened({ start, end, text }: Sample): Sample {
  const spoken = text.split(/\s+/u);
  if (spoken.length <= sampleWords) return { start, end, text };
  const share = sampleWords / spoken.length;
  const said = `${spoken.slice(0, sampleWords).join(' ')} …`;
  return { start, end: start + share * (end - start), text: said };
}

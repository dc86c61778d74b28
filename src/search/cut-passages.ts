import type { Block } from '../../events/facts/transcript.ts';
import { textSegments } from '../shared/segments.ts';
import type { PassagePlace } from '../storage/passage-rows.ts';

/** Characters of a passage at most, and of one that others may still speak in. */
const charactersMax = 900;
const charactersFew = 300;
/** A sentence that is longer is not said again in the next passage. */
const sharedMax = 300;
/** Of one recording: 30 hours. */
const passagesMax = 2000;

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

type Sentence = { block: number; from: number; to: number; speaker: string | null };

/** What is embedded of a transcript, and where it stands there. */
export type CutPassages = { texts: string[]; places: PassagePlace[] };

/**
 * Cuts a transcript into passages: neighbouring blocks of one speaker joined, cut at sentences, with one sentence shared with
 * the next. Short turns are joined with what others answer: alone they mean nothing. The title stands before the first.
 */
export function cutPassages(blocks: readonly Block[], title: string | null): CutPassages {
  const cut: CutPassages = { texts: [], places: [] };
  let passage: Sentence[] = [];
  let length = 0;
  /** How many of its sentences the passage before has too. */
  let shared = 0;
  const close = (): void => {
    const place = passage.length > shared ? placeOf(blocks, passage) : undefined;
    if (place && cut.places.length < passagesMax) {
      const heading = cut.places.length === 0 && title !== null ? `${title}\n` : '';
      cut.texts.push(heading + textOf(blocks, place));
      cut.places.push(place);
    }
  };
  const begin = (with_: readonly Sentence[]): void => {
    passage = [...with_];
    shared = with_.length;
    length = with_.reduce((sum, { from, to }) => sum + to - from, 0);
  };
  for (const [at, block] of blocks.entries()) {
    for (const sentence of sentencesIn(block, at)) {
      const size = sentence.to - sentence.from;
      const last = passage.at(-1);
      const isOthers = last !== undefined && last.speaker !== sentence.speaker;
      if (last && isOthers && length >= charactersFew) {
        close();
        begin([]);
      } else if (last && length + size > charactersMax) {
        close();
        const isShort = last.to - last.from <= sharedMax && size + sharedMax <= charactersMax;
        begin(isShort && !isOthers ? [last] : []);
      }
      passage.push(sentence);
      length += size;
    }
  }
  close();
  return cut;
}

/** The text of a passage; empty where its blocks are no more. */
export function textOf(blocks: readonly Block[], { block, from, last, to }: PassagePlace): string {
  const first = blocks.findIndex(({ id }) => id === block);
  const end = blocks.findIndex(({ id }) => id === last);
  if (first === -1 || end < first) return '';
  return blocks
    .slice(first, end + 1)
    .map(({ text }, at) =>
      text.slice(at === 0 ? from : 0, at === end - first ? to : undefined).trim(),
    )
    .filter((text) => text !== '')
    .join(' ');
}

function placeOf(blocks: readonly Block[], passage: readonly Sentence[]): PassagePlace | undefined {
  const [first, last] = [passage[0], passage.at(-1)];
  const [from, to] = [first && blocks[first.block], last && blocks[last.block]];
  if (!first || !last || !from || !to) return undefined;
  return { block: from.id, from: first.from, last: to.id, to: last.to };
}

/** Sentences with a word in them; one that is too long in pieces. */
function* sentencesIn({ text, speaker }: Block, block: number): Generator<Sentence> {
  for (const { segment, index } of textSegments(sentences, text)) {
    if (!/[\p{L}\p{N}]/u.test(segment)) continue;
    for (let from = 0; from < segment.length;) {
      const to = pieceEnd(segment, from);
      yield { block, from: index + from, to: index + to, speaker };
      from = to;
    }
  }
}

function pieceEnd(text: string, from: number): number {
  const most = from + charactersMax;
  if (text.length <= most) return text.length;
  const space = text.lastIndexOf(' ', most);
  return space > from + charactersMax / 2 ? space : most;
}

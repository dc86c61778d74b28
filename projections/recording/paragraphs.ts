import type { Block, Doubt, Segment, Word } from '../../events/facts/transcript.ts';
import { beginsWord, joinTexts, wordCount } from '../../src/shared/segments.ts';
import { replacedWithin } from './replaced.ts';
import type { Utterance } from './utterances.ts';

/** A pause of this many seconds starts a new paragraph … */
const pauseSeconds = 1.5;
/** … and so does any sentence's end once a paragraph has this many words, or the longest pause before twice that. */
const paragraphWords = 120;

/**
 * The paragraphs of what one person said, cut at pauses; ids `t-0001`, `t-0002`, … A pause is one between
 * two words where their times are known, so that no word is cut where a stretch of audio was.
 */
export function paragraphs(utterances: readonly Utterance[], speaker: string | null): Block[] {
  const blocks: Block[] = [];
  let open = opened([]);
  const flush = (upTo: number) => {
    if (upTo === 0) return;
    blocks.push(blockOf(open.pieces.slice(0, upTo), blocks.length + 1, speaker));
    open = opened(open.pieces.slice(upTo));
  };
  for (const piece of utterances.flatMap(piecesOf)) {
    const last = open.pieces.at(-1);
    if (last && startsParagraph(last, piece, open.words)) flush(open.pieces.length);
    else if (open.words >= 2 * paragraphWords) flush(open.longestPause.at || open.edge);
    add(open, piece);
  }
  flush(open.pieces.length);
  return blocks;
}

/** A part of a segment that is not cut any further: a word with its marks where words have times. */
type Piece = {
  segment: Segment;
  /** Where it is in the segment's text. */
  from: number;
  to: number;
  /** Of its words; else of the segment. */
  start: number;
  end: number;
  words: readonly Word[];
  count: number;
  utterance: number;
  doubt: string | undefined;
};

const piecesOf = ({ index, segments, doubt }: Utterance): Piece[] =>
  segments
    .filter(({ text }) => text.trim() !== '')
    .flatMap((segment) => {
      const groups = groupsOf(segment);
      return groups.map(({ from, words }, at): Piece => {
        const to = groups[at + 1]?.from ?? segment.text.length;
        return {
          segment,
          from,
          to,
          start: words[0]?.start ?? segment.start,
          end: words.at(-1)?.end ?? segment.end,
          words,
          count: wordCount(segment.text.slice(from, to)),
          utterance: index,
          doubt: segment.doubt ?? doubt,
        };
      });
    });

/** The words of a segment, those that are parts of one together; all of it where words cannot be found. */
function groupsOf({ text, words }: Segment): { from: number; words: Word[] }[] {
  const groups: { from: number; words: Word[] }[] = [];
  let cursor = 0;
  for (const word of words) {
    const at = text.indexOf(word.text.trim(), cursor);
    if (at === -1) return [{ from: 0, words }];
    const last = groups.at(-1);
    const begins =
      /\s/u.test(text.slice(cursor, at)) ||
      beginsWord(text.slice(Math.max(0, cursor - 2), cursor), word.text);
    if (last && !begins) last.words.push(word);
    else groups.push({ from: last ? at : 0, words: [word] });
    cursor = at + word.text.trim().length;
  }
  return groups.length === 0 ? [{ from: 0, words: [] }] : groups;
}

function startsParagraph(last: Piece, next: Piece, words: number): boolean {
  if (pauseBetween(last, next) >= pauseSeconds) return true;
  // A mark below words needs their times: without them all of a paragraph is marked.
  if (last.doubt !== next.doubt && (last.words.length === 0 || next.words.length === 0))
    return true;
  if (words < paragraphWords || last.segment === next.segment) return false;
  return /[.!?…。！？]["'”’»)]*$/u.test(last.segment.text.trim());
}

const pauseBetween = (last: Piece, next: Piece): number => next.start - last.end;

/** A paragraph that may go on. */
type Open = {
  pieces: Piece[];
  words: number;
  /**
   * Where it is cut when it has too many: at the longest pause once there are words enough; where words follow
   * each other without any, at the last edge of a segment that is not one of a stretch. 0: nowhere. Kept up word
   * by word, since an hour may be said without a pause.
   */
  longestPause: { at: number; seconds: number };
  edge: number;
};

function opened(pieces: readonly Piece[]): Open {
  const open: Open = { pieces: [], words: 0, longestPause: { at: 0, seconds: 0.02 }, edge: 0 };
  for (const piece of pieces) add(open, piece);
  return open;
}

function add(open: Open, next: Piece): void {
  const { pieces, words } = open;
  const last = pieces.at(-1);
  if (last && words >= paragraphWords) {
    const seconds = pauseBetween(last, next);
    if (seconds >= open.longestPause.seconds) open.longestPause = { at: pieces.length, seconds };
    const isEdge = last.segment !== next.segment && last.utterance === next.utterance;
    if (isEdge) open.edge = pieces.length;
  }
  pieces.push(next);
  open.words += next.count;
}

function blockOf(pieces: readonly Piece[], number: number, speaker: string | null): Block {
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  const isTimed = pieces.every((piece) => piece.words.length > 0);
  const doubts = doubtsOf(pieces);
  const start = first.from === 0 ? first.segment.start : first.start;
  const end = last.to === last.segment.text.length ? last.segment.end : last.end;
  const segments = [...new Set(pieces.map(({ segment }) => segment))];
  return {
    id: `t-${String(number).padStart(4, '0')}`,
    speaker,
    start,
    end,
    text: joinTexts(textsOf(pieces)),
    words: isTimed ? pieces.flatMap((piece) => piece.words) : [],
    ...(doubts.length === 0 ? {} : { doubts }),
    ...replacedWithin(
      segments.flatMap(({ replaced = [] }) => replaced),
      [start, end],
    ),
  };
}

/** What of some pieces may be wrong; neighbours for the same reason are one passage. */
function doubtsOf(pieces: readonly Piece[]): Doubt[] {
  const doubts: Doubt[] = [];
  for (const [at, { start, end, doubt }] of pieces.entries()) {
    const last = doubts.at(-1);
    if (doubt === undefined) continue;
    if (last && pieces[at - 1]?.doubt === doubt) last.end = Math.max(last.end, end);
    else doubts.push({ start, end, reason: doubt });
  }
  return doubts;
}

/** What each segment gives to a paragraph, as it was written. */
function textsOf(pieces: readonly Piece[]): string[] {
  const texts: string[] = [];
  for (const [at, { segment, from, to }] of pieces.entries()) {
    const text = segment.text.slice(from, to);
    if (pieces[at - 1]?.segment === segment) texts.push(`${texts.pop()}${text}`);
    else texts.push(text);
  }
  return texts;
}

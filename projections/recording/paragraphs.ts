import type { Block, Segment, Word } from '../../events/facts/transcript.ts';
import type { Utterance } from './reading.ts';

/** A pause of this many seconds starts a new paragraph … */
const pauseSeconds = 1.5;
/** … and so does any sentence's end once a paragraph has this many words, or any pause at twice that. */
const paragraphWords = 120;

/** The paragraphs of a solo recording, cut at pauses; ids `t-0001`, `t-0002`, … */
export function paragraphs(utterances: readonly Utterance[], speaker: string | null): Block[] {
  const blocks: Block[] = [];
  let pieces: (Segment & { doubt: string | undefined })[] = [];
  const flush = () => {
    if (pieces.length > 0) blocks.push(blockOf(pieces, blocks.length + 1, speaker));
    pieces = [];
  };
  for (const utterance of utterances) {
    for (const segment of utterance.segments) {
      if (segment.text.trim() === '') continue;
      const last = pieces.at(-1);
      if (last && startsParagraph(pieces, last, segment, utterance.doubt)) flush();
      pieces.push({ ...segment, doubt: utterance.doubt });
    }
  }
  flush();
  return blocks;
}

/** One text of all blocks, for counting. */
export const wordCount = (text: string): number => (text.match(/\S+/gu) ?? []).length;

function startsParagraph(
  pieces: readonly { text: string; doubt: string | undefined }[],
  last: Segment & { doubt: string | undefined },
  next: Segment,
  doubt: string | undefined,
): boolean {
  if (last.doubt !== doubt) return true;
  if (next.start - last.end >= pauseSeconds) return true;
  const words = pieces.reduce((sum, piece) => sum + wordCount(piece.text), 0);
  if (words < paragraphWords) return false;
  return /[.!?…。！？]["'”’»)]*$/u.test(last.text.trim()) || words >= 2 * paragraphWords;
}

function blockOf(
  pieces: readonly (Segment & { doubt: string | undefined })[],
  number: number,
  speaker: string | null,
): Block {
  const words: Word[] = pieces.every((piece) => piece.words.length > 0)
    ? pieces.flatMap((piece) => piece.words)
    : [];
  const { doubt } = pieces[0]!;
  return {
    id: `t-${String(number).padStart(4, '0')}`,
    speaker,
    start: pieces[0]!.start,
    end: pieces.at(-1)!.end,
    text: joinTexts(pieces.map((piece) => piece.text)),
    words,
    ...(doubt === undefined ? {} : { doubt }),
  };
}

/** Scripts written without spaces are joined without one. */
function joinTexts(texts: readonly string[]): string {
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
  return texts
    .map((text) => text.trim())
    .reduce((all, text) => (all === '' || unspaced.test(all) ? all + text : `${all} ${text}`), '');
}

import { spokenWords } from './spoken-words.ts';
import { type Piece, cutAt, gluedTo, pauseBetween, sentenceEnd } from './talk.ts';

/** A piece with its punctuated text; null where the words stay as they were. */
export type SettledPiece = {
  piece: Piece;
  text: string | null;
  /** Whether a sentence is known to end with it, since the model saw how the talk goes on. */
  ends?: true;
};

/** What a person pauses between sentences at least, in seconds. */
const sentencePause = 0.7;

/**
 * Settles a part up to its last sentence where it was cut off in the middle of a talk: what follows
 * is asked for again with the rest, so that no sentence ends because a part did. At least half of
 * the piece is settled.
 */
export function upToLastSentence(
  settled: SettledPiece[],
  rest: Piece[],
  language: string | null,
): { settled: SettledPiece[]; rest: Piece[] } {
  const last = settled.at(-1);
  const next = rest[0];
  if (!last || last.text === null || next?.block !== last.piece.block || isBorder(last.piece, next))
    return { settled, rest };
  const { piece, text } = last;
  const heard = spokenWords(piece.text, language);
  const written = spokenWords(text, language);
  for (let index = written.length - 1; index >= Math.ceil(written.length / 2); index -= 1) {
    const { end } = written[index - 1]!;
    const [marks] = /^\S*/u.exec(text.slice(end, written[index]!.start))!;
    if (!sentenceEnd.test(marks)) continue;
    const [front, back] = cutAt(piece, heard[index]!.start);
    const ended: SettledPiece = { piece: front, text: text.slice(0, end) + marks, ends: true };
    return {
      settled: [...settled.slice(0, -1), ended],
      rest: [gluedTo(back, next), ...rest.slice(1)],
    };
  }
  return { settled, rest };
}

/**
 * The text of a block from its pieces. Where one was cut in the middle of a sentence, the mark at its
 * end and the capital after it are taken back.
 */
export function jointText(settled: readonly SettledPiece[], language: string | null): string {
  let all = '';
  for (const [index, one] of settled.entries()) {
    const before = settled[index - 1];
    const after = settled[index + 1];
    let text = one.text ?? one.piece.text;
    if (one.text !== null && before && isSeam(before, one))
      text = begunAsHeard(text, one.piece, language);
    if (one.text !== null && after && isSeam(one, after))
      text = text.replace(/(?<![.!?…。！？])[.!?…。！？]+$/u, '');
    all += (before ? one.piece.glue : '') + text;
  }
  return all;
}

const isSeam = (left: SettledPiece, right: SettledPiece): boolean =>
  !left.ends && !isBorder(left.piece, right.piece);

/** Whether a sentence ended where two pieces were cut apart: the engine said so, or a person paused. */
const isBorder = (left: Piece, right: Piece): boolean =>
  sentenceEnd.test(left.text) || (pauseBetween(left, right) ?? 0) >= sentencePause;

function begunAsHeard(text: string, piece: Piece, language: string | null): string {
  const [written] = spokenWords(text, language);
  const [heard] = spokenWords(piece.text, language);
  if (!written || !heard || written.end - written.start === 1) return text;
  const word = piece.text.slice(heard.start, heard.end);
  return text.slice(0, written.start) + word + text.slice(written.end);
}

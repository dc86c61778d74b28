import type { Segment, Stretch } from '../../../events/facts/transcript.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import { shiftSegments } from '../parse-transcript.ts';
import { type HeardPart, askedStretch, keptPart, quietestPoint } from './speech-segments.ts';

/** A piece of a stretch, and how an engine is asked for it. */
export type PieceAsked = {
  piece: Stretch;
  /** The piece, from a little earlier where it goes on from the one before. */
  asked: Stretch;
  /** What was heard of the stretch before. */
  before: readonly Segment[];
};

/**
 * What an engine hears of a stretch that may be longer than what it takes at once, such as one that was planned for
 * another engine: in pieces that are cut where it is quiet, and meet between two words.
 * @param options.secondsMax longest piece that it takes, as far as that is known by now
 * @param options.hear times count from the beginning of `asked`; null where the piece is to be cut once more
 */
export async function heardInPieces<T extends { segments: Segment[] }>(
  audio: SpeechFile,
  stretch: Stretch,
  options: { secondsMax(): number; hear(asked: PieceAsked): Promise<T | null> },
): Promise<{ segments: Segment[]; answers: T[] }> {
  const segments: Segment[] = [];
  const answers: T[] = [];
  const rest = await cut(audio, stretch, options.secondsMax());
  let before: HeardPart | null = null;
  for (let piece = rest.shift(); piece; piece = rest.shift()) {
    const asked = askedStretch(piece, before);
    const answer = await options.hear({ piece, asked, before: segments });
    if (answer === null) {
      rest.unshift(...(await cut(audio, piece, options.secondsMax())));
      continue;
    }
    const shifted = shiftSegments(answer.segments, asked[0], asked[1]);
    before = keptPart(shifted, piece, { before, goesOn: rest.length > 0 });
    segments.push(...before.segments);
    answers.push(answer);
  }
  return { segments, answers };
}

/** Pieces of a stretch no longer than `seconds`, cut where it is quiet. */
async function cut(audio: SpeechFile, [start, end]: Stretch, seconds: number): Promise<Stretch[]> {
  const pieces: Stretch[] = [];
  let from = start;
  while (end - from > seconds) {
    const latest = Math.min(from + seconds, end - Math.min(1, seconds / 4));
    const to = await quietestPoint(audio, from + seconds * 0.5, latest);
    pieces.push([from, to]);
    from = to;
  }
  return [...pieces, [from, end]];
}

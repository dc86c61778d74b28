/** What is being said, as it is recognised, and the voices that say it. */
import type { Frame } from '../../../client/feed.ts';
import {
  type SpeakerMark,
  speakerMark,
  speakerNumberOf,
} from '../../../components/speaker-marks.ts';

export type LiveTurn = Pick<Utterance, 'index' | 'text' | 'speaker' | 'final'>;
type Utterance = Extract<Frame, { type: 'utterance' }>;

/** Turns that are shown; the note has all of them. */
const turnsMax = 200;

/** A turn in its place: what is final replaces what was guessed, and is not replaced by a guess. */
export function withTurn(turns: readonly LiveTurn[], heard: LiveTurn): LiveTurn[] {
  const { index, text, speaker, final } = heard;
  const before = turns.find((turn) => turn.index === index);
  if (before?.final === true && !final) return [...turns];
  // A guess that stands before what is final was cut otherwise meanwhile.
  const others = turns.filter((turn) => turn.index !== index && (turn.final || turn.index > index));
  return [...others, { index, text, speaker, final }]
    .toSorted((a, b) => a.index - b.index)
    .slice(-turnsMax);
}

/** A voice of a meeting that goes on. Guessed: all are told apart once more when it is over. */
export type LiveVoice = { label: string; number: number; name: string | null; mark: SpeakerMark };

/** The voices heard so far, in the order in which they were first heard. */
export const voicesOf = (
  labels: Iterable<string>,
  names: Readonly<Record<string, string>>,
): LiveVoice[] =>
  [...labels]
    .map((label) => {
      const given = names[label] ?? '';
      const name = given === '' ? null : given;
      return { label, number: speakerNumberOf(label), name, mark: speakerMark(label, name) };
    })
    .toSorted((a, b) => a.number - b.number);

/** What is being said, as it is recognised, among what a recording has said so far. */
import type { Frame } from '../../../client/feed.ts';
import type { Recording, Turn } from '../turn-key.ts';

/** Of a recording, or of what a link shows of one. */
type Talk = {
  readonly utterances: readonly Turn[];
  readonly speakers: readonly Recording['speakers'][number][];
};
type Utterance = Extract<Frame, { type: 'utterance' }>;
export type Heard<T extends Talk = Recording> = {
  recording: T;
  /** Guessed so far, behind what is final. */
  heard: readonly Turn[];
};

/** With a turn in its place: what is final replaces what was guessed, and is not replaced by a guess. */
export function withUtterance<T extends Talk>(
  { recording, heard }: Heard<T>,
  frame: Utterance,
): Heard<T> {
  const before = recording.utterances.find(({ index }) => index === frame.index);
  // What has blocks is a transcript: what is recognised now is to replace the whole.
  const isWritten = recording.utterances.some(({ block }) => block !== null);
  if (isWritten || (!frame.final && before !== undefined)) return { recording, heard };
  // A guess that stands before what is heard now was cut otherwise meanwhile.
  const later = heard.filter(({ index }) => index > frame.index);
  const turn = turnOf(frame);
  if (!frame.final) return { recording, heard: inOrder([...later, turn]) };
  return { recording: withTurns(recording, [turn]), heard: later };
}

/**
 * A recording that was read, with what was heard since it was asked for, and with every voice that says something:
 * until the speakers are told apart at the end, the service names those alone that have a name.
 */
export function withTurns<T extends Talk>(recording: T, turns: readonly Turn[]): T {
  if (recording.utterances.some(({ block }) => block !== null)) return recording;
  const known = new Set(recording.utterances.map(({ index }) => index));
  const added = turns.filter(({ index }) => !known.has(index));
  const utterances = inOrder([...recording.utterances, ...added]);
  const labels = new Set(recording.speakers.map(({ label }) => label));
  const heard = [...new Set(utterances.flatMap(({ speaker }) => speaker ?? []))];
  const voices = heard
    .filter((label) => !labels.has(label))
    .map((label) => ({ label, name: null, seconds: 0, shown: label }));
  if (added.length === 0 && voices.length === 0) return recording;
  return { ...recording, utterances, speakers: [...recording.speakers, ...voices] };
}

export const turnOf = ({ index, start, end, text, speaker }: Utterance): Turn => ({
  index,
  start,
  end,
  text,
  speaker,
  block: null,
  words: [],
});

const inOrder = (turns: readonly Turn[]): Turn[] => turns.toSorted((a, b) => a.index - b.index);

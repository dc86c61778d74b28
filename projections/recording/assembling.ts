import { fieldFault } from '../../src/words/field-faults.ts';
import type { Refusal } from '../../events/command-handler.ts';
import type { RecordingFact, RecordingFactOf } from '../../events/facts/recording.ts';
import { type Recording, audioFact, factAt } from './recording.ts';
import { type HoldRefusal, heldBy } from './holds.ts';
import { published } from './reading.ts';

/** Why a recording is not joined, cut or shortened as a person wants it; `field`: what of that is wrong. */
export type AssemblyRefusal = Refusal<'NOT_SO'> & { field: 'at' | 'from' | 'to' | 'with' };
type AssemblyDecision = readonly RecordingFact[] | AssemblyRefusal;

/** Makes what comes after a second a recording of its own, of the id `into`. Pure. */
export const cutRecording =
  (at: number, into: string) =>
  (recording: Recording): AssemblyDecision => {
    const seconds = lengthOf(recording);
    const isWithin = seconds === null || (at > 0 && at < seconds);
    return isWithin
      ? [{ type: 'recording.cut', data: { at, into } }]
      : notSo('at', fieldFault('not-within-recording', { seconds: Math.floor(seconds) }));
  };

/**
 * Takes out what was said from one second to another; with `into` for good, and the rest is a recording of that id. Nothing
 * of what is protected. Pure.
 * @param now milliseconds since the epoch
 */
export const removePassage =
  ({ from, to, into }: { from: number; to: number; into?: string | undefined }, now: number) =>
  (recording: Recording): AssemblyDecision | HoldRefusal => {
    const seconds = lengthOf(recording);
    const held = heldBy(recording, now);
    if (held) return held;
    if (to <= from) return notSo('to', fieldFault('not-after-from'));
    if (seconds !== null && from >= seconds)
      return notSo('from', fieldFault('not-within-recording', { seconds: Math.floor(seconds) }));
    const data = { from, to: Math.min(to, seconds ?? to), ...(into ? { into } : {}) };
    return [{ type: 'passage.removed', data }];
  };

/** Puts another recording behind this one, or before it, by their times. Pure. */
export const joinRecording =
  (other: Recording, options: { absorbs?: true } = {}) =>
  (recording: Recording): AssemblyDecision => {
    if (other.recordingId === recording.recordingId)
      return notSo('with', fieldFault('same-recording'));
    const kinds = [recording, other].map((one) => one.sources.draft.kind);
    if (!options.absorbs && kinds[0] !== kinds[1]) return notSo('with', fieldFault('other-kind'));
    // Handed over since this was looked at: nobody's words go into a note of another.
    if (options.absorbs && other.files.owner !== recording.files.owner)
      return notSo('with', fieldFault('not-ready-to-join'));
    if (other.sources.published === null || other.files.audio === null)
      return notSo('with', fieldFault('not-ready-to-join'));
    return [{ type: 'recording.joined', data: { with: other.recordingId, ...options } }];
  };

/**
 * That a recording goes into the one that it continues, as soon as it has documents. Once for its audio; not where its browser
 * may hold more of it. Pure.
 * @param options.isWhole its browser has said that it holds no more
 */
export function continuationDue(
  recording: Recording,
  options: { isWhole?: boolean } = {},
): RecordingFactOf<'recording.continued'> | null {
  const origin = factAt(recording, 1, 'recording.started');
  const audio = audioFact(recording, recording.sources.draft);
  const into = origin?.data.continues;
  if (into === undefined || audio === null || recording.files.audio === null) return null;
  const isWhole =
    options.isWhole === true ||
    audio.type !== 'capture.interrupted' ||
    origin?.data.device !== null;
  const isOver = recording.facts.some(
    ({ type, version }) => type === 'recording.continued' && version > audio.version,
  );
  return isWhole && !isOver ? { type: 'recording.continued', data: { into } } : null;
}

const lengthOf = (recording: Recording): number | null => published(recording)?.duration ?? null;

const notSo = (field: AssemblyRefusal['field'], said: AssemblyRefusal['said']) =>
  ({ refused: 'NOT_SO', said, field }) as const;

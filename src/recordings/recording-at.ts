import {
  type RecordingFactType,
  type Stage,
  recordingStream,
} from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { toMachineEvent } from '../../machines/context.ts';
import { initialState, nextSnapshot } from '../../machines/recording.ts';
import { activeStages, possibleFacts } from '../../machines/states.ts';
import { foldRecording } from '../../projections/recording-fold.ts';
import {
  type KeptRecording,
  type RecordingRow,
  recordingRow,
} from '../../projections/recording-row.ts';
import type { TranscriptRow } from '../../projections/texts.ts';
import { isSpokenOnly } from '../../projections/recording/digest.ts';
import { shown } from '../../projections/recording/reading.ts';
import {
  type ReadFact,
  type Recording,
  evolve,
  noRecording,
  shownOf,
} from '../../projections/recording/recording.ts';

/** A recording as it was at an earlier position of the log. */
export type RecordingThen = {
  row: RecordingRow;
  transcript: TranscriptRow;
  /** Of its last fact until then. */
  position: number;
  /** Types of the facts that its state allowed. */
  possible: RecordingFactType[];
  /** Stages that were to run and had not started: they waited for their turn, or the service was away. */
  waits: Stage[];
};

/**
 * Folds a recording's facts up to a position again.
 * @param options.content false: what was said is left out, as if it had been erased
 * @returns null: it had not begun by then
 */
export async function recordingAt(
  store: Pick<EventStore, 'read'>,
  recordingId: string,
  { position: until, content }: { position: number; content: boolean },
): Promise<RecordingThen | null> {
  const facts: ReadFact[] = [];
  let recording: Recording = noRecording(recordingId);
  let snapshot = initialState(recordingId);
  let kept: KeptRecording | undefined;
  let position = 0;
  for await (const logged of store.read(recordingStream(recordingId))) {
    if (logged.position > until) break;
    const { content: said, ...bare } = logged;
    const fact: typeof logged = content && said !== undefined ? logged : bare;
    position = fact.position;
    facts.push(fact);
    // As `readRecording`: the facts are collected in one array.
    recording = { ...evolve({ ...recording, facts: [] }, fact), facts };
    snapshot = nextSnapshot(snapshot, toMachineEvent(fact));
    kept = foldRecording(kept, fact);
  }
  if (!kept) return null;
  const row = recordingRow(kept);
  const reading = shown(recording);
  const started = new Set(row.running.map(({ stage }) => stage));
  return {
    row,
    transcript: {
      ...reading,
      recordingId,
      utterances: isSpokenOnly(shownOf(recording)) ? [...reading.utterances] : [],
    },
    position,
    possible: possibleFacts(snapshot),
    waits: activeStages(snapshot).filter((stage) => !started.has(stage)),
  };
}

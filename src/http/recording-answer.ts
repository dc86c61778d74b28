import type { RecordingRow, TranscriptRow } from '../../projections/recording-row.ts';
import type { Activity } from '../recordings/desk.ts';
import { statusName } from './status-name.ts';

/** One line of `GET /recordings`. */
export function recordingLine(row: RecordingRow, activities: readonly Activity[]) {
  // What the running service says is newer and finer than the log: a queued stage is no fact.
  const activity = activities[0];
  const running = row.running[0];
  return {
    recording_id: row.recording_id,
    owner: row.owner,
    kind: row.kind,
    status: statusName(row.status),
    state: row.state,
    since: row.since,
    stage: activity?.stage ?? running?.stage ?? null,
    fraction: activity?.fraction ?? null,
    attempt: activity?.attempt ?? running?.attempt ?? null,
    waiting: activity?.waiting ?? null,
    title: row.title,
    summary: row.abstract,
    language: row.language,
    started_at: row.started_at,
    duration: row.duration,
    device: row.device,
    error: row.error,
    speakers: row.speakers,
    documents: row.documents,
    version: row.version,
  };
}

/** `GET /recordings/{id}`: the line, the words, and what a reader should know. */
export function recordingAnswer(
  row: RecordingRow,
  transcript: TranscriptRow | undefined,
  activities: readonly Activity[],
) {
  return {
    ...recordingLine(row, activities),
    activities,
    speakers_pending: row.status === 'awaiting-speakers' ? row.suggestions : [],
    utterances: transcript ? utterances(transcript) : [],
    notes: row.notes,
    ledger: ledgerOf(row, transcript),
  };
}

/** What was captured and what is missing of it, and corrections that found no place. */
function ledgerOf({ ledger }: RecordingRow, transcript: TranscriptRow | undefined): unknown {
  const unplaced = transcript?.unplaced ?? [];
  if (unplaced.length === 0) return ledger;
  return { ...(ledger as object | null), unplaced_corrections: unplaced };
}

/** The transcript's blocks; while there are none, the stretches as they were recognised. */
function utterances({ blocks, utterances }: TranscriptRow) {
  if (blocks.length > 0) {
    return blocks.map(({ id, speaker, start, end, text, words, doubt }, index) => ({
      index,
      block: id,
      start,
      end,
      speaker,
      text,
      words,
      ...(doubt === undefined ? {} : { doubt }),
    }));
  }
  return utterances.map(({ index, start, end, segments, doubt }) => ({
    index,
    block: null,
    start,
    end,
    speaker: null,
    text: segments.map(({ text }) => text.trim()).join(' '),
    words: segments.flatMap(({ words }) => words),
    ...(doubt === undefined ? {} : { doubt }),
  }));
}

import type { LoggedFact } from '../events/facts/catalogue.ts';
import type { Kind } from '../events/facts/recording.ts';
import { isErased } from './erased.ts';
import { utcTime } from './list-page.ts';
import { type Passes, foldPasses, noPasses } from './passes.ts';
import type { RecordingRow } from './recording-row.ts';

/** What is kept of a transcript besides its texts. */
export type TranscriptHead = {
  recording_id: string;
  owner: string;
  kind: Kind;
  created_at: string;
  duration: number | null;
  documents: RecordingRow['documents'];
  passes: Passes;
};

/** The head of a recording that a fact begins; undefined when it begins none. Pure. */
export function beginningOfTranscript(
  recording_id: string,
  fact: LoggedFact,
): TranscriptHead | undefined {
  if (fact.type !== 'recording.started' && fact.type !== 'audio.imported') return undefined;
  return {
    recording_id,
    owner: fact.data.owner,
    kind: fact.data.kind,
    created_at: utcTime(fact.type === 'audio.imported' ? fact.data.started_at : fact.at),
    duration: null,
    documents: null,
    passes: noPasses,
  };
}

/** The head after a fact of its recording. Pure. */
export function headAfter(head: TranscriptHead, fact: LoggedFact): TranscriptHead {
  const passes = foldPasses(head.passes, fact);
  if (isErased(fact)) return { ...head, passes, documents: null };
  switch (fact.type) {
    case 'audio.imported':
    case 'audio.captured':
    case 'capture.interrupted':
    case 'speech.detected':
      return { ...head, passes, duration: fact.data.duration };
    case 'documents.saved':
      return { ...head, passes, documents: fact.content?.paths ?? null };
    case 'documents.deleted':
      return fact.data.documents.length === 3
        ? { ...head, passes, documents: null }
        : { ...head, passes };
    case 'recording.handed_over':
      return { ...head, passes, owner: fact.data.owner };
    case 'kind.changed':
      return { ...head, passes, kind: fact.data.kind };
    case 'version.restored':
      return { ...head, passes, kind: fact.data.material.kind ?? head.kind };
    default:
      return { ...head, passes };
  }
}

import type { StoredFact } from '../../events/facts/envelope.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';

/** A fact of a recording as the log tells it. */
export type LoggedRecordingFact = StoredFact<RecordingFact>;

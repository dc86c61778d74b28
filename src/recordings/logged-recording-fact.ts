import type { StoredFact } from '../../events/envelope.ts';
import type { RecordingFact } from '../../events/recording-facts.ts';

/** A fact of a recording as the log tells it. */
export type LoggedRecordingFact = StoredFact<RecordingFact>;

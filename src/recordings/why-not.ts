import type { RecordingFact } from '../../events/facts/recording.ts';
import type { RecordingSnapshot } from '../../machines/recording.ts';

/** Why a fact is refused, in a sentence for a person, where the state alone does not tell it. */
export function whyNot(snapshot: RecordingSnapshot, fact: RecordingFact): string | undefined {
  const { audio, sources } = snapshot.context;
  if (fact.type !== 'reprocessing.requested') return undefined;
  if (snapshot.matches('error')) return failedBefore;
  if (!snapshot.matches('idle')) return undefined;
  const needsAudio = fact.data.from === 'speech-to-text' || fact.data.from === 'diarize';
  // There is only what was recognised before.
  return needsAudio && !audio && sources.draft.results.audio !== null ? audioRemoved : undefined;
}

const failedBefore =
  'The last try failed. Try that again (POST /recordings/{id}/retry), or clear its error first (POST /toggle ' +
  'with the action reset): then it can be processed from any stage on.';

const audioRemoved =
  'The audio of this recording was removed when its documents were written (audio.keep: none), so it ' +
  'cannot be listened to again. Its words are still there: process it again from language-model.';

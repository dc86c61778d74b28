import type { RecordingFactOf } from '../../events/facts/recording.ts';
import { type Recording, factAt } from '../../projections/recording/recording.ts';
import type { Log } from '../shared/log.ts';
import type { SpeechEngine } from '../speech/engine.ts';

export type SecondPassDeps = {
  /** The model that makes another version of what was recognised while it was recorded (`stt.second_pass`). */
  secondPass(): string | null;
  log: Pick<Log, 'warn'>;
};

/**
 * The model of the second pass that is to follow, noted with the transcription. None if everything was recognised after
 * the stop, or by that model already, or if the engine does not have the model, which is logged.
 */
export function secondPassBy(
  { recordingId, sources, facts }: Recording,
  by: { model: string | null; withModel?: SpeechEngine['withModel'] | undefined },
  { secondPass, log }: SecondPassDeps,
): Pick<RecordingFactOf<'transcription.completed'>['data'], 'second_pass'> {
  const wasFollowed = facts.some(
    (fact) => fact.type === 'stage.started' && fact.data.stage === 'follow',
  );
  const isFirst = sources.run === 1 && sources.draft.utterances > 0;
  const model = wasFollowed && isFirst ? secondPass() : null;
  if (model === null || model === by.model) return {};
  if (by.withModel?.(model).model === model) return { second_pass: model };
  log.warn({ recordingId, model }, 'second transcription skipped; the model is not available');
  return {};
}

/**
 * The request for a second run with a better model, as soon as the live transcript has its documents. Null if no second
 * run is due, or if it began before. Pure.
 */
export function secondPassDue({
  sources,
  files,
  facts,
}: Recording): RecordingFactOf<'reprocessing.requested'> | null {
  const { transcription } = sources.draft.results;
  const completed = factAt({ facts }, transcription, 'transcription.completed');
  // Texts with names that changed are written first, and then it comes here again.
  if (!completed || sources.retelling || files.audio === null) return null;
  const model = completed.data.second_pass;
  if (model === undefined) return null;
  const isOver = facts.some(
    (fact) =>
      fact.version > completed.version &&
      fact.type === 'reprocessing.requested' &&
      fact.data.model !== undefined,
  );
  return isOver
    ? null
    : { type: 'reprocessing.requested', data: { from: 'speech-to-text', model } };
}

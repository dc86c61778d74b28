import { ulid } from 'ulid';
import { type Stage, recordingOf, stageTable, stages } from '../../events/facts/recording.ts';
import { reprocess } from '../../projections/recording/decide.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { RecordingService } from './service.ts';

/** What became of a recording that was processed again. */
export type Replayed = {
  recording_id: string;
  state: string;
  version: number;
  documents: { index: string; transcript: string; summary: string } | null;
  error: string | null;
};

/** The stages that a run can begin with. */
export const replayed: readonly Stage[] = stages.filter((stage) => stageTable[stage].from !== null);

/** A recording that has not settled by then is waited for no longer; it goes on all the same. */
const settledWithinMs = 24 * 3_600_000;

/**
 * Processes a recording again from a stage on, by the same commands as a person: results before it
 * are taken from the log, and no engine is asked for them. Resolves when nothing is done with it.
 * @throws {Error} for a stage nothing can begin from; {NotAccepted}, {UnknownRecording}, {CommandRefused}
 */
export async function replayFrom(
  service: {
    recordingService: Pick<RecordingService, 'decide'>;
    hasLanguageModel(): boolean;
    storage: ProjectionStorage;
    projections: Pick<ProjectionRunner, 'applied' | 'onApplied'>;
  },
  recordingId: string,
  stage: string,
): Promise<Replayed> {
  const wanted = replayed.find((one) => one === stage);
  const from = wanted ? stageTable[wanted].from : null;
  if (from === null) throw new Error(`Begin from one of ${replayed.join(', ')}, not "${stage}".`);
  const { recordingService, storage, projections } = service;
  const { position } = await recordingService.decide(
    recordingId,
    { by: 'system', command: `replay-${ulid()}` },
    reprocess({ from }, { hasLanguageModel: service.hasLanguageModel() }),
  );
  await projections.applied('recordings', position);
  await settled(service, recordingId);
  const row = await recordingById(storage, recordingId);
  return {
    recording_id: recordingId,
    state: row?.state ?? '',
    version: row?.version ?? 0,
    documents: row?.documents ?? null,
    error: row?.error?.message ?? null,
  };
}

async function settled(
  { storage, projections }: Parameters<typeof replayFrom>[0],
  recordingId: string,
): Promise<void> {
  let stop = () => {};
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const look = async () => {
        const row = await recordingById(storage, recordingId);
        if (row?.status !== 'transcribing') resolve();
      };
      timer = setTimeout(resolve, settledWithinMs);
      stop = projections.onApplied((facts) => {
        if (facts.some((fact) => recordingOf(fact.stream) === recordingId)) look().catch(reject);
      });
      look().catch(reject);
    });
  } finally {
    clearTimeout(timer);
    stop();
  }
}

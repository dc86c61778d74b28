import { ulid } from 'ulid';
import type { RecordingFactType } from '../../events/facts/recording.ts';
import { voicesWaiting } from '../../projections/people.ts';
import { measureVoices, voicesToMeasure } from '../../projections/recording/measured-voices.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { Log } from '../shared/log.ts';
import type { VoiceEmbedder } from '../speech/diarization/diarize.ts';
import type { RecordingService } from './service.ts';
import type { JobQueue } from './stages/job-queue.ts';

/**
 * Measures voices of profiles again from the kept audio: with another embedding model than they were made with, and
 * after people moved speech from one label to another. What waits is read from rows, so nothing is queued, and a
 * restart goes on where it was.
 */
export interface VoiceCatchUp {
  /** Looks for what waits, now and after each fact that may lead to more. Until then nothing is measured. */
  begin(): void;
  /** Looks for what waits, once more when what it is at is done. Returns at once. */
  look(): void;
  /** What waits, of one owner or of all; of more than `countedMax` recordings no more are looked at. */
  state(owner?: string): Promise<VoicesWaiting>;
  /** Leaves a recording alone; resolves when nothing of it is read or written any more. */
  leave(recordingId: string): Promise<void>;
  close(): Promise<void>;
}

export type VoicesWaiting = {
  /** The model that voices are measured with; null: none is installed, so nothing is measured. */
  embedding_model: string | null;
  /** Recordings with voices that wait for it, and those of them whose audio is not kept: these stay as they are. */
  waiting: number;
  without_audio: number;
  /** The one it is at. */
  now: { recording_id: string; fraction: number } | null;
};

/** After these facts there may be something to measure. */
const leadsToMeasuring: ReadonlySet<string> = new Set<RecordingFactType>([
  'diarization.completed',
  'documents.saved',
  'speakers.renamed',
  'turn.edited',
  'turns.recut',
]);

/** Tries with one recording, until the next start. */
const triesMax = 3;
/** Recordings that are remembered as failed, or without audio; beyond it all are looked at again. */
const rememberedMax = 10_000;
const countedMax = 2_000;

type Deps = {
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'onApplied'>;
  recordingService: Pick<RecordingService, 'read' | 'decide'> & {
    whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
  };
  jobQueue: JobQueue;
  folderOf(recordingId: string): string;
  /** What measures; null without a model. To be closed. */
  openEmbedder(): Promise<VoiceEmbedder | null>;
  /** `speakers.profiles` */
  isOn(): boolean;
  log: Log;
};

type CatchUp = Deps & {
  closing: AbortController;
  current: { recordingId: string; owner: string; fraction: number; stop: AbortController } | null;
  /** Of the current recording: settles when it is left. */
  done: Promise<unknown>;
  tries: Map<string, number>;
};

export function openVoiceCatchUp(deps: Deps): VoiceCatchUp {
  const work: CatchUp = {
    ...deps,
    closing: new AbortController(),
    current: null,
    done: Promise.resolve(),
    tries: new Map(),
  };
  let running: Promise<void> | null = null;
  let isAskedAgain = false;
  let stopFollowing: (() => void) | null = null;
  const look = (): void => {
    if (stopFollowing === null || work.closing.signal.aborted) return;
    if (running) {
      isAskedAgain = true;
      return;
    }
    running = lookAtAll(work)
      .catch((error: unknown) => {
        if (!work.closing.signal.aborted)
          deps.log.warn({ err: error }, 'voices could not be measured again');
      })
      .finally(() => {
        running = null;
        if (!isAskedAgain) return;
        isAskedAgain = false;
        look();
      });
  };
  return {
    begin() {
      stopFollowing ??= deps.projections.onApplied((facts) => {
        if (facts.some(({ type }) => leadsToMeasuring.has(type))) look();
      });
      look();
    },
    look,
    state: (owner) => stateOf(work, owner),
    async leave(recordingId) {
      if (work.current?.recordingId !== recordingId) return;
      work.current.stop.abort();
      await work.done;
    },
    async close() {
      work.closing.abort();
      stopFollowing?.();
      work.current?.stop.abort();
      await running;
    },
  };
}

async function lookAtAll(work: CatchUp): Promise<void> {
  const { storage, closing, tries, log } = work;
  const model = await presentModel(work);
  if (model === null) return;
  for await (const { recordingId, owner } of voicesWaiting(storage, model)) {
    if (closing.signal.aborted || !work.isOn()) return;
    const tried = tries.get(recordingId) ?? 0;
    if (tried >= triesMax) continue;
    const audio = await audioOf(storage, recordingId, owner);
    // One that is worked on comes here again with its documents.
    if (audio === 'busy') continue;
    if (tries.size >= rememberedMax) tries.clear();
    tries.set(recordingId, audio === 'gone' ? triesMax : tried + 1);
    if (audio === 'gone') continue;
    const stop = new AbortController();
    work.current = { recordingId, owner, fraction: 0, stop };
    const attempt = measureOne(work, work.current, model);
    work.done = Promise.allSettled([attempt]);
    try {
      if (await attempt) tries.delete(recordingId);
    } catch (error) {
      if (!stop.signal.aborted)
        log.warn({ err: error, recordingId }, 'its voices could not be measured again');
    } finally {
      work.current = null;
    }
  }
}

/** Returns whether the log has what was measured, or that something else is to be measured by now. */
async function measureOne(
  work: CatchUp,
  current: NonNullable<CatchUp['current']>,
  model: string,
): Promise<boolean> {
  const { recordingService, jobQueue, folderOf } = work;
  const { recordingId, owner, stop } = current;
  const { signal } = stop;
  const slot = await jobQueue.acquire({
    queue: 'diarization',
    concurrency: 1,
    owner,
    alone: false,
    signal,
    onWaiting() {},
  });
  const embedder = await work.openEmbedder();
  try {
    if (embedder?.embeddingModel !== model) return true;
    const { measuredVoices } = await import('./stages/measure-voices.ts');
    const job = {
      recordingId,
      signal,
      progress(fraction: number) {
        current.fraction = fraction;
        if (!work.isOn()) stop.abort();
      },
      waiting() {},
    };
    const measured = await recordingService.whileFilesStay(async () => {
      const { recording } = await recordingService.read(recordingId);
      const plan = voicesToMeasure(recording, model);
      if (!plan) return null;
      const isSpoken = plan.turns.length > 0;
      const tools = { embedder, folderOf };
      return { plan, heard: isSpoken ? await measuredVoices(job, recording, plan, tools) : [] };
    });
    signal.throwIfAborted();
    if (!measured) return true;
    const { plan, heard } = measured;
    const metadata = { by: 'system', command: `measure-voices-${ulid()}` };
    await recordingService.decide(recordingId, metadata, measureVoices(plan, model, heard));
    return true;
  } finally {
    slot.release();
    await embedder?.close();
  }
}

async function presentModel({ openEmbedder }: Deps): Promise<string | null> {
  const embedder = await openEmbedder();
  await embedder?.close();
  return embedder?.embeddingModel ?? null;
}

async function audioOf(
  storage: ProjectionStorage,
  recordingId: string,
  owner: string,
): Promise<'kept' | 'gone' | 'busy'> {
  const row = await recordingById(storage, recordingId);
  // Handed over, erased, or at work: its rows are about to say so.
  if (row?.owner !== owner || row.status !== 'idle') return 'busy';
  return row.audio === null ? 'gone' : 'kept';
}

async function stateOf(work: CatchUp, owner: string | undefined): Promise<VoicesWaiting> {
  const { storage, current } = work;
  const model = await presentModel(work);
  const found = { waiting: 0, without_audio: 0 };
  if (model !== null) {
    for await (const one of voicesWaiting(storage, model)) {
      if (found.waiting >= countedMax) break;
      if (owner !== undefined && one.owner !== owner) continue;
      found.waiting += 1;
      const audio = await audioOf(storage, one.recordingId, one.owner);
      if (audio === 'gone') found.without_audio += 1;
    }
  }
  const isAsked = current && (owner === undefined || current.owner === owner);
  const now = isAsked ? { recording_id: current.recordingId, fraction: current.fraction } : null;
  return { embedding_model: model, ...found, now };
}

import { LRUCache } from 'lru-cache';
import { type RecordingFactType, recordingOf } from '../../events/facts/recording.ts';
import { hasVoices, voicesWaiting } from '../../projections/people.ts';
import { voicesToMeasure } from '../../projections/recording/measured-voices.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { onAbort, untilAborted } from '../shared/abort.ts';
import { voicesFileNames } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';
import { type Limited, mutex } from '../shared/mutex.ts';
import { onceMore } from '../shared/once-more.ts';
import type { MeasuringDeps } from './stages/measure-voices.ts';

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
  /**
   * Measures a recording whose audio is about to be removed, if it waits for that: once, behind what is being measured.
   * A failure is logged; the voice then stays unmeasured.
   * @throws AbortError when aborted, or closed
   */
  measureLast(recordingId: string, signal: AbortSignal): Promise<void>;
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
  /** Of those that wait: recordings that failed so often that they are left alone until the next start. */
  given_up: number;
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

/** Failures with one recording, until the next start. */
const failuresMax = 3;
/** Recordings that are remembered as failed, or without audio; beyond it those are looked at again that were not for longest. */
const rememberedMax = 10_000;
const countedMax = 2_000;

type Deps = MeasuringDeps & {
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'onApplied'>;
  /** `speakers.profiles` */
  isOn(): boolean;
  log: Log;
};

type CatchUp = Deps & {
  closing: AbortController;
  /** One recording is measured at a time. */
  inTurn: Limited;
  current: { recordingId: string; owner: string; fraction: number; stop: AbortController } | null;
  /** Of the current recording: settles when it is left. */
  done: Promise<unknown>;
  /** How often measuring a recording has failed. */
  failures: LRUCache<string, number>;
  /** Recordings of which facts came since the last look; of more than `rememberedMax` all that waits is looked at. */
  changed: Set<string>;
  /** The model with which all that waits was looked at; null: it is to be. */
  lookedWith: string | null;
  /** How often that was asked for. */
  wanted: number;
};

export function openVoiceCatchUp(deps: Deps): VoiceCatchUp {
  const catchUp: CatchUp = {
    ...deps,
    closing: new AbortController(),
    inTurn: mutex(),
    current: null,
    done: Promise.resolve(),
    failures: new LRUCache({ max: rememberedMax }),
    changed: new Set(),
    lookedWith: null,
    wanted: 0,
  };
  let stopFollowing: (() => void) | null = null;
  let next = removeCopies;
  const look = onceMore(async () => {
    if (stopFollowing === null || catchUp.closing.signal.aborted) return;
    const work = next;
    next = lookAtWaiting;
    await work(catchUp).catch((error: unknown) => {
      if (!catchUp.closing.signal.aborted) deps.log.warn({ err: error }, 'updating voices failed');
    });
  });
  return {
    begin() {
      if (stopFollowing !== null) return;
      stopFollowing = deps.projections.onApplied((facts) => {
        const leading = facts.filter(({ type }) => leadsToMeasuring.has(type));
        for (const { stream } of leading) catchUp.changed.add(recordingOf(stream)!);
        if (catchUp.changed.size > rememberedMax) wantAll(catchUp);
        if (leading.length > 0) void look();
      });
      void look();
      void look();
    },
    look() {
      wantAll(catchUp);
      void look();
    },
    async measureLast(recordingId, signal) {
      const model = catchUp.isOn() ? await presentModel(catchUp) : null;
      if (model === null) return;
      const either = AbortSignal.any([signal, catchUp.closing.signal]);
      const attempt = catchUp.inTurn(() =>
        attemptOne(catchUp, recordingId, { model, signal: either }),
      );
      await untilAborted(attempt, either);
    },
    state: (owner) => stateOf(catchUp, owner),
    async leave(recordingId) {
      if (catchUp.current?.recordingId !== recordingId) return;
      catchUp.current.stop.abort();
      await catchUp.done;
    },
    async close() {
      catchUp.closing.abort();
      stopFollowing?.();
      await look();
      await catchUp.done;
    },
  };
}

/** A copy of the audio that a killed process left goes, whether or not its recording is measured again. */
async function removeCopies(work: CatchUp): Promise<void> {
  const model = await modelFor(work);
  if (model === null) return;
  for await (const { recordingId } of voicesWaiting(work.storage, model)) {
    if (work.closing.signal.aborted) return;
    await work.files.removeDerived(recordingId, voicesFileNames);
  }
}

function wantAll(work: CatchUp): void {
  work.changed.clear();
  work.lookedWith = null;
  work.wanted += 1;
}

/** All that waits for a model, once; then what facts came of, and what failed. */
async function lookAtWaiting(work: CatchUp): Promise<void> {
  const { changed, failures, lookedWith, wanted } = work;
  const failed = [...failures.entries()].filter(([, times]) => times < failuresMax);
  const some = new Set([...changed, ...failed.map(([recordingId]) => recordingId)]);
  changed.clear();
  // What ends this look early leaves all to the next one.
  work.lookedWith = null;
  const model = await modelFor(work);
  if (model === null) return;
  for await (const { recordingId, owner } of lookedWith === model
    ? [...some].map((id) => ({ recordingId: id, owner: undefined }))
    : voicesWaiting(work.storage, model))
    if (!(await lookAtOne(work, recordingId, { model, owner }))) return;
  if (work.wanted === wanted) work.lookedWith = model;
}

/** @returns whether to go on */
async function lookAtOne(
  work: CatchUp,
  recordingId: string,
  { model, owner }: { model: string; owner: string | undefined },
): Promise<boolean> {
  const { storage, closing, failures, inTurn } = work;
  const goesOn = () => !closing.signal.aborted && work.isOn();
  if (!goesOn()) return false;
  if ((failures.get(recordingId) ?? 0) >= failuresMax) return true;
  const audio = await audioOf(storage, recordingId, owner);
  // Its end is no fact that leads here where it is cancelled: it is looked at with the next.
  if (audio === 'busy') work.changed.add(recordingId);
  else if (audio === 'gone') failures.set(recordingId, failuresMax);
  else await inTurn(() => attemptOne(work, recordingId, { model, signal: closing.signal }));
  return goesOn();
}

/** Measures one recording. What goes wrong is logged and counted; being stopped is neither. */
async function attemptOne(
  work: CatchUp,
  recordingId: string,
  { model, signal }: { model: string; signal: AbortSignal },
): Promise<void> {
  const { failures, log } = work;
  if (signal.aborted) return;
  const stop = new AbortController();
  const forget = onAbort(signal, () => stop.abort());
  const attempt = measureOne(work, recordingId, { model, stop });
  work.done = Promise.allSettled([attempt]);
  try {
    await attempt;
    failures.delete(recordingId);
  } catch (error) {
    if (stop.signal.aborted) return;
    failures.set(recordingId, (failures.get(recordingId) ?? 0) + 1);
    log.warn({ err: error, recordingId }, 'updating the voices of a recording failed');
  } finally {
    forget();
    work.current = null;
  }
}

async function measureOne(
  work: CatchUp,
  recordingId: string,
  { model, stop }: { model: string; stop: AbortController },
): Promise<void> {
  const { recording } = await work.recordingService.read(recordingId);
  const { owner } = recording.files;
  if (owner === null || !voicesToMeasure(recording, model)) return;
  const current = (work.current = { recordingId, owner, fraction: 0, stop });
  const { measureAgain } = await import('./stages/measure-voices.ts');
  await measureAgain(work, {
    recordingId,
    owner,
    model,
    signal: stop.signal,
    onProgress(fraction) {
      current.fraction = fraction;
      if (!work.isOn()) stop.abort();
    },
  });
}

/** Null also where no voice is known: then nobody need look for models. */
const modelFor = async (work: CatchUp): Promise<string | null> =>
  (await hasVoices(work.storage)) ? await presentModel(work) : null;

async function presentModel({ openEmbedder }: Deps): Promise<string | null> {
  const embedder = await openEmbedder();
  await embedder?.close();
  return embedder?.embeddingModel ?? null;
}

async function audioOf(
  storage: ProjectionStorage,
  recordingId: string,
  owner: string | undefined,
): Promise<'kept' | 'gone' | 'busy'> {
  const row = await recordingById(storage, recordingId);
  if (!row) return 'gone';
  // Handed over, or at work: its rows are about to say so.
  if (row.status !== 'idle' || (owner !== undefined && row.owner !== owner)) return 'busy';
  return row.audio === null ? 'gone' : 'kept';
}

async function stateOf(work: CatchUp, owner: string | undefined): Promise<VoicesWaiting> {
  const { storage, current, failures } = work;
  const model = await presentModel(work);
  const found = { waiting: 0, without_audio: 0, given_up: 0 };
  if (model !== null) {
    for await (const one of voicesWaiting(storage, model)) {
      if (found.waiting >= countedMax) break;
      if (owner !== undefined && one.owner !== owner) continue;
      found.waiting += 1;
      const audio = await audioOf(storage, one.recordingId, one.owner);
      if (audio === 'gone') found.without_audio += 1;
      else if ((failures.get(one.recordingId) ?? 0) >= failuresMax) found.given_up += 1;
    }
  }
  const isAsked = current && (owner === undefined || current.owner === owner);
  const now = isAsked ? { recording_id: current.recordingId, fraction: current.fraction } : null;
  return { embedding_model: model, ...found, now };
}

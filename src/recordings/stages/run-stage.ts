import type { CommandMetadata } from '../../../events/command-handler.ts';
import { type RecordingFact, type Stage, stageTable } from '../../../events/facts/recording.ts';
import { EventStoreError } from '../../../events/store.ts';
import type { Log } from '../../shared/log.ts';
import type { BlobsError } from '../../storage/blobs/blobs.ts';
import { pauseAfter } from '../../shared/pauses.ts';
import { systemClock } from '../../shared/retry.ts';
import { StageError, hasCode, messageOf } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import type { Sentence } from '../../words/params.ts';
import { waitsFor } from '../../words/waiting.ts';
import type { PartialUtterance, StageProgress, Waiting } from './stage-progress.ts';
import { stateName } from '../../../machines/states.ts';
import { erasedState } from '../handle.ts';
import { NotAccepted } from '../refusals.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import {
  type RecordingAggregate,
  type RunStage,
  isLogAway,
  logPauses,
} from '../control/aggregate.ts';
import type { JobQueue, QueueWait, Slot, SlotRequest } from './job-queue.ts';

/** Jobs that name the same queue share its slots. */
export type JobQueueName = { name: string; concurrency: number };

/** What an activity is handed: it reads, waits for a slot, starts, and appends its results. */
export type Job = {
  recordingId: string;
  owner: string;
  run: number;
  signal: AbortSignal;
  /** Whether nothing of the recording is to be left. */
  isErased(): boolean;
  /** Everything the log holds of the recording, read now; again while the log cannot be asked. */
  recording(): Promise<Recording>;
  /**
   * Waits for a slot in a queue, then records that the stage has started. Called once, before
   * anything is asked of an engine. The slot is released when the activity ends, or by `release` before.
   * @param again asked with the slot: where it names another queue, the job waits there
   */
  acquireSlot(queue: JobQueueName, again?: () => Promise<JobQueueName>): Promise<void>;
  release(): void;
  /**
   * Records that the stage has started, without a slot: for one that goes on for as long as people talk. Each of
   * its requests waits for a `turn`, and gives it back; `isShown: false` where the stage goes on meanwhile.
   */
  begin(): Promise<void>;
  turn(
    queue: JobQueueName,
    signal: AbortSignal,
    options?: { isShown?: boolean; again?: () => Promise<JobQueueName> },
  ): Promise<Slot>;
  /**
   * Appends a result, again until it is stored; `onBehalf` where it is so because of a person's command.
   * @throws {StageSuperseded} when it is no longer wanted.
   */
  append(fact: RecordingFact, onBehalf?: { by: string; command: string }): Promise<void>;
  /** As `append`, with what is decided on the newest facts: all or none, and each command once. */
  decide(
    decision: (recording: Recording) => readonly RecordingFact[],
    onBehalf?: { by: string; command: string },
  ): Promise<void>;
  /** Appends the stage's last result with what begins at once because of it: both or none. */
  appendLast(result: RecordingFact, next: RecordingFact | null): Promise<void>;
  /** 0 to 1, for those who watch. */
  progress(fraction: number): void;
  /** What the activity waits for besides its slot, if not for the engine that it asks; null when it goes on. */
  waiting(waiting: (Omit<Waiting, 'for' | 'ahead'> & Partial<Waiting>) | null): void;
  /** How many seconds of what was said are not recognised yet. */
  behind(seconds: number): void;
  /** What may have been said, for those who watch; null once it is certain. */
  partial(heard: PartialUtterance | null): void;
};

export type StageActivity = (job: Job) => Promise<void>;

/** The machine has moved on: the activity's result is not wanted any more. */
export class StageSuperseded extends Error {
  override name = 'Superseded';
}

/** How often the process may die in a stage before the job has to run alone, and before it is given up. */
export const deathsBeforeAlone = 2;
export const deathsBeforeFailed = 3;

type StageRunnerDeps = {
  activities: Record<Stage, StageActivity>;
  jobQueue: JobQueue;
  progress: StageProgress;
  log: Log;
};

/**
 * Runs each stage's activity in a slot, and appends its results until each is stored or refused. An activity that a log
 * ended which cannot be asked is begun again when it can: that is no failure of the stage.
 */
export function stageRunner(deps: StageRunnerDeps): RunStage {
  return async (stage, recording, signal) => {
    const { recordingId } = recording;
    deps.progress.add(recordingId, stage);
    const start = { stage, recording, signal };
    let starts = 0;
    try {
      await untilAnswered(start, deps, { isTransient: isLogAway, what: 'stage' }, async () => {
        if (starts > 0) deps.progress.set(recordingId, stage, { waiting: null });
        starts += 1;
        await runOnce(start, deps);
      });
    } catch (error) {
      if (!(error instanceof StageSuperseded)) throw error;
    } finally {
      deps.progress.remove(recordingId, stage);
    }
  };
}

type Start = Pick<Launch, 'stage' | 'recording' | 'signal'>;

/** @throws {StageSuperseded}; {EventStoreError} the log cannot be asked: nothing runs then, and nothing counts as begun */
async function runOnce({ stage, recording, signal }: Start, deps: StageRunnerDeps): Promise<void> {
  const stop = new AbortController();
  const launch = launchOf(stage, recording, AbortSignal.any([signal, stop.signal]));
  try {
    await deps.activities[stage](jobOf(launch, deps)).catch((error: unknown) => {
      if (!(error instanceof StageSuperseded)) throw error;
    });
    if (!signal.aborted && isAwaited(launch)) throw new Error(`${stage} ended without a result`);
  } catch (error) {
    if (signal.aborted) return;
    if (!isLogAway(error)) return await appendFailure(launch, error, deps);
    if (launch.attempt !== undefined)
      await append(launch, [{ type: 'stage.interrupted', data: { stage } }], deps);
    throw error;
  } finally {
    stop.abort();
    launch.release();
  }
}

/** Whether the recording waits for this start: with nothing at work it would be shown as processing for ever. */
function isAwaited({ stage, recording, attempt }: Launch): boolean {
  const snapshot = recording.snapshot();
  const isRunning = attempt !== undefined && snapshot.context.running[stage] === attempt;
  // What follows while people still talk ends when it likes.
  return isRunning && !snapshot.matches('recording');
}

/** One start of a stage. */
type Launch = {
  stage: Stage;
  recording: RecordingAggregate;
  run: number;
  /** Before this start is recorded: the attempt that a dead process left behind, if any. */
  attempt: number | undefined;
  /** How often the process died in the stage. */
  deaths: number;
  /** Differs from all other launches: whatever was stored since has moved the version. */
  command: string;
  appends: number;
  /** Aborts when the stage is left or has ended. */
  signal: AbortSignal;
  release(): void;
};

function launchOf(stage: Stage, recording: RecordingAggregate, signal: AbortSignal): Launch {
  const { context } = recording.snapshot();
  return {
    stage,
    recording,
    run: context.sources.run,
    attempt: context.running[stage],
    deaths: context.deaths[stage] ?? 0,
    command: `${recording.recordingId}/${stage}@${recording.version()}`,
    appends: 0,
    signal,
    release: () => {},
  };
}

function jobOf(launch: Launch, deps: StageRunnerDeps): Job {
  const { stage, recording, run, signal } = launch;
  const { recordingId } = recording;
  const { progress } = deps;
  const owner = recording.snapshot().context.files.owner ?? 'system';
  return {
    recordingId,
    owner,
    run,
    signal,
    isErased: () => stateName(recording.snapshot().value) === erasedState,
    recording: () =>
      untilAnswered(launch, deps, { isTransient: isLogAway, what: 'read' }, () => recording.read()),
    acquireSlot: (queue, again) => acquireSlot(launch, { queue, again, owner }, deps),
    release: () => launch.release(),
    begin: () => begin(launch, deps),
    turn: (queue, turnSignal, { isShown = true, again } = {}) =>
      slotIn(deps.jobQueue, queue, again, {
        owner,
        signal: turnSignal,
        onWaiting: (waiting) =>
          isShown && progress.set(recordingId, stage, { waiting: inQueue(stage, waiting) }),
      }),
    append: (fact, onBehalf) => append(launch, [fact], deps, onBehalf),
    decide: (decision, onBehalf) => decide(launch, decision, 'decision', deps, onBehalf),
    appendLast: (result, next) => append(launch, next ? [result, next] : [result], deps),
    progress: (fraction) => progress.set(recordingId, stage, { fraction }),
    waiting: (waiting) =>
      progress.set(recordingId, stage, {
        waiting: waiting && { for: waitsFor(stageTable[stage].awaits), ahead: 0, ...waiting },
      }),
    behind: (behind) => progress.set(recordingId, stage, { behind }),
    partial: (heard) => progress.hear(recordingId, heard),
  };
}

async function acquireSlot(
  launch: Launch,
  {
    queue,
    again,
    owner,
  }: { queue: JobQueueName; again: (() => Promise<JobQueueName>) | undefined; owner: string },
  deps: StageRunnerDeps,
): Promise<void> {
  const { stage, recording, deaths, signal } = launch;
  const { recordingId } = recording;
  refuseDeadly(launch);
  const slot = await slotIn(deps.jobQueue, queue, again, {
    owner,
    alone: deaths >= deathsBeforeAlone,
    signal,
    onWaiting: (waiting) =>
      deps.progress.set(recordingId, stage, { waiting: inQueue(stage, waiting) }),
  });
  launch.release = () => slot.release();
  await begin(launch, deps);
}

/** A slot in the queue that is the right one when it comes. */
async function slotIn(
  jobQueue: JobQueue,
  queue: JobQueueName,
  again: (() => Promise<JobQueueName>) | undefined,
  request: Omit<SlotRequest, 'queue' | 'concurrency'>,
): Promise<Slot> {
  const slot = await jobQueue.acquire({
    ...request,
    queue: queue.name,
    concurrency: queue.concurrency,
  });
  let now = queue;
  try {
    now = (await again?.()) ?? queue;
    if (now.name === queue.name) return slot;
  } catch (error) {
    slot.release();
    throw error;
  }
  slot.release();
  return await slotIn(jobQueue, now, again, request);
}

/** What kills the service each time is not begun again. */
function refuseDeadly({ deaths }: Launch): void {
  if (deaths < deathsBeforeFailed) return;
  throw new StageError(failure('server-crashed-here', { times: deaths }), { retriable: true });
}

async function begin(launch: Launch, deps: StageRunnerDeps): Promise<void> {
  const { stage, recording } = launch;
  const { recordingId } = recording;
  refuseDeadly(launch);
  await append(launch, [{ type: 'stage.started', data: { stage } }], deps);
  launch.attempt = recording.snapshot().context.running[stage];
  if (launch.attempt === undefined) {
    throw new StageSuperseded('the stage was left as it started');
  }
  deps.progress.set(recordingId, stage, { attempt: launch.attempt });
}

/** A result that is not stored would leave a state with nothing running: so it is appended until it is. */
async function append(
  launch: Launch,
  facts: readonly RecordingFact[],
  deps: StageRunnerDeps,
  onBehalf?: { by: string; command: string },
): Promise<void> {
  await decide(launch, () => facts, facts[0]!.type, deps, onBehalf);
}

async function decide(
  launch: Launch,
  decision: (recording: Recording) => readonly RecordingFact[],
  what: string,
  deps: StageRunnerDeps,
  onBehalf?: { by: string; command: string },
): Promise<void> {
  const { run, attempt, recording } = launch;
  launch.appends += 1;
  const metadata: CommandMetadata = {
    by: 'system',
    command: `${launch.command}/${launch.appends}`,
    ...onBehalf,
    run,
    ...(attempt === undefined ? {} : { attempt }),
  };
  const how = { isTransient: mayBeTaken, what };
  await untilAnswered(launch, deps, how, () => recording.decide(metadata, decision));
}

/** Also what needs a person before it is taken: a result is not given up for it. */
const mayBeTaken = (error: unknown): error is EventStoreError =>
  error instanceof EventStoreError &&
  !['CLOSED', 'INVALID_FACT', 'UNREADABLE'].includes(error.code);

const inQueue = (stage: Stage, waiting: QueueWait | null): Waiting | null =>
  waiting && {
    ...waiting,
    for: waitsFor(waiting.for === 'turn' ? stageTable[stage].awaits : waiting.for),
  };

/**
 * Asks the log, again as long as it takes while it does not answer, and shown as waiting for it.
 * @throws {StageSuperseded} the stage was left, or the service stops: the next start does it again
 */
async function untilAnswered<T>(
  { recording, stage, signal }: Start,
  { progress, log }: StageRunnerDeps,
  how: { isTransient(error: unknown): error is EventStoreError; what: string },
  work: () => Promise<T>,
): Promise<T> {
  const { recordingId } = recording;
  let since: string | undefined;
  for (let waits = 0; ; waits += 1) {
    try {
      const answer = await work();
      if (since !== undefined) progress.set(recordingId, stage, { waiting: null });
      return answer;
    } catch (error) {
      if (error instanceof NotAccepted) throw new StageSuperseded(error.message);
      if (error instanceof EventStoreError && error.code === 'CLOSED')
        throw new StageSuperseded('the service is stopping');
      if (!how.isTransient(error)) throw error;
      log.warn(
        { code: error.code, recordingId, stage, what: how.what },
        'event log failed; trying again',
      );
      since ??= new Date().toISOString();
      progress.set(recordingId, stage, { waiting: { for: waitsFor('saving'), ahead: 0, since } });
      // A service that stops leaves the result unstored; the next start does the stage again.
      await systemClock.wait(pauseAfter(logPauses, waits), signal).catch(() => {
        throw new StageSuperseded('the stage was left');
      });
    }
  }
}

/** What people are told of an error that ended a stage. */
function reasonOf(error: unknown): Sentence {
  if (error instanceof StageError) return error.sentence;
  return failure(hasCode<BlobsError>(error, 'BLOBS_DIFFER') ? 'files-differ' : 'unexpected-error');
}

async function appendFailure(launch: Launch, error: unknown, deps: StageRunnerDeps): Promise<void> {
  const { stage, run, attempt, recording } = launch;
  const { recordingId } = recording;
  const isKnown = error instanceof StageError;
  deps.log.warn({ err: error, recordingId, stage, run, attempt }, 'step failed');
  await append(
    launch,
    [
      {
        type: 'stage.failed',
        data: {
          stage,
          code: isKnown ? error.code : 'internal',
          retriable: isKnown ? error.retriable : true,
        },
        content: {
          message: messageOf(error),
          reason: reasonOf(error),
          ...(error instanceof Error && error.stack ? { traceback: error.stack } : {}),
        },
      },
    ],
    deps,
  );
}

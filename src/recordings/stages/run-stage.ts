import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandMetadata } from '../../../events/command-handler.ts';
import type { RecordingFact, Stage } from '../../../events/facts/recording.ts';
import { EventStoreError } from '../../../events/store.ts';
import type { Log } from '../../shared/log.ts';
import { StageError } from '../../shared/errors.ts';
import type { StageProgress } from './stage-progress.ts';
import { NotAccepted } from '../handle.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import type { RecordingAggregate, RunStage } from '../aggregate.ts';
import type { JobQueue } from './job-queue.ts';

/** What an activity is handed: it reads, waits for a slot, starts, and appends its results. */
export type Job = {
  recordingId: string;
  owner: string;
  run: number;
  signal: AbortSignal;
  /** Everything the log holds of the recording, read now. */
  recording(): Promise<Recording>;
  /**
   * Waits for a slot in a queue, then records that the stage has started. Called once, before
   * anything is asked of an engine. The slot is released when the activity ends.
   */
  acquireSlot(queue: { name: string; concurrency: number }): Promise<void>;
  /**
   * Appends a result, again until it is stored; `onBehalf` where it is so because of a person's command.
   * @throws {StageSuperseded} when it is no longer wanted.
   */
  append(fact: RecordingFact, onBehalf?: { by: string; command: string }): Promise<void>;
  /** 0 to 1, for those who watch. */
  progress(fraction: number): void;
  /** What the activity waits for besides its slot; null when it goes on. */
  waiting(reason: { reason: string; since: string } | null): void;
};

export type StageActivity = (job: Job) => Promise<void>;

/** The machine has moved on: the activity's result is not wanted any more. */
export class StageSuperseded extends Error {
  override name = 'Superseded';
}

/** How often the process may die in a stage before the job has to run alone, and before it is given up. */
export const deathsBeforeAlone = 2;
export const deathsBeforeFailed = 3;

/** Pause between appends of the same result while the log does not take it, in milliseconds. */
const appendPauseMs = { first: 50, max: 5000 };

export function stageRunner(deps: {
  activities: Record<Stage, StageActivity>;
  jobQueue: JobQueue;
  progress: StageProgress;
  log: Log;
}): RunStage {
  const { activities, jobQueue, progress, log } = deps;

  return async (stage, recording, signal) => {
    const { recordingId } = recording;
    const context = recording.snapshot().context;
    const { run } = context.sources;
    /** Before this start is recorded: the attempt a dead process left behind, if any. */
    let attempt: number | undefined = context.running[stage];
    /** Tells this launch from all others: whatever stored anything since moved the version. */
    const launch = `${recordingId}/${stage}@${recording.version()}`;
    let release = () => {};
    let appends = 0;

    const stop = new AbortController();
    const ended = AbortSignal.any([signal, stop.signal]);
    const append: Job['append'] = async (fact, onBehalf) => {
      appends += 1;
      await appendUntilAnswered(recording, fact, {
        by: 'system',
        command: `${launch}/${appends}`,
        ...onBehalf,
        run,
        ...(attempt === undefined ? {} : { attempt }),
      });
    };

    const job: Job = {
      recordingId,
      owner: context.owner ?? 'system',
      run,
      signal: ended,
      recording: () => recording.read(),
      async acquireSlot(queue) {
        const deaths = context.deaths[stage] ?? 0;
        if (deaths >= deathsBeforeFailed) {
          throw new StageError(
            'took-the-service-down',
            `The service died ${deaths} times while working on this, the last time with nothing ` +
              'else running. It is left alone until somebody asks for another try.',
            { retriable: true },
          );
        }
        const slot = await jobQueue.acquire({
          queue: queue.name,
          concurrency: queue.concurrency,
          owner: job.owner,
          alone: deaths >= deathsBeforeAlone,
          signal: ended,
          onWaiting: (waiting) => progress.set(recordingId, stage, { waiting }),
        });
        release = () => slot.release();
        await append({ type: 'stage.started', data: { stage } });
        attempt = recording.snapshot().context.running[stage];
        if (attempt === undefined) throw new StageSuperseded('the stage was left as it started');
        progress.set(recordingId, stage, { attempt });
      },
      append,
      progress: (fraction) => progress.set(recordingId, stage, { fraction }),
      waiting: (waiting) =>
        progress.set(recordingId, stage, {
          waiting: waiting && { for: waiting.reason, ahead: 0, since: waiting.since },
        }),
    };

    progress.add(recordingId, stage);
    try {
      await activities[stage](job);
    } catch (error) {
      if (signal.aborted || error instanceof StageSuperseded) return;
      await fail(error).catch((failure: unknown) => {
        if (!(failure instanceof StageSuperseded)) throw failure;
      });
    } finally {
      stop.abort();
      release();
      progress.remove(recordingId, stage);
    }

    async function fail(error: unknown): Promise<void> {
      const known = error instanceof StageError;
      log.warn({ err: error, recordingId, stage, run, attempt }, 'stage failed');
      await append({
        type: 'stage.failed',
        data: {
          stage,
          code: known ? error.code : 'internal',
          retriable: known ? error.retriable : true,
        },
        content: {
          message: error instanceof Error ? error.message : String(error),
          ...(error instanceof Error && error.stack ? { traceback: error.stack } : {}),
        },
      });
    }

    /**
     * A result that is not stored would leave a state with nothing running: so it is offered again, as
     * long as it takes, and said so.
     */
    async function appendUntilAnswered(
      target: RecordingAggregate,
      fact: RecordingFact,
      metadata: CommandMetadata,
    ): Promise<void> {
      let since: string | undefined;
      for (let pause = appendPauseMs.first; ; pause = Math.min(pause * 2, appendPauseMs.max)) {
        try {
          await target.append([fact], metadata);
          if (since !== undefined) progress.set(recordingId, stage, { waiting: null });
          return;
        } catch (error) {
          if (error instanceof NotAccepted) throw new StageSuperseded(error.message);
          if (!(error instanceof EventStoreError)) throw error;
          if (error.code === 'CLOSED') throw new StageSuperseded('the service is stopping');
          if (error.code === 'INVALID_FACT' || error.code === 'UNREADABLE') throw error;
          log.warn({ code: error.code, recordingId, stage, type: fact.type }, 'offered again');
          since ??= new Date().toISOString();
          progress.set(recordingId, stage, { waiting: { for: 'the log', ahead: 0, since } });
          // A service that stops leaves the result unstored; the next start does the stage again.
          await sleep(pause, undefined, { signal }).catch(() => {
            throw new StageSuperseded('the stage was left');
          });
        }
      }
    }
  };
}

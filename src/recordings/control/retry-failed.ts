import type { CommandMetadata } from '../../../events/command-handler.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import {
  type RecordingFact,
  type Stage,
  recordingStream,
} from '../../../events/facts/recording.ts';
import type { EventStore } from '../../../events/store.ts';
import type { StageFailure } from '../../shared/errors.ts';
import type { StageErrorCode } from '../../shared/failure-classes.ts';
import type { Log } from '../../shared/log.ts';
import { pauseAfter } from '../../shared/pauses.ts';
import { type Clock, retry } from '../../shared/retry.ts';
import type { Sentence } from '../../words/params.ts';
import { waitsFor } from '../../words/waiting.ts';
import { NotAccepted } from '../refusals.ts';
import { isLogAway } from './aggregate.ts';
import type { StageProgress, Waiting } from '../stages/stage-progress.ts';

/** How an engine looks right now, and what is said of it. `isHere`: it is this machine. */
export type EngineProbe = ({ ready: true } | { ready: false; said: Sentence }) & {
  isHere?: boolean;
};

/**
 * Tries recordings again that ended in an error because of their engine, when it answers, and those that took the
 * service down, after an hour: it may have been the machine.
 */
export interface FailedRetries {
  /** Waits for the engine, where the recording's last error is of that kind; where another process does that, nothing. */
  take(recordingId: string, quiet?: () => Promise<void>): void;
  /** A person or a run has moved the recording on: nothing is waited for any more. */
  leave(recordingId: string): void;
  close(): Promise<void>;
}

/** Errors of an engine that is elsewhere: the same may work when it is back. */
const engineCodes: ReadonlySet<string> = new Set<StageErrorCode>([
  'engine-answer',
  'engine-away',
  'engine-busy',
  'engine-failed',
  'engine-stalled',
  'model-away',
]);
/**
 * What an engine on this machine ends with: there the same again fails again. By the sentence, as servers end with the
 * same class; by the class where the log has no sentence.
 */
const failedHere: ReadonlySet<string> = new Set<StageFailure['code'] | StageErrorCode>([
  'speech-failed',
  'speech-stalled',
  'engine-failed',
  'engine-stalled',
]);
/** There was no engine at all: the same works when a server is named or a model is installed. */
const missingCodes: ReadonlySet<string> = new Set<StageErrorCode>(['no-engine', 'model-missing']);
const deathsCode: StageErrorCode = 'took-the-service-down';
type Cause = 'engine' | 'missing' | 'deaths';
/** Tries in a row, without any result between them, after which a person has to ask for the next. */
const retriesMax: Record<Cause, number> = { engine: 5, missing: 5, deaths: 2 };
/** Before each try, in milliseconds. */
const pauses = { first: 60_000, max: 3600_000 };
/** Between probes of an engine that does not answer, and between looks whether there is one now. */
const probeEveryMs = 60_000;
const lookEveryMs = 5000;
/** After what took the service down. */
const deathsPauseMs = 3600_000;
/** How long an engine is waited for: over a long weekend, and some. */
const waitMs = 7 * 24 * 3600_000;
/** Recordings that wait at once; the others are tried again by a person. */
const waitingMax = 1000;

/** Whether an error is one that passes by itself, so that the recording waits for that. */
export const mayPass = (error: Failed): boolean => causeOf(error) !== null;

type Failed = { code: string; retriable: boolean };

export type RetryDeps = {
  store: Pick<EventStore, 'read'>;
  progress: StageProgress;
  log: Log;
  /** Looks at the engine of a stage; null where it has none that can be asked. Throws for an abort only. */
  probeEngine(stage: Stage, signal: AbortSignal): Promise<EngineProbe | null>;
  append(recordingId: string, fact: RecordingFact, metadata: CommandMetadata): Promise<unknown>;
  /** Whether it is this process that tries again for all. */
  isHere(): boolean;
  clock: Clock;
};

export function openFailedRetries(deps: RetryDeps): FailedRetries {
  const { isHere } = deps;
  const waiting = new Map<string, { stop: AbortController; ended: Promise<void> }>();
  let isClosed = false;
  return {
    take(recordingId, quiet = async () => {}) {
      // What fails while the service ends is waited for by the next start.
      const isFull = waiting.size >= waitingMax;
      if (isClosed || !isHere() || waiting.has(recordingId) || isFull) return;
      const stop = new AbortController();
      const ended = quiet()
        .then(() => retryWhenReady(deps, recordingId, stop.signal))
        .catch((error: unknown) => {
          if (!stop.signal.aborted)
            deps.log.warn(
              { err: error, recordingId },
              'waiting for a server failed; no automatic retry',
            );
        })
        .finally(() => {
          if (waiting.get(recordingId)?.stop === stop) waiting.delete(recordingId);
        });
      waiting.set(recordingId, { stop, ended });
    },
    leave(recordingId) {
      waiting.get(recordingId)?.stop.abort();
      waiting.delete(recordingId);
    },
    async close() {
      isClosed = true;
      const all = [...waiting.values()];
      for (const { stop } of all) stop.abort();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

/** @throws the signal's reason when aborted; what the log throws, but while it cannot be asked. */
async function retryWhenReady(
  deps: RetryDeps,
  recordingId: string,
  signal: AbortSignal,
): Promise<void> {
  // Servers that were away together come back one after the other: the log may not take anything yet.
  const whenLogged = <T>(work: () => Promise<T>): Promise<T> =>
    retry(work, { pauses, signal, isTransient: isLogAway, clock: deps.clock });
  const failure = await whenLogged(() =>
    lastFailure(deps.store.read(recordingStream(recordingId))),
  );
  if (failure === null || failure.retries >= retriesMax[failure.cause]) return;
  const { stage, cause, version, retries } = failure;
  const { progress, log, isHere } = deps;
  const since = new Date().toISOString();
  const wait = async (waits: Waits, pauseMs: number): Promise<void> => {
    progress.set(recordingId, stage, { waiting: { ...waits, ahead: 0, since } });
    await deps.clock.wait(pauseMs, signal);
  };
  try {
    progress.add(recordingId, stage);
    const isDue =
      cause === 'deaths'
        ? await hourPassed(failure, wait)
        : await engineReady(failure, deps, wait, signal);
    if (!isDue || !isHere()) return;
  } finally {
    progress.remove(recordingId, stage);
  }
  log.info({ recordingId, stage, cause, retry: retries + 1 }, 'retrying the failed step');
  const fact = { type: 'retry.requested', data: {} } as const;
  // Of two processes that both try the same failure again one does: it is the same command.
  const command = `retry:${recordingId}:${version}`;
  const append = () => deps.append(recordingId, fact, { by: 'system', command });
  await whenLogged(append).catch((error) => {
    if (!(error instanceof NotAccepted)) throw error;
    log.info({ recordingId }, 'retry skipped because the recording has changed');
  });
}

type Waits = Pick<Waiting, 'for' | 'cause'>;
type Wait = (waits: Waits, pauseMs: number) => Promise<void>;

/** An hour after the failure, also when the service was started again since. */
async function hourPassed({ at: failedAt, retries }: Failure, wait: Wait): Promise<true> {
  const leftMs = Math.min(
    deathsPauseMs,
    Math.max(0, Date.parse(failedAt) + deathsPauseMs - Date.now()),
  );
  const at = new Date(Date.now() + leftMs).toISOString();
  const next = { attempt: retries + 1, limit: retriesMax.deaths, at };
  await wait({ for: waitsFor('next-attempt', next) }, leftMs);
  return true;
}

/** Whether the engine answers by now, or is there, within a week. */
async function engineReady(
  { stage, cause, isOfHere, retries }: Failure,
  { probeEngine, isHere, clock }: RetryDeps,
  wait: Wait,
  signal: AbortSignal,
): Promise<boolean> {
  const isMissing = cause === 'missing';
  const began = clock.now();
  const next = { attempt: retries + 1, limit: retriesMax[cause] };
  const waits: Waits = { for: waitsFor('next-attempt', next) };
  const first = isMissing ? lookEveryMs : pauseAfter(pauses, retries);
  for (let pause = first; ; pause = isMissing ? lookEveryMs : probeEveryMs) {
    await wait(waits, pause);
    const probe = await probeEngine(stage, signal);
    signal.throwIfAborted();
    if (!isHere() || probe === null || (probe.isHere && isOfHere)) return false;
    if (probe.ready) return true;
    if (clock.now() - began > waitMs) return false;
    waits.cause = probe.said;
  }
}

/** The last failure, if it is one to be tried again; `retries` since the last result. `at`: RFC 3339. */
type Failure = {
  stage: Stage;
  cause: Cause;
  /** Whether an engine on this machine failed. */
  isOfHere: boolean;
  version: number;
  at: string;
  retries: number;
};

async function lastFailure(facts: AsyncIterable<LoggedFact>): Promise<Failure | null> {
  let last: Omit<Failure, 'retries'> | null = null;
  let retries = 0;
  for await (const fact of facts) {
    if (fact.type === 'stage.failed') {
      const { version, at, data, content } = fact;
      const cause = causeOf(data);
      const isOfHere = failedHere.has(content?.reason?.code ?? data.code);
      last = cause && { stage: data.stage, cause, isOfHere, version, at };
    } else if (fact.type === 'retry.requested' && fact.by === 'system') {
      retries += 1;
    } else if (!withoutResult.has(fact.type)) {
      retries = 0;
    }
  }
  return last && { ...last, retries };
}

function causeOf({ code, retriable }: Failed): Cause | null {
  if (missingCodes.has(code)) return 'missing';
  if (!retriable) return null;
  if (code === deathsCode) return 'deaths';
  return engineCodes.has(code) ? 'engine' : null;
}

/** Facts of a try that got nowhere. */
const withoutResult: ReadonlySet<string> = new Set([
  'stage.started',
  'stage.interrupted',
  'speech.followed',
  'speech.detected',
]);

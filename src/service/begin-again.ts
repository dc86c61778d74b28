import type { OpenedLog } from './event-log.ts';
import { onAbort, inTime } from '../shared/abort.ts';
import { codeOf, hasCode } from '../shared/errors.ts';
import { inOrder } from '../shared/mutex.ts';
import type { Log } from '../shared/log.ts';
import { pauseAfter } from '../shared/pauses.ts';
import { retry, systemClock } from '../shared/retry.ts';
import type { BlobsError } from '../storage/blobs/blobs.ts';
import type { Sentence } from '../words/params.ts';
import { type EventStoreError, sentenceOf } from '../../events/store.ts';

/** The service over one opened log. */
export type Run = {
  /** Settles when what was left is taken up, and all that goes on by itself has begun; requests are answered before. */
  ready: Promise<void>;
  link: Promise<string | null>;
  /** Ends all of it, once. @param leave what is done with the port, once its commands are answered */
  end(leave: () => Promise<void>): Promise<void>;
};

type Parts = {
  /** @param lost why it begins again; null: it is the first */
  begin(opened: Promise<OpenedLog>, lost: Sentence | null): Run;
  open(): Promise<OpenedLog>;
  server: { pause(): Promise<void>; close(): Promise<void> };
  log: Pick<Log, 'error' | 'warn'>;
  /** A run that takes longer to end, in milliseconds, holds on to something that will not come back. */
  endWithinMs: number;
};

export type Running = {
  ready: Promise<void>;
  link: Promise<string | null>;
  /** Resolves when it was closed. @throws why it could not go on by itself: start the process again */
  over: Promise<void>;
  close(): Promise<void>;
};

/** Between two tries to open a log whose database is away, or to start over it, in milliseconds. */
const pauses = { first: 250, max: 5_000 };

const shorter =
  'event log came back shorter; dropping what this node remembers and reopening the log';
const leftStart =
  'database or file store went away while the service started; starting again when it is back';

/** Whether database or file store cannot be asked now, and may come back. */
const isAway = (error: unknown): boolean =>
  hasCode<EventStoreError>(error, 'BUSY') || hasCode<BlobsError>(error, 'BLOBS_AWAY');

/**
 * Keeps a service running over its log. Where the database came back without facts that this process knew, whatever it
 * remembers may be wrong: all of it is dropped by ending everything but the port, and beginning again in this process,
 * which is what a restart does.
 */
export function keepRunning(first: Promise<OpenedLog>, parts: Parts): Running {
  const { server, log } = parts;
  const closing = new AbortController();
  let closed: Promise<void> | undefined;
  let run: Run;
  let changing: Promise<void> = Promise.resolve();
  let failedStarts = 0;
  const end = outcome();
  let serverClosed: Promise<void> | undefined;
  const closeServer = (): Promise<void> => (serverClosed ??= server.close());
  const close = (): Promise<void> => {
    closing.abort();
    // A run that ended to begin again has only paused the server.
    closed ??= changing
      .then(() => inOrder([() => run.end(closeServer), closeServer]))
      .finally(end.resolve);
    return closed;
  };
  const fail = (reason: unknown): void => {
    end.reject(reason);
    void close().catch((err: unknown) => log.error({ err }, 'shutdown failed'));
  };
  const begin = (opened: Promise<OpenedLog>, lost: Sentence | null): void => {
    const mine = (run = parts.begin(opened, lost));
    let isOutdated = false;
    /** A log that may go away, and come back, says when it came back shorter. */
    let comesBack = false;
    const again = (reason: unknown, what: string, isLost: Sentence | null, pauseMs = 0): void => {
      changing = changing
        .then(async () => {
          // It may be outdated while it is ended for another reason: it is begun again once.
          if (closing.signal.aborted || run !== mine) return;
          log.error({ err: reason }, what);
          await endToBeginAgain(mine, parts);
          await systemClock.wait(pauseMs, closing.signal).catch(() => undefined);
          if (!closing.signal.aborted) begin(openAgain(parts, closing.signal), isLost);
        })
        .catch(fail);
    };
    const onOutdated = (reason: Error): void => {
      // Of a later release: only that one goes on from here.
      if (hasCode<EventStoreError>(reason, 'NEWER_LOG')) return fail(reason);
      isOutdated = true;
      again(reason, shorter, sentenceOf(reason) ?? null);
    };
    opened.then(
      ({ outdated }) => {
        comesBack = Boolean(outdated);
        if (outdated) onAbort(outdated, onOutdated);
      },
      () => {},
    );
    const isReady = (): void => void (failedStarts = 0);
    mine.ready.then(isReady, (error: unknown) => {
      if (isOutdated || closing.signal.aborted) return;
      // Of a log of its own nothing comes back; a service that cannot open it must not go on answering that it starts.
      if (!comesBack || !isAway(error)) return fail(error);
      again(error, leftStart, lost, pauseAfter(pauses, failedStarts));
      failedStarts += 1;
    });
  };
  begin(first, null);
  const now = () => ({ run, changing });
  const [ready, link] = [reached(now, (one) => one.ready), reached(now, (one) => one.link)];
  for (const one of [ready, link, end.promise]) one.catch(() => undefined);
  return { ready, link, over: end.promise, close };
}

/** What comes of the run that gets there. */
async function reached<T>(
  now: () => { run: Run; changing: Promise<void> },
  what: (run: Run) => Promise<T>,
): Promise<T> {
  for (;;) {
    const { run } = now();
    try {
      return await what(run);
    } catch (error) {
      // What its failure begins has begun then.
      await run.ready.catch(() => undefined);
      await now().changing;
      if (now().run === run) throw error;
    }
  }
}

function outcome() {
  let resolve = (): void => {};
  let reject = (reason: unknown): void => void reason;
  const promise = new Promise<void>((settle, refuse) => {
    [resolve, reject] = [settle, refuse];
  });
  return { promise, resolve, reject };
}

async function endToBeginAgain(run: Run, { server, log, endWithinMs }: Parts): Promise<void> {
  const ended = run
    .end(server.pause)
    .catch((err: unknown) => log.warn({ err }, 'ending the parts of this node failed'));
  await inTime(endWithinMs, ended, () => {
    throw new Error(`Work that this node had started did not end within ${endWithinMs / 1000} s.`);
  });
}

/** As soon as its database is there. */
const openAgain = ({ open, log }: Parts, signal: AbortSignal): Promise<OpenedLog> =>
  retry(open, {
    pauses,
    signal,
    isTransient: (error) => isAway(error) || awayCodes.has(codeOf(error) ?? ''),
    onRetry: (err) => log.warn({ err }, 'event log cannot be opened yet; trying again'),
  });

/** Of `DatabaseUnfit`: it may come back. */
const awayCodes: ReadonlySet<string> = new Set(['unreachable', 'standby', 'connections']);

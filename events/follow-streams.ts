import type { FactOutline } from './facts/catalogue.ts';
import { type EventStore, EventStoreError } from './store.ts';
import { messageOf } from '../src/shared/errors.ts';
import type { Log } from '../src/shared/log.ts';
import { keepDoing } from '../src/shared/retry.ts';

/**
 * Follows the log from its present end until the signal aborts; called again after a failure, from behind what it took
 * last. What cannot be read, or not by this release, is passed over: it would be met each time.
 * @param begin done once the end is known, before anything is taken, and behind what was passed over
 * @returns throws a failure that comes again before anything is taken only the first time
 */
export function followOnwards(
  store: Pick<EventStore, 'head' | 'follow'>,
  take: (facts: readonly FactOutline[]) => Promise<void>,
  begin = async (): Promise<void> => {},
): (signal: AbortSignal) => Promise<void> {
  let afterPosition: number | undefined;
  let begun = false;
  let failed: string | undefined;
  const follow = async (signal: AbortSignal): Promise<void> => {
    afterPosition ??= await store.head();
    if (!begun) await begin();
    begun = true;
    try {
      for await (const facts of store.follow({ afterPosition, signal })) {
        await take(facts);
        afterPosition = facts.at(-1)!.position;
        failed = undefined;
      }
    } catch (error) {
      if (error instanceof EventStoreError && !error.retriable) {
        afterPosition = Math.max(afterPosition + 1, error.lastPosition ?? 0);
        begun = false;
      }
      throw error;
    }
  };
  return (signal) =>
    follow(signal).catch((error: unknown) => {
      const before = failed;
      failed = messageOf(error);
      if (failed !== before) throw error;
    });
}

/**
 * Takes in what other processes append to streams whose state is kept in memory, as soon as it is there.
 * @param takeIn by stream: reads on in it
 * @returns how to stop
 */
export function followStreams(
  store: Pick<EventStore, 'head' | 'follow'>,
  takeIn: Readonly<Record<string, () => Promise<unknown>>>,
  log: Pick<Log, 'warn'>,
): () => Promise<void> {
  const readOn = async (streams: Iterable<string>): Promise<void> => {
    const failures: unknown[] = [];
    // One that cannot be read keeps no other from being read.
    for (const stream of streams)
      await takeIn[stream]?.().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  const follow = followOnwards(
    store,
    (facts) => readOn(new Set(facts.map(({ stream }) => stream))),
    () => readOn(Object.keys(takeIn)),
  );
  return keepDoing(follow, {
    pauseMs: 500,
    onFailure: (err) =>
      log.warn({ err }, 'changes of users and settings on other nodes cannot be received'),
  });
}

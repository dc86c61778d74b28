import type { FactOutline } from './facts/catalogue.ts';
import type { EventStore } from './store.ts';
import type { Log } from '../src/shared/log.ts';
import { keepDoing } from '../src/shared/retry.ts';

/**
 * Follows the log from its present end until the signal aborts; called again after a failure, from behind what it took last.
 * @param begin done once the end is known, before anything is taken
 */
export function followOnwards(
  store: Pick<EventStore, 'head' | 'follow'>,
  take: (facts: readonly FactOutline[]) => Promise<void>,
  begin = async (): Promise<void> => {},
): (signal: AbortSignal) => Promise<void> {
  let afterPosition: number | undefined;
  return async (signal) => {
    if (afterPosition === undefined) {
      const head = await store.head();
      await begin();
      afterPosition = head;
    }
    for await (const facts of store.follow({ afterPosition, signal })) {
      await take(facts);
      afterPosition = facts.at(-1)!.position;
    }
  };
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
    for (const stream of streams) await takeIn[stream]?.();
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

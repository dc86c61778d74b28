import type { EventStore } from './store.ts';
import type { Log } from '../src/shared/log.ts';
import { repeatedly } from '../src/shared/retry.ts';

/** Before the log is followed again after a failure, in milliseconds. */
const pauseMs = 500;

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
  const stopping = new AbortController();
  const { signal } = stopping;
  const follow = async (): Promise<void> => {
    const afterPosition = await store.head();
    // What came before it, also while it could not be followed.
    for (const readOn of Object.values(takeIn)) await readOn();
    for await (const facts of store.follow({ afterPosition, signal })) {
      for (const stream of new Set(facts.map((fact) => fact.stream))) await takeIn[stream]?.();
    }
  };
  const followed = repeatedly(follow, {
    pauseMs,
    signal,
    onFailure: (err) =>
      log.warn({ err }, 'changes of users and settings on other nodes cannot be received'),
  });
  return async () => {
    stopping.abort();
    await followed;
  };
}

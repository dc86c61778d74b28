import type { EventStore } from '../../events/store.ts';

/** Facts as they are appended, one by one and opened, until the signal aborts. */
export async function* subscribed(
  store: Pick<EventStore, 'follow' | 'opened'>,
  options: { afterPosition: number; signal: AbortSignal },
) {
  for await (const page of store.follow(options)) {
    for (const fact of await store.opened(page)) {
      if (options.signal.aborted) return;
      yield fact;
    }
  }
}

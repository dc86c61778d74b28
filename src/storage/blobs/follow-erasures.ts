import type { EventStore } from '../../../events/store.ts';
import { recordingOf } from '../../../events/facts/recording.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { whileAway } from '../../../projections/runner/projection.ts';
import type { Log } from '../../shared/log.ts';
import { retry } from '../../shared/retry.ts';

/** The subject that a fact erases; null: none. */
function erasedBy(fact: LoggedFact): string | null {
  if (fact.type === 'recording.erased') return recordingOf(fact.stream) ?? null;
  return fact.type === 'user.deleted' ? fact.data.user_id : null;
}

/**
 * Follows the log from its present end: of what any node erases, nothing stays in memory or on this machine. What was
 * erased before is in neither, as both begin empty.
 */
export function followErasures(
  store: EventStore & { head(): Promise<number> },
  { leave }: { leave(subject: string): Promise<void> },
  log: Pick<Log, 'error'>,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const following = follow().catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'erasures of other nodes are not followed');
  });
  return {
    async stop() {
      stopping.abort();
      await following;
    },
  };

  async function follow(): Promise<void> {
    const afterPosition = await retry(
      () => store.head(),
      whileAway(signal, () => undefined),
    );
    for await (const fact of store.subscribe({ afterPosition, signal })) {
      const subject = erasedBy(fact);
      if (subject === null) continue;
      await leave(subject).catch((error: unknown) =>
        log.error({ err: error, subject }, 'what this machine has of it is still there'),
      );
    }
  }
}

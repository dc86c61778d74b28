import type { Postgres } from './connection.ts';
import { factsChannel } from './append-schema.ts';

/**
 * Hears how far the log has come by appends of all nodes.
 * @param onPosition called with positions up to which the log has grown, not for each; also whenever nodes can be heard
 *   again, since nothing is heard in between, and every few seconds: a notice that was lost delays, and stops nothing
 * @param options.askEveryMs milliseconds
 * @returns how to stop
 */
export function listenForFacts(
  db: Pick<Postgres, 'ask' | 'channels'>,
  onPosition: (position: number) => void,
  { askEveryMs = askEveryMsDefault }: { askEveryMs?: number } = {},
): () => void {
  const askHead = async (): Promise<void> => {
    const [row] = await db.ask<{ head: string }>({ text: headQuery });
    onPosition(Number(row!.head));
  };
  const stopListening = db.channels.listen(factsChannel, {
    heard: (payload) => onPosition(Number(payload)),
    opened: askHead,
  });
  // A database that is away shows in `away`; it is asked again.
  const asking = setInterval(() => void askHead().catch(() => {}), askEveryMs).unref();
  return () => {
    clearInterval(asking);
    stopListening();
  };
}

const askEveryMsDefault = 3_000;

/** Where the log ends. */
export const headQuery = 'select coalesce(max(position), 0) as head from facts';

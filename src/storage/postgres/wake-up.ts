import type { Postgres } from './connection.ts';
import { factsChannel } from './append-schema.ts';
import type { KnownEnd } from './known-end.ts';

/**
 * Hears how far the log has come by appends of all nodes. Where it ends is also asked whenever nodes can be heard again,
 * since nothing is heard in between, and every few seconds: a notice that was lost delays, and stops nothing.
 * @param options.askEveryMs milliseconds
 * @returns how to stop
 */
export function listenForFacts(
  db: Pick<Postgres, 'ask' | 'channels'>,
  end: Pick<KnownEnd, 'reached' | 'look'>,
  { askEveryMs = askEveryMsDefault }: { askEveryMs?: number } = {},
): () => void {
  const stopListening = db.channels.listen(factsChannel, {
    heard: (payload) => end.reached(Number(payload)),
    opened: () => end.look(db.ask),
  });
  // A database that is away shows in `away`, one that came back shorter in `end.lost`; it is asked again.
  const asking = setInterval(() => void end.look(db.ask).catch(() => {}), askEveryMs).unref();
  return () => {
    clearInterval(asking);
    stopListening();
  };
}

const askEveryMsDefault = 3_000;

/** Where the log ends. */
export const headQuery = 'select coalesce(max(position), 0) as head from facts';

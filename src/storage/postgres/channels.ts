import { onAbort } from '../../shared/abort.ts';
import { pauseAfter } from '../../shared/pauses.ts';
import { systemClock } from '../../shared/retry.ts';
import type { AskDatabase } from './known-end.ts';
import { type LeasedSession, type SessionPlace, isSilent, openSession } from './session.ts';

/**
 * What nodes say to each other at once, by `NOTIFY`. What is said while a node cannot hear is lost to it: nothing may depend on a
 * notice that is not followed by another, or by asking when it can hear again.
 */
export type Channels = {
  /**
   * Hears of a channel until it is stopped, over one session for all channels.
   * @param channel letters, digits and `_`, at most 30
   * @param listener.heard called with each payload, also with those of this process
   * @param listener.opened called whenever it can be heard from then on, the first time too; its failure opens the session again
   * @returns how to stop
   */
  listen(
    channel: string,
    listener: { heard(payload: string): void; opened?(): Promise<void> | void },
  ): () => void;
  /** Says something to all who listen, in this order. Less than 8,000 bytes each. @throws {EventStoreError} `BUSY` */
  tell(channel: string, ...payloads: string[]): Promise<void>;
  close(): Promise<void>;
};

type ChannelsOptions = {
  leaseMs: number;
  report(message: string, error: unknown): void;
  /** The server was silent for too long. */
  onSilent(): void;
};

type Listener = Parameters<Channels['listen']>[1];

/** Before a session that was lost is opened again, in milliseconds. */
const pauses = { first: 50, max: 2_000 };

/** The session is opened when something is first listened for, and again whenever it is lost. */
export function openChannels(
  db: SessionPlace & { ask: AskDatabase; readonly logId: string },
  { leaseMs, report, onSilent }: ChannelsOptions,
): Channels {
  const closing = new AbortController();
  const { signal } = closing;
  const listenersOf = new Map<string, Set<Listener>>();
  let session: LeasedSession | undefined;
  let listening: Promise<void> | undefined;
  const nameOf = (channel: string): string => `${channel}_${db.logId}`;
  const hears = (by: LeasedSession, channel: string): Promise<unknown> =>
    by.ask(`listen "${nameOf(channel)}"`);

  const open = async (): Promise<LeasedSession> => {
    const opened = await openSession(db, leaseMs);
    session = opened;
    if (signal.aborted) await opened.end();
    opened.onNotification((channel, payload) => {
      const name = channel.slice(0, -nameOf('').length);
      for (const { heard } of listenersOf.get(name) ?? []) heard(payload);
    });
    // All are heard before any of their listeners asks what it has missed, which may take its time.
    for (const channel of listenersOf.keys()) await hears(opened, channel);
    const saying = Promise.all(Array.from(listenersOf.values(), sayOpened));
    await Promise.race([saying, lossOf(opened)]);
    return opened;
  };
  const keepListening = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const opened = await open();
        failures = 0;
        await lossOf(opened);
      } catch (error) {
        if (signal.aborted) return;
        if (isSilent(error)) onSilent();
        if (failures === 0) report('messages from other nodes cannot be received', error);
        await session?.end();
        session = undefined;
        await systemClock.wait(pauseAfter(pauses, failures), signal).catch(() => {});
        failures += 1;
      }
    }
  };

  return {
    listen(channel, listener) {
      const listeners = listenersOf.get(channel) ?? new Set();
      listenersOf.set(channel, listeners.add(listener));
      // A session that fails in it is lost, and opened again with all of them.
      const present = session;
      if (present) {
        const heard = hears(present, channel).then(() => sayOpened(listeners));
        void heard.catch(() => void present.end());
      }
      listening ??= keepListening();
      return () => void listeners.delete(listener);
    },
    async tell(channel, ...payloads) {
      const text = 'select pg_notify($1, said) from unnest($2::text[]) as said';
      await db.ask({ name: 'tell', text, values: [nameOf(channel), payloads] });
    },
    async close() {
      closing.abort();
      await session?.end();
      await listening;
    },
  };
}

async function sayOpened(listeners: Iterable<Listener>): Promise<void> {
  for (const { opened } of listeners) await opened?.();
}

const lossOf = ({ lost }: LeasedSession): Promise<never> =>
  new Promise((_, reject) => void onAbort(lost, reject));

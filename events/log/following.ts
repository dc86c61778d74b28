import { setTimeout as delay } from 'node:timers/promises';
import { type EventStore, EventStoreError } from '../store.ts';
import type { StoredRecord } from '../event-log.ts';
import type { CommitSignal } from '../../src/shared/listeners.ts';
import type { FactDecoder } from './sealing.ts';
import type { FactOutline } from '../facts/catalogue.ts';

/** Records from one on as many as make a page, and why there are no more. */
export type RecordPage = { records: StoredRecord[]; bytes: number; error?: unknown };

/** Before a log that could not be asked is asked again, in milliseconds. */
const awayPauseMs = 500;

/** Hands the log to all who follow it, read once. */
export function following(log: {
  /** Records after a position up to another, which must all be there: at least one, or `error`. */
  recordPage(afterPosition: number, upToPosition: number): Promise<RecordPage>;
  decoder: Pick<FactDecoder, 'outlines' | 'opened'>;
  /** Position up to which facts can be read now. */
  reached(): number;
  /** Where the log ends, asked now. */
  head(): number | Promise<number>;
  /** Fires when that has changed, and when the log is closed. */
  committed: CommitSignal;
  /** @throws {EventStoreError} `CLOSED` */
  assertOpen(): void;
}): Pick<EventStore, 'follow' | 'outlines' | 'opened'> {
  const { decoder, reached, head, committed, assertOpen } = log;
  const pageAfter = recentPages(async (after, upTo): Promise<OutlinePage> => {
    const { records, bytes, error } = await log.recordPage(after, upTo);
    const outlined = decoder.outlines(records);
    // What lies before damage counts; the damage is met again by who goes on.
    if (outlined.facts.length === 0) throw outlined.error ?? error;
    return { after, facts: outlined.facts, bytes };
  });

  async function* follow({ afterPosition, signal }: Parameters<EventStore['follow']>[0]) {
    let position = afterPosition;
    while (!signal.aborted) {
      assertOpen();
      if (position >= reached()) {
        await committed.wait(signal);
        continue;
      }
      const facts = await pageAfter(position, reached()).catch(async (error: unknown) => {
        // Nothing is lost meanwhile: the log has it all.
        if (!(error instanceof EventStoreError && error.code === 'BUSY')) throw error;
        await delay(awayPauseMs, undefined, { signal }).catch(() => {});
        return [];
      });
      if (signal.aborted) return;
      const last = facts.at(-1);
      if (!last) continue;
      position = last.position;
      yield facts;
    }
  }
  return {
    follow,
    async *outlines({ afterPosition, limit }) {
      assertOpen();
      const wanted = afterPosition + limit;
      const upTo = wanted <= reached() ? wanted : Math.min(wanted, await head());
      for (let position = afterPosition; position < upTo;) {
        const facts = (await pageAfter(position, upTo)).slice(0, upTo - position);
        position += facts.length;
        yield facts;
      }
    },
    opened: (facts) => decoder.opened(facts),
  };
}

/** Facts that follow each other, as they were read at once: at least one. */
type OutlinePage = {
  /** Position before the first. */
  after: number;
  facts: readonly FactOutline[];
  /** Of their records. */
  bytes: number;
};

/** What is held of pages read last, in bytes of their records, and how many: one page more than the bytes is possible. */
const heldBytesMax = 4 * 1024 * 1024;

const heldPagesMax = 1_000;

/**
 * Reads what several followers want once: the newest pages are held for those who come a little later. Who is further
 * behind reads alone until it has come up.
 * @param read the facts after a position up to another, from the first on as many as make a page
 * @returns the facts after a position, at least one. @throws what `read` throws
 */
export function recentPages(
  read: (after: number, upTo: number) => Promise<OutlinePage>,
): (after: number, upTo: number) => Promise<readonly FactOutline[]> {
  const held: OutlinePage[] = [];
  let heldBytes = 0;
  let reading: { after: number; done: Promise<unknown> } | undefined;
  const endOf = ({ after, facts }: OutlinePage): number => after + facts.length;

  const hold = (page: OutlinePage): void => {
    const last = held.at(-1);
    // Behind a gap nothing of it joins what is held.
    if (last && endOf(last) !== page.after) {
      held.length = 0;
      heldBytes = 0;
    }
    held.push(page);
    heldBytes += page.bytes;
    while (held.length > 1 && (heldBytes > heldBytesMax || held.length > heldPagesMax))
      heldBytes -= held.shift()!.bytes;
  };
  /** For all who want what is newer than anything held. */
  const readNewest = async (after: number, upTo: number): Promise<void> => {
    const done = read(after, upTo).then(hold);
    const mine = (reading = { after, done });
    try {
      await done;
    } finally {
      if (reading === mine) reading = undefined;
    }
  };

  return async (after, upTo) => {
    for (;;) {
      const page = held.findLast((one) => one.after <= after);
      if (page && after < endOf(page)) return page.facts.slice(after - page.after);
      const oldest = held[0];
      if (oldest && after < oldest.after)
        return (await read(after, Math.min(upTo, oldest.after))).facts;
      if (!reading) await readNewest(after, upTo);
      else if (reading.after > after)
        return (await read(after, Math.min(upTo, reading.after))).facts;
      // Why it failed is said to who reads next.
      else await reading.done.catch(() => undefined);
    }
  };
}

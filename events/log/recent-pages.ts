import type { FactOutline } from '../facts/catalogue.ts';

/** Facts that follow each other, as they were read at once: at least one. */
export type OutlinePage = {
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

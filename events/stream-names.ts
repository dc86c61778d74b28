import type { LogDatabase } from './database.ts';
import { placeOf, streamRange, streamsRange } from './layout.ts';

/** Names of all streams in the order of their bytes, one look-up each; nothing is held between two. */
export async function* streamNames(
  db: LogDatabase,
  after?: string,
): AsyncGenerator<string, void, void> {
  let gte: string = after === undefined ? streamsRange.gte : streamRange(after).lt;
  for (;;) {
    const [key] = await db.keys({ gte, lt: streamsRange.lt, limit: 1 }).all();
    if (key === undefined) return;
    const place = placeOf(key);
    if (place) yield place.stream;
    // What is no entry of a stream is for `verify` to report; here it is only stepped over.
    gte = place ? streamRange(place.stream).lt : `${key}\0`;
  }
}

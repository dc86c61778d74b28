import { utcTime } from '../src/shared/time.ts';
import type { ProjectionStorage } from './runner/projection.ts';

/** A cursor that this service did not hand out for a list of this kind. HTTP answers 422. */
export class InvalidCursor extends Error {
  override name = 'InvalidCursor';
  readonly code = 'INVALID_CURSOR';
  constructor() {
    super('The cursor is not one that this list handed out');
  }
}

export type PageRequest = {
  limit?: number;
  cursor?: string | undefined;
  /** Cursor of a page that this one stands right before. */
  before?: string | undefined;
  /** A place (`timeKey`) to have in the middle, instead of a cursor. */
  around?: string | undefined;
  /** Only what began then or later, or then or earlier (RFC 3339). */
  from?: string | undefined;
  to?: string | undefined;
};

export const pageRowsMax = 200;
export const pageRowsDefault = 50;

/** A page of a list; `previousCursor`: for `before`, null on the first page. */
export type EntryPage = {
  entries: string[];
  nextCursor: string | null;
  previousCursor: string | null;
};

/**
 * Entries of a list (`timeKey`) with `gte <= entry < lt`, in their order or backwards, at most `limit`. With `stoppedAt` a list
 * that has to look at many to find a few may stop: it calls it with the last place it looked at, and gives what is up to there.
 */
export type ReadEntries = (within: {
  gte: string;
  lt: string;
  reverse: boolean;
  limit: number;
  stoppedAt?: ((place: string) => void) | undefined;
}) => Promise<string[]>;

/** The entries of a list: keys of a projection behind a prefix that ends in `/`. */
export function entriesOf(
  storage: ProjectionStorage,
  projection: string,
  prefix: string,
): ReadEntries {
  return async ({ gte, lt, reverse, limit }) => {
    const entries: string[] = [];
    const options = { gte: prefix + gte, lt: prefix + lt, reverse, limit };
    for await (const [key] of storage.range(projection, options)) {
      entries.push(key.slice(prefix.length));
    }
    return entries;
  };
}

/** Entries of each list that are read at once; and of all together for one page. */
const joinedAtOnce = 64;
const joinedMax = 50_000;

/**
 * The entries that all of these lists have. What one list lacks is skipped in the others, so the shortest list decides
 * what it costs.
 */
export function entriesInAll(lists: readonly [ReadEntries, ...ReadEntries[]]): ReadEntries {
  if (lists.length === 1) return lists[0];
  return async ({ reverse, limit, stoppedAt, ...bounds }) => {
    const isBehind = behindIn(reverse);
    let looked = 0;
    const found: string[] = [];
    let { gte, lt } = bounds;
    while (found.length < limit) {
      const within = { gte, lt, reverse, limit: joinedAtOnce };
      const parts = await Promise.all(lists.map((read) => read(within)));
      // Up to the nearest end of a part that is not its list's, all are known.
      const end = parts
        .flatMap((part) => (part.length < joinedAtOnce ? [] : part.slice(-1)))
        .reduce<string | undefined>(
          (near, one) => (near === undefined || isBehind(near, one) ? one : near),
          undefined,
        );
      const [first = [], ...others] = parts.map(
        (part) => new Set(end === undefined ? part : part.filter((one) => !isBehind(one, end))),
      );
      found.push(...[...first].filter((one) => others.every((other) => other.has(one))));
      if (end === undefined) break;
      looked += parts.flat().length;
      if (stoppedAt && looked >= joinedMax && found.length < limit) {
        stoppedAt(end);
        break;
      }
      const behind = parts.map((part) => part.find((one) => isBehind(one, end)));
      if (behind.some((one, n) => one === undefined && (parts[n]?.length ?? 0) < joinedAtOnce))
        break;
      // The next that all have is not before the next of any.
      const next = behind.reduce(
        (far, one) => (one !== undefined && (far === undefined || isBehind(one, far)) ? one : far),
        undefined,
      );
      if (reverse) lt = next === undefined ? end : behindOf(next);
      else gte = next ?? behindOf(end);
    }
    return found.slice(0, limit);
  };
}

/** The entries that any of these lists has: each costs what a page costs. */
export const entriesInAny =
  (lists: readonly ReadEntries[]): ReadEntries =>
  async ({ stoppedAt, ...within }) => {
    const isBehind = behindIn(within.reverse);
    let end: string | undefined;
    const stop = (place: string): void => {
      if (end === undefined || isBehind(end, place)) end = place;
    };
    const bounded = stoppedAt ? { ...within, stoppedAt: stop } : within;
    const parts = await Promise.all(lists.map((read) => read(bounded)));
    const sorted = [...new Set(parts.flat())].sort();
    const all = within.reverse ? sorted.toReversed() : sorted;
    // Behind the nearest end not all lists are known.
    const known = all.filter((one) => end === undefined || !isBehind(one, end));
    if (end !== undefined && known.length < within.limit) stoppedAt?.(end);
    return known.slice(0, within.limit);
  };

const behindIn =
  (reverse: boolean) =>
  (one: string, other: string): boolean =>
    reverse ? one < other : one > other;

/**
 * Of a list what may stay; as many as were asked for, unless there are no more, or so many were looked at.
 * @param may which of these may stay
 */
export const entriesThat =
  (
    read: ReadEntries,
    may: (entries: string[]) => Promise<string[]>,
    lookedMax: number,
  ): ReadEntries =>
  async ({ gte, lt, reverse, limit, stoppedAt }) => {
    const found: string[] = [];
    let bounds = { gte, lt };
    let looked = 0;
    while (found.length < limit) {
      const part = await read({ ...bounds, reverse, limit });
      found.push(...(await may(part)));
      looked += part.length;
      const last = part.at(-1);
      if (last === undefined || part.length < limit) break;
      if (stoppedAt && looked >= lookedMax && found.length < limit) {
        stoppedAt(last);
        break;
      }
      bounds = reverse ? { gte: bounds.gte, lt: last } : { gte: `${last}!`, lt: bounds.lt };
    }
    return found.slice(0, limit);
  };

/**
 * One page of a list, newest first. `nextCursor` is null on the last page; a page may have fewer entries than its limit, where
 * the list stopped looking.
 * @throws {InvalidCursor}; {RangeError} unless 1 <= limit <= 200.
 */
export async function newestFirst(
  read: ReadEntries,
  { limit = pageRowsDefault, cursor, before, around, from, to }: PageRequest,
): Promise<EntryPage> {
  if (!Number.isInteger(limit) || limit < 1 || limit > pageRowsMax) {
    throw new RangeError(`A page holds 1 to ${pageRowsMax} rows, not ${limit}`);
  }
  const bounds = boundsOf({ from, to });
  const part = async (within: Omit<Parameters<ReadEntries>[0], 'limit'>, most: number) => {
    let stopped: string | undefined;
    const stoppedAt = (place: string): void => void (stopped = place);
    const found = await read({ ...within, limit: most + 1, stoppedAt });
    return { entries: found.slice(0, most), goesOn: found.length > most, stopped };
  };
  const older = (behind: string, most: number) =>
    part({ gte: bounds.gte, lt: least(bounds.lt, behind), reverse: true }, most);
  const newer = async (place: string, most: number) => {
    const gte = behindOf(place) < bounds.gte ? bounds.gte : behindOf(place);
    const { entries, ...end } = await part({ gte, lt: bounds.lt, reverse: false }, most);
    return { entries: entries.toReversed(), ...end };
  };
  if (before !== undefined) {
    const { entries, ...above } = await newer(placeIn(before), limit);
    return pageOf(entries, { above, below: { goesOn: true } });
  }
  if (around !== undefined) {
    const above = await newer(around, Math.floor(limit / 2));
    const below = await older(behindOf(around), limit - above.entries.length);
    return pageOf([...above.entries, ...below.entries], { above, below });
  }
  const { entries, ...below } = await older(
    cursor === undefined ? bounds.lt : placeIn(cursor),
    limit,
  );
  return pageOf(entries, { above: { goesOn: cursor !== undefined }, below });
}

/** All entries of a list, newest first. */
export async function* allPages(read: ReadEntries): AsyncGenerator<string[]> {
  for (let lt = '~'; ;) {
    const page = await read({ gte: '', lt, reverse: true, limit: pageRowsMax });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < pageRowsMax) return;
    lt = last;
  }
}

/** Between which entries those of a time are. */
export const boundsOf = ({ from, to }: Pick<PageRequest, 'from' | 'to'>) => ({
  gte: from === undefined ? '' : utcTime(from),
  // `0` follows the `/` behind a time: whatever began at that very moment is in. `~` follows all that a time may begin with.
  lt: to === undefined ? '~' : `${utcTime(to)}0`,
});

/** What follows a place before every other place. */
const behindOf = (place: string): string => `${place}!`;

const least = (one: string, other: string): string => (one < other ? one : other);

/** `goesOn`: there is more behind the entries; `stopped`: there may be, behind this place. */
type End = { goesOn: boolean; stopped?: string | undefined };

function pageOf(entries: string[], { above, below }: { above: End; below: End }): EntryPage {
  const cursorOf = ({ goesOn, stopped }: End, last: string | undefined): string | null => {
    const place = goesOn ? last : stopped;
    return place === undefined ? null : cursorAt(place);
  };
  return {
    entries,
    nextCursor: cursorOf(below, entries.at(-1)),
    previousCursor: cursorOf(above, entries[0]),
  };
}

/** The part of a key by which lists are sorted: when something began, then its id. */
export const timeKey = (at: string, id: string): string => `${utcTime(at)}/${id}`;

/** All keys with a prefix; it must end in `/`. */
export const startingWith = (prefix: string): { gte: string; lt: string } => ({
  gte: prefix,
  // `0` follows `/`.
  lt: `${prefix.slice(0, -1)}0`,
});

/** The cursor of what follows behind a place (`timeKey`). */
export const cursorAt = (place: string): string => Buffer.from(place).toString('base64url');

/** A cursor only ever names a place within a list, never which list: that is for the caller to say. */
function placeIn(cursor: string): string {
  const place = cursor.length <= 200 ? Buffer.from(cursor, 'base64url').toString() : '';
  if (!/^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\/[\w-]{1,64}$/.test(place)) {
    throw new InvalidCursor();
  }
  if (cursorAt(place) !== cursor) throw new InvalidCursor();
  return place;
}

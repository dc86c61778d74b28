import type { ProjectionStorage, Row } from './runner/projection.ts';

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
  /** Only what began then or later, or then or earlier (RFC 3339). */
  from?: string | undefined;
  to?: string | undefined;
};

export const pageRowsMax = 200;
export const pageRowsDefault = 50;

/**
 * One page of the rows whose keys are `prefix` followed by a time and an id (`timeKey`), newest first.
 * `nextCursor` is null on the last page.
 * @throws {InvalidCursor}; {RangeError} unless 1 <= limit <= 200.
 */
export async function newestFirst(
  storage: ProjectionStorage,
  projection: string,
  prefix: string,
  { limit = pageRowsDefault, cursor, from, to }: PageRequest,
): Promise<{ entries: { key: string; row: Row }[]; nextCursor: string | null }> {
  if (!Number.isInteger(limit) || limit < 1 || limit > pageRowsMax) {
    throw new RangeError(`A page holds 1 to ${pageRowsMax} rows, not ${limit}`);
  }
  const within = startingWith(prefix);
  // Newest first: the next page is what sorts before the last one shown.
  const behind = cursor === undefined ? within.lt : prefix + placeIn(cursor);
  // `0` follows the `/` behind a time: whatever began at that very moment is in.
  const upTo = to === undefined ? within.lt : `${prefix}${utcTime(to)}0`;
  const gte = from === undefined ? within.gte : prefix + utcTime(from);
  const entries: { key: string; row: Row }[] = [];
  const options = { gte, lt: upTo < behind ? upTo : behind, reverse: true, limit: limit + 1 };
  for await (const [key, row] of storage.range(projection, options)) {
    entries.push({ key: key.slice(prefix.length), row });
  }
  const more = entries.length > limit;
  const shown = entries.slice(0, limit);
  return { entries: shown, nextCursor: more ? cursorAt(shown.at(-1)!.key) : null };
}

/** The part of a key by which lists are sorted: when something began, then its id. */
export const timeKey = (at: string, id: string): string => `${utcTime(at)}/${id}`;

/** The same moment in the one notation that sorts as text (`2026-03-01T09:30:00.000Z`); the epoch if it is none. */
export function utcTime(at: string): string {
  const time = new Date(at);
  return (Number.isNaN(time.getTime()) ? new Date(0) : time).toISOString();
}

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

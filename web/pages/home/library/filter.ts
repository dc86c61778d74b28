/** Which notes the library shows. */

export type Filter = {
  kind: 'solo' | 'meeting' | null;
  speaker: string | null;
  /** Days as `2026-11-22`, in the browser's time zone; both are in. */
  from: string | null;
  to: string | null;
};

export const everything: Filter = { kind: null, speaker: null, from: null, to: null };

export const isEverything = (filter: Filter): boolean =>
  Object.values(filter).every((value) => value === null);

/** The query of `GET /transcripts`. Its times are in UTC; `to` is the end of that day. */
export function queryOf({ kind, speaker, from, to }: Filter) {
  return {
    ...(kind !== null && { kind }),
    ...(speaker !== null && { speaker }),
    ...(from !== null && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to !== null && { to: new Date(`${to}T23:59:59.999`).toISOString() }),
  };
}

/** Spans that need no calendar. */
export const spans = {
  anyDate: () => ({ from: null, to: null }),
  lastWeek: (now: Date) => ({ from: dayBefore(now, 6), to: null }),
  lastMonth: (now: Date) => ({ from: dayBefore(now, 29), to: null }),
  thisYear: (now: Date) => ({ from: `${now.getFullYear()}-01-01`, to: null }),
};

function dayBefore(now: Date, days: number): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

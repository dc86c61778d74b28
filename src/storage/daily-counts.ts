import type { Kept, KeptKind } from './kept.ts';

const dayMs = 24 * 3_600_000;
/** How many days a count is remembered. */
const keptDays = 400;

/** What administrators are shown and no fact says. */
export const countedTypes = [
  'login.succeeded',
  'login.by_provider',
  'login.failed',
  'backup.completed',
  'backup.failed',
  'backup.restored',
] as const;
export type CountedType = (typeof countedTypes)[number];

/** Who is nobody known here: a failed login under a name that no user has. */
export const unknownPerson = 'unknown';

/** How often something happened on one day (UTC), by one person: a user's id, `system` or `unknown`. */
export type DailyCount = {
  type: CountedType;
  who: string;
  count: number;
  /** RFC 3339 UTC. `first` stays, so that a count has one place in a list. */
  first: string;
  last: string;
};

type Row = { count: number; first: number; last: number };

/**
 * `<day>/<type>/<who>`. No facts, because strangers must not be able to let the log grow: a row a day, type and person,
 * and all names that no user has are one person.
 */
export const countRows: KeptKind<Row> = {
  name: 'daily-counts',
  endsAt: ({ first }) => first + keptDays * dayMs,
  keys: 'plain',
};

export interface DailyCounts {
  note(type: CountedType, who: string): Promise<void>;
  /** Of one day, in no order. */
  of(day: string): Promise<DailyCount[]>;
  /** The days (`2026-11-28`) that may have counts, from the newest on, that are not before `from` and not after `to`. */
  days(within: { from: string; to: string }): string[];
}

export function openDailyCounts(kept: Kept): DailyCounts {
  const rows = kept.of(countRows);
  return {
    async note(type, who) {
      await rows.change([`${dayOf(Date.now())}/${type}/${who}`], ([row], now) => {
        const { count, first } = row ?? { count: 0, first: now };
        return { keep: [{ count: count + 1, first, last: now }], result: undefined };
      });
    },
    async of(day) {
      return (await rows.list(`${day}/`)).map(({ key, value: { count, first, last } }) => {
        const [, type = '', who = ''] = key.split('/');
        const times = { first: new Date(first).toISOString(), last: new Date(last).toISOString() };
        return { type: type as CountedType, who, count, ...times };
      });
    },
    days({ from, to }) {
      const now = Date.now();
      const all = Array.from({ length: keptDays + 1 }, (_, back) => dayOf(now - back * dayMs));
      return all.filter((day) => day >= from && day <= to);
    },
  };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

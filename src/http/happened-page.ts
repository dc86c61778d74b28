import {
  type Happened,
  type HappenedFilter,
  type HappenedKind,
  happenedAt,
  happenedKinds,
  happenedPlaces,
} from '../../projections/happened.ts';
import {
  type PageRequest,
  type ReadEntries,
  entriesInAny,
  newestFirst,
  timeKey,
} from '../../projections/list-page.ts';
import {
  type CountedType,
  type DailyCount,
  type DailyCounts,
  openDailyCounts,
  unknownPerson,
} from '../storage/daily-counts.ts';
import { perApp } from './route.ts';
import type { RouteServices } from './services.ts';

/** What administrators are shown, by what it is about: facts, and what is only counted. */
export const shownKinds = ['logins', ...happenedKinds, 'backups'] as const;
type CountedKind = Exclude<(typeof shownKinds)[number], HappenedKind>;

const kindOf: Readonly<Record<CountedType, CountedKind>> = {
  'login.succeeded': 'logins',
  'login.by_provider': 'logins',
  'login.failed': 'logins',
  'backup.completed': 'backups',
  'backup.failed': 'backups',
  'backup.restored': 'backups',
};

/** One entry: a fact, or what happened so often on one day (UTC). */
export type HappenedEntry =
  | (Happened & { id: string })
  | (Omit<Happened, 'kind' | 'position'> & {
      id: string;
      kind: CountedKind;
      count: number;
      last: string;
    });

const countsOf = perApp(({ kept }) => openDailyCounts(kept));

/** A page of what happened, newest first; what is counted stands at the time of the day's first. @throws as `newestFirst` */
export async function happenedPage(
  services: RouteServices,
  { kind, user, ...page }: HappenedFilter & Omit<PageRequest, 'before' | 'around'>,
): Promise<{ entries: HappenedEntry[]; nextCursor: string | null }> {
  const { storage } = services;
  const counted = new Map<string, DailyCount>();
  const isWanted = (one: DailyCount): boolean =>
    (kind === undefined || kindOf[one.type] === kind) && (user === undefined || one.who === user);
  const isCounted = (one: string | undefined): boolean =>
    Object.values<string | undefined>(kindOf).includes(one);
  const places = entriesInAny([
    ...(isCounted(kind) ? [] : [happenedPlaces(storage, { kind, user })]),
    ...(kind === undefined || isCounted(kind)
      ? [countedPlaces(countsOf(services), isWanted, counted)]
      : []),
  ]);
  const { entries, nextCursor } = await newestFirst(places, page);
  const facts = entries.filter((place) => !counted.has(place));
  const rows = await happenedAt(storage, facts);
  const rowAt = new Map(facts.map((place, n) => [place, rows[n]]));
  return {
    nextCursor,
    entries: entries.flatMap((id): HappenedEntry[] => {
      const count = counted.get(id);
      if (count) return [{ id, ...entryOf(count) }];
      const row = rowAt.get(id);
      return row ? [{ id, ...row }] : [];
    }),
  };
}

/** The places of counts, day by day until enough are found; puts what stands there into `found`. */
const countedPlaces =
  (
    counts: DailyCounts,
    isWanted: (one: DailyCount) => boolean,
    found: Map<string, DailyCount>,
  ): ReadEntries =>
  async ({ gte, lt, reverse, limit }) => {
    const days = counts.days({ from: gte.slice(0, 10), to: lt.slice(0, 10) });
    const places: string[] = [];
    for (const day of reverse ? days : days.toReversed()) {
      if (places.length >= limit) break;
      const onDay = (await counts.of(day)).filter(isWanted).map((one) => {
        const place = timeKey(one.first, `${one.type.replace('.', '_')}-${one.who}`);
        found.set(place, one);
        return place;
      });
      const within = onDay.filter((place) => place >= gte && place < lt).sort();
      places.push(...(reverse ? within.toReversed() : within));
    }
    return places.slice(0, limit);
  };

function entryOf({ type, who, count, first, last }: DailyCount) {
  const isLogin = kindOf[type] === 'logins';
  return {
    at: first,
    kind: kindOf[type],
    type,
    // Who fails is not known to be the user.
    by: type === 'login.failed' ? unknownPerson : who,
    ...(isLogin && who !== unknownPerson && { user: who }),
    count,
    last,
  };
}

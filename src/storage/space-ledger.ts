import type { Settings } from '../config/environment.ts';
import { systemClock } from '../shared/retry.ts';
import type { ByOne, DoneByOne } from './by-one.ts';
import type { CountedBytes } from './disk.ts';
import { openListeners } from '../shared/listeners.ts';
import { inTime } from '../shared/abort.ts';

/**
 * How often what a limit is set for is counted again, in milliseconds: what grows meanwhile is a recording's audio. A count that
 * another node began in half of that will do.
 */
const countEveryMs = 600_000;
/**
 * Before a refusal it is counted once more, since something may have been deleted: at most this often,
 * and not before so many times as long as the last count took have passed. So counting takes at most a twentieth of the time.
 */
const countAgainMs = 10_000;
const restForCount = 20;
/** What was counted for people to see is shown for so long. */
const shownMs = 60_000;
/** Between two looks whether another node has counted. */
const lookMs = 1000;
/** No request waits longer than this for it. */
const waitMs = 2000;

export type SpaceDeps = {
  /** Counts what is on the disk. */
  measure(signal: AbortSignal): Promise<CountedBytes>;
  /** Counts it for each user. */
  measureByUser(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  byOne: ByOne;
  /** Room on the disk itself, whatever the limit. */
  disk: { admit(bytes: number): Promise<void> };
  settings(): Pick<Settings, 'limits.spaces_gb' | 'limits.user_gb'>;
  log: { warn(fields: object, text: string): void };
  /** Monotonic milliseconds; for tests. */
  now?: () => number;
};

/** What is taken by all, or by one user. */
export class SpaceLedger {
  /** Bytes on the disk at the last count; null before the first one since there is a limit. */
  measured: number | null = null;
  /** Bytes let in and neither kept nor gone. */
  coming = 0;
  /** Bytes that were kept, in the order of time: what the last count may have missed. Those of a second together. */
  #kept: { from: number; until: number; bytes: number }[] = [];

  taken(): number {
    return this.#kept.reduce((sum, { bytes }) => sum + bytes, (this.measured ?? 0) + this.coming);
  }
  /** @param at monotonic milliseconds */
  keep(bytes: number, at: number): void {
    const last = this.#kept.at(-1);
    // Where no count ends for long, the last of these goes on.
    if (last && (at - last.from < togetherMs || this.#kept.length >= keptMax)) {
      last.until = at;
      last.bytes += bytes;
    } else this.#kept.push({ from: at, until: at, bytes });
  }
  fits(bytes: number, limit: number): boolean {
    return this.taken() + Math.max(bytes, 1) <= limit;
  }
  /** @param beganAt when the count began: it may have missed what was kept from then on */
  countEnds(bytes: number, beganAt: number): void {
    this.measured = bytes;
    this.#kept = this.#kept.filter(({ until }) => until >= beganAt);
  }
}

const togetherMs = 1000;
const keptMax = 10_000;

/** The ledger of a user, begun when there is none. */
export function ledgerOf(users: Map<string, SpaceLedger>, user: string): SpaceLedger {
  const present = users.get(user) ?? new SpaceLedger();
  users.set(user, present);
  return present;
}

/** Counts now and then, into the ledgers. */
export function countingFor(
  deps: SpaceDeps,
  all: SpaceLedger,
  users: Map<string, SpaceLedger>,
  warns: () => boolean,
) {
  const { now = () => performance.now() } = deps;
  const stopping = new AbortController();
  const { tell, add: onWarning } = openListeners();
  let counting: Promise<void> | undefined;
  let mayCountAgainAt = Number.NEGATIVE_INFINITY;
  let restMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let warned = false;
  /** Limits that were set at the last count. */
  let countedFor: ReadonlySet<string> = new Set();

  async function measureOnce(withinMs: number): Promise<void> {
    countedFor = limitedBy(deps.settings());
    const tookMs = await measureInto(all, users, { ...deps, now, withinMs }, stopping.signal);
    restMs = restForCount * tookMs;
    mayCountAgainAt = now() + Math.max(countAgainMs, restMs);
  }

  function count(withinMs = 0): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    counting ??= measureOnce(withinMs).finally(() => {
      counting = undefined;
      clearTimeout(timer);
      if (stopping.signal.aborted) return;
      const pauseMs = Math.max(countEveryMs, restMs);
      timer = setTimeout(() => void count(pauseMs / 2), pauseMs).unref();
      if (warns() === warned) return;
      warned = !warned;
      tell();
    });
    return counting;
  }

  return {
    count: () => count(countEveryMs / 2),
    byUser: async () => new Map((await usersCounted(deps, shownMs, stopping.signal)).value),
    async countAgain(): Promise<void> {
      // Nothing is counted without a limit, so there is a first count when one is set.
      const limited = limitedBy(deps.settings());
      const isFirst = [...limited].some((limit) => !countedFor.has(limit));
      if (!isFirst && counting === undefined && now() < mayCountAgainAt) return;
      const withinMs = isFirst ? countEveryMs / 2 : Math.max(countAgainMs, restMs);
      await inTime(waitMs, count(withinMs), () => {});
    },
    onWarning,
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(timer);
      await counting;
    },
  };
}

const limitedBy = (settings: ReturnType<SpaceDeps['settings']>): ReadonlySet<string> =>
  new Set(
    (['limits.spaces_gb', 'limits.user_gb'] as const).filter((limit) => settings[limit] !== null),
  );

type CountDeps = SpaceDeps & { now: () => number; withinMs: number };

/** Never rejects: what could not be counted stays as it was counted before. Returns how many milliseconds it took whoever counted. */
async function measureInto(
  all: SpaceLedger,
  users: Map<string, SpaceLedger>,
  deps: CountDeps,
  signal: AbortSignal,
): Promise<number> {
  const { measure, settings, log, now, withinMs } = deps;
  let tookMs = 0;
  try {
    if (settings()['limits.spaces_gb'] === null) all.measured = null;
    else {
      const counted = await untilDone(deps, 'space', { withinMs, signal }, measure);
      const { bytes, unread } = counted.value;
      all.countEnds(bytes, now() - counted.agoMs);
      tookMs += counted.tookMs;
      if (unread > 0)
        log.warn({ unread }, 'disk usage is incomplete; some files could not be read');
    }
    if (settings()['limits.user_gb'] === null) {
      for (const ledger of users.values()) ledger.measured = null;
      return tookMs;
    }
    const counted = await usersCounted(deps, withinMs, signal);
    const byUser = new Map(counted.value);
    for (const user of byUser.keys()) ledgerOf(users, user);
    for (const [user, ledger] of users)
      ledger.countEnds(byUser.get(user) ?? 0, now() - counted.agoMs);
    tookMs += counted.tookMs;
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'counting disk usage failed');
  }
  return tookMs;
}

const usersCounted = async (deps: SpaceDeps, withinMs: number, signal: AbortSignal) =>
  await untilDone(deps, 'space-of-users', { withinMs, signal }, async (ends) => [
    ...(await deps.measureByUser(ends)),
  ]);

/** Waits while another node counts. */
async function untilDone<T>(
  { byOne }: SpaceDeps,
  task: string,
  how: Parameters<ByOne>[1],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<DoneByOne<T>> {
  for (;;) {
    const done = await byOne(task, how, work);
    if (done) return done;
    await systemClock.wait(lookMs, how.signal);
  }
}

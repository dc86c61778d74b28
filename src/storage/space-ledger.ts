import type { Settings } from '../config/environment.ts';
import type { CountedBytes } from './disk.ts';

/** How often what a limit is set for is counted again, in milliseconds: what grows meanwhile is a recording's audio. */
const countEveryMs = 600_000;
/**
 * Before a refusal it is counted once more, since something may have been deleted: at most this often,
 * and not before so many times as long as the last count took have passed.
 */
const countAgainMs = 10_000;
const restForCount = 20;
/** What was counted for people to see is shown for so long. */
const shownMs = 60_000;
/** No request waits longer than this for it. */
const waitMs = 2000;

export type SpaceDeps = {
  /** Counts what is on the disk. */
  measure(signal: AbortSignal): Promise<CountedBytes>;
  /** Counts it for each user. */
  measureByUser(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
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
  /** Bytes kept since the last count began, which may have missed them; and before it, while it runs. */
  keptSince = 0;
  keptBefore = 0;

  taken(): number {
    return (this.measured ?? 0) + this.coming + this.keptSince + this.keptBefore;
  }
  fits(bytes: number, limit: number): boolean {
    return this.taken() + Math.max(bytes, 1) <= limit;
  }
  countBegins(): void {
    this.keptBefore += this.keptSince;
    this.keptSince = 0;
  }
  countEnds(bytes: number): void {
    this.measured = bytes;
    this.keptBefore = 0;
  }
}

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
  const listeners = new Set<() => void>();
  let counting: Promise<void> | undefined;
  let mayCountAgainAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let warned = false;
  /** Limits that were set at the last count. */
  let countedFor: ReadonlySet<string> = new Set();

  async function measureOnce(): Promise<void> {
    const began = now();
    countedFor = limitedBy(deps.settings());
    await measureInto(all, users, deps, stopping.signal);
    const ended = now();
    mayCountAgainAt = ended + Math.max(countAgainMs, restForCount * (ended - began));
  }

  function count(): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    counting ??= measureOnce().finally(() => {
      counting = undefined;
      clearTimeout(timer);
      if (stopping.signal.aborted) return;
      timer = setTimeout(() => void count(), countEveryMs).unref();
      if (warns() === warned) return;
      warned = !warned;
      for (const listener of listeners) listener();
    });
    return counting;
  }

  return {
    count,
    byUser: keptFor(shownMs, now, () => deps.measureByUser(stopping.signal)),
    async countAgain(): Promise<void> {
      // Nothing is counted without a limit, so there is a first count when one is set.
      const limited = limitedBy(deps.settings());
      const isFirst = [...limited].some((limit) => !countedFor.has(limit));
      if (!isFirst && counting === undefined && now() < mayCountAgainAt) return;
      let enough: NodeJS.Timeout | undefined;
      const waited = new Promise<void>((resolve) => (enough = setTimeout(resolve, waitMs)));
      await Promise.race([count(), waited]);
      clearTimeout(enough);
    },
    onWarning(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
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

/** What was made last is given again for a while; what failed is made again by who asks next. */
function keptFor<T>(ms: number, now: () => number, make: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; made: Promise<T> } | undefined;
  return () => {
    if (kept && now() - kept.at < ms) return kept.made;
    const fresh = { at: now(), made: make() };
    kept = fresh;
    fresh.made.catch(() => {
      if (kept === fresh) kept = undefined;
    });
    return fresh.made;
  };
}

/** Never rejects: what could not be counted stays as it was counted before. */
async function measureInto(
  all: SpaceLedger,
  users: Map<string, SpaceLedger>,
  { measure, measureByUser, settings, log }: SpaceDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (settings()['limits.spaces_gb'] === null) all.measured = null;
    else {
      all.countBegins();
      const { bytes, unread } = await measure(signal);
      all.countEnds(bytes);
      if (unread > 0) log.warn({ unread }, 'not everything could be counted for limits.spaces_gb');
    }
    if (settings()['limits.user_gb'] === null) {
      for (const ledger of users.values()) ledger.measured = null;
      return;
    }
    for (const ledger of users.values()) ledger.countBegins();
    const byUser = await measureByUser(signal);
    for (const user of byUser.keys()) ledgerOf(users, user);
    for (const [user, ledger] of users) ledger.countEnds(byUser.get(user) ?? 0);
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'counting for limits.spaces_gb');
  }
}

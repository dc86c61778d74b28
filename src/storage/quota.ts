import { detail } from '../words/details.ts';
import { failure } from '../words/failures.ts';
import type { Sentence } from '../words/params.ts';
import { inEnglish } from '../words/say.ts';
import { gigabyte } from './disk.ts';
import { SpaceLedger, type SpaceDeps, countingFor, ledgerOf } from './space-ledger.ts';

/**
 * `limits.spaces_gb` and, of each user, `limits.user_gb`: what is about to come in is let in or refused.
 * What has been let in, and what is made of it, goes on whatever it takes: nothing acknowledged is given
 * up for a limit. What a browser or a desk sends has no length before its end: it ends there, and what has come stays.
 */
export interface SpaceLimit {
  /** Bytes that are taken, with what is coming in; null until they were counted, and where none is limited. */
  taken(): number | null;
  /** What each user's documents, recordings and uploads take, in bytes; counted when asked, at most once a minute. */
  byUser(): Promise<ReadonlyMap<string, number>>;
  /** Bytes that may be taken; null: as many as there are. */
  limit(): number | null;
  /**
   * Lets something in, and counts it from now on.
   * @param bytes its length; 0 when it is not known yet
   * @param owner the user whose it is
   * @throws {SpaceLimitReached}, {DiskFull}
   */
  admit(bytes: number, owner: string): Promise<Admission>;
  /**
   * Lets something grow that has no length before it has ended, by so many bytes: they are on the disk, for good.
   * @throws {SpaceLimitReached}
   */
  grow(bytes: number, owner: string): Promise<void>;
  /** Bytes that an owner may still add, as far as was counted; null: no limit. */
  left(owner: string): number | null;
  /** For what has no length before it has ended. @throws {SpaceLimitReached}, {DiskFull} when nothing fits any more */
  refuseWhenFull(owner: string): Promise<void>;
  /** To be shown while nothing new is let in. */
  warning(): { code: 'space-limit'; said: Sentence } | null;
  /** Calls back after a count that changed whether there is a warning; returns how to stop. */
  onWarning(listener: () => void): () => void;
  /** Counts now and from then on; resolves when it has counted. Without it nothing is known to be full. */
  start(): Promise<void>;
  /** Counts no more. */
  stop(): Promise<void>;
}

/** What was let in, until it is where it is counted, or nowhere. The first of `kept` and `gone` counts. */
export interface Admission {
  /**
   * Corrects the announced length.
   * @param more.later what it will take besides, for a while: its working copy
   * @throws {SpaceLimitReached} the real length exceeds a limit
   */
  becomes(bytes: number, more?: { later: number }): Promise<void>;
  /** So many bytes of it have arrived; more than announced are admitted first. @throws {SpaceLimitReached} */
  arrived(bytes: number): Promise<void>;
  /** It is on the disk, for good. */
  kept(): void;
  /** Nothing is left of it. */
  gone(): void;
}

/** Counts nothing before `start`. One count at a time. */
export function openSpaceLimit(deps: SpaceDeps): SpaceLimit {
  const limits = {
    all: () => bytesOf(deps.settings()['limits.spaces_gb']),
    user: () => bytesOf(deps.settings()['limits.user_gb']),
  };
  const { now = () => performance.now() } = deps;
  const all = new SpaceLedger();
  const users = new Map<string, SpaceLedger>();
  const counter = countingFor(deps, all, users, () => warning() !== null);

  const roomOf = (owner: string): Room => {
    const own = ledgerOf(users, owner);
    return {
      ledgers: [all, own],
      async lookFor(bytes) {
        const lacks = (ledger: SpaceLedger, limit: number | null) =>
          limit !== null && (ledger.measured === null || !ledger.fits(bytes, limit));
        if (lacks(all, limits.all()) || lacks(own, limits.user())) await counter.countAgain();
      },
      assertFits(bytes, later = 0) {
        assertFits(all, limits.all(), { bytes, later, setting: 'limits.spaces_gb' });
        assertFits(own, limits.user(), { bytes, later, setting: 'limits.user_gb' });
      },
    };
  };

  function warning(): ReturnType<SpaceLimit['warning']> {
    const most = limits.all();
    if (most === null || all.fits(0, most)) return null;
    const said = failure('total-space-full', { taken: all.taken(), limit: most });
    return { code: 'space-limit', said };
  }

  return {
    taken: () => (all.measured === null ? null : all.taken()),
    byUser: counter.byUser,
    limit: limits.all,
    async admit(bytes, owner) {
      await deps.disk.admit(bytes);
      const room = roomOf(owner);
      await room.lookFor(bytes);
      // In the turn of the check: of two that come at once the second finds the first.
      room.assertFits(bytes);
      return admission(bytes, room, now);
    },
    async grow(bytes, owner) {
      const room = roomOf(owner);
      await room.lookFor(bytes);
      room.assertFits(bytes);
      // Not as what is coming, which is counted beside what is on the disk: it is there, as the next count finds it.
      for (const ledger of room.ledgers) ledger.keep(bytes, now());
    },
    left: (owner) => leftOf([all, limits.all()], [ledgerOf(users, owner), limits.user()]),
    async refuseWhenFull(owner) {
      await deps.disk.admit(0);
      const room = roomOf(owner);
      await room.lookFor(0);
      room.assertFits(0);
    },
    warning,
    onWarning: counter.onWarning,
    start: counter.count,
    stop: counter.stop,
  };
}

/** Bytes that still fit into the narrowest of limits. */
function leftOf(...limited: (readonly [SpaceLedger, number | null])[]): number | null {
  const left = limited.map(([ledger, limit]) =>
    limit === null ? Infinity : Math.max(0, limit - ledger.taken()),
  );
  const least = Math.min(...left);
  return least === Infinity ? null : least;
}

function assertFits(
  ledger: SpaceLedger,
  limit: number | null,
  coming: { bytes: number; later: number; setting: Limit },
): void {
  if (limit === null || ledger.fits(coming.bytes, limit)) return;
  throw new SpaceLimitReached({ taken: ledger.taken(), limit, ...coming });
}

/** Where something of a user comes in. */
type Room = {
  ledgers: readonly SpaceLedger[];
  /** Counts first if nothing was counted yet, or if room may have been made since. */
  lookFor(bytes: number): Promise<void>;
  /** @throws {SpaceLimitReached} */
  assertFits(bytes: number, later?: number): void;
};

function admission(
  announced: number,
  { ledgers, lookFor, assertFits }: Room,
  now: () => number,
): Admission {
  let bytes = announced;
  let open = true;
  const add = (more: number) => {
    for (const ledger of ledgers) ledger.coming += more;
  };
  add(bytes);
  const settle = () => {
    if (!open) return false;
    open = false;
    add(-bytes);
    return true;
  };
  const becomes = async (now: number, { later }: { later: number } = { later: 0 }) => {
    const more = now + later - bytes;
    if (more > 0) {
      await lookFor(more);
      assertFits(more, later);
    }
    if (open) add(more);
    bytes = now + later;
  };
  return {
    becomes,
    arrived: async (now) => {
      if (now > bytes) await becomes(now);
    },
    kept() {
      if (!settle()) return;
      for (const ledger of ledgers) ledger.keep(bytes, now());
    },
    gone: () => void settle(),
  };
}

type Limit = 'limits.spaces_gb' | 'limits.user_gb';

const bytesOf = (gigabytes: number | null): number | null =>
  gigabytes === null ? null : Math.round(gigabytes * gigabyte);

/** What was about to come in has no place within a limit. HTTP answers 507. */
export class SpaceLimitReached extends Error {
  override name = 'SpaceLimitReached';
  readonly code = 'SPACE_LIMIT_REACHED';
  readonly said: Sentence;
  readonly takenBytes: number;
  readonly limitBytes: number;
  /**
   * @param reached.bytes of what was about to come in; 0 when they are not known
   * @param reached.later how many of them only while it is recognised
   */
  constructor(reached: {
    taken: number;
    limit: number;
    bytes: number;
    later?: number;
    setting: Limit;
  }) {
    const { taken, limit, bytes, later = 0, setting } = reached;
    const whose = setting === 'limits.user_gb' ? 'user' : 'total';
    const said =
      bytes > 0
        ? detail(`${whose}-space-too-small`, {
            taken,
            limit,
            more: bytes,
            ...(later > 0 && { later }),
          })
        : detail(`${whose}-space-full`, { taken, limit });
    super(inEnglish(said));
    this.said = said;
    this.takenBytes = taken;
    this.limitBytes = limit;
  }
}

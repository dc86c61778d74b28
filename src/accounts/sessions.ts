import { LRUCache } from 'lru-cache';
import { hash, randomBytes } from 'node:crypto';
import type { Notices } from '../storage/notices.ts';
import type { Kept, KeptKind, KeptRows } from '../storage/kept.ts';
import { openListeners } from '../shared/listeners.ts';

/** An expiry is written again when it has moved by this much: reading must not mean writing. */
const moveMs = 5 * 60_000;

const hourMs = 3_600_000;

/** A session ends this long after its login at the latest, however much it is used, in milliseconds (ASVS 5.0, 7.3.2). */
const lifeMaxMs = 90 * 24 * hourMs;

/** Characters kept of what a program calls itself. */
const agentMax = 200;

/** Sessions kept in memory, and for how long, in milliseconds: another node may end one, and its notice may be missed. */
const knownMax = 10_000;
const knownMs = 5_000;

/** One session as it is stored. Rows, not facts: later it does not matter who was logged in when. */
export type SessionRow = {
  user_id: string;
  /** Milliseconds since the epoch. */
  created_at: number;
  /** Milliseconds since the epoch; slides with use, moved at most every five minutes. */
  expires_at: number;
  /** When it was last used, to five minutes; missing, like the two below, in rows of before there were any. */
  seen_at?: number;
  /** What the program that logged in calls itself. */
  agent?: string;
  /** Whether the sign-on provider logged them in: then it is the provider's to ask for more than a password. */
  signed_on?: true;
  /** Version of the `users` stream when it began. */
  users_version?: number;
};

/** By `sessionIdOf` their token: reading the store reveals no token. */
export const sessionRows: KeptKind<SessionRow> = {
  name: 'sessions',
  endsAt: (row) => row.expires_at,
  keys: 'plain',
};

/** The SHA-256 (hex) by which a token's session is kept; also names the session to others. */
export const sessionIdOf = (token: string): string => hash('sha256', token, 'hex');

/** Who is logged in. A session that is being used while it is ended is not written again afterwards. */
export class SessionBook {
  readonly #rows: KeptRows<SessionRow>;
  readonly #clock: () => Date;
  readonly #hours: () => number;
  readonly #signedOnHours: () => number;
  readonly #whenEnded = openListeners<[string]>();
  readonly #notices: Notices;
  /** Sessions in use, so that not every request reads the rows. */
  readonly #known = new LRUCache<string, SessionRow>({ max: knownMax, ttl: knownMs });
  /** Counts endings: what was read before one may not hold after it. */
  #endings = 0;

  constructor(parts: {
    kept: Kept;
    notices: Notices;
    clock: () => Date;
    /** How long a session lives without being used. */
    hours: () => number;
    /** How long one lives that began at the sign-on provider, however much it is used: only there is it said who may still come. */
    signedOnHours: () => number;
  }) {
    this.#rows = parts.kept.of(sessionRows);
    this.#notices = parts.notices;
    this.#clock = parts.clock;
    this.#hours = parts.hours;
    this.#signedOnHours = parts.signedOnHours;
    parts.notices.listen('session-ended', (sessionId) => this.#ended(sessionId));
    parts.notices.onMissed(() => {
      this.#endings += 1;
      this.#known.clear();
    });
  }

  /**
   * A new session, if `allowed` still says so when it is written: the version of the `users` stream
   * for which it is, or undefined for none. The token is 256 random bits.
   */
  begin(
    wanted: { userId: string; agent?: string | undefined; signedOn?: boolean },
    allowed: () => number | undefined,
  ): Promise<{ token: string; expiresAt: Date } | undefined> {
    const { userId, agent, signedOn = false } = wanted;
    const token = randomBytes(32).toString('base64url');
    return this.#rows.change([sessionIdOf(token)], () => {
      const usersVersion = allowed();
      if (usersVersion === undefined) return { result: undefined };
      const now = this.#clock().getTime();
      const expires = this.#endOf({ created_at: now, signed_on: signedOn }, now);
      const row = {
        user_id: userId,
        created_at: now,
        expires_at: expires,
        seen_at: now,
        ...(agent === undefined ? {} : { agent: agent.slice(0, agentMax) }),
        ...(signedOn && { signed_on: true as const }),
        users_version: usersVersion,
      };
      return { keep: [row], result: { token, expiresAt: new Date(expires) } };
    });
  }

  /** The session of a token, which lives on by being asked for; undefined: none, or over. */
  async find(token: string): Promise<ListedSession | undefined> {
    if (!/^[\w-]{43}$/u.test(token)) return undefined;
    const sessionId = sessionIdOf(token);
    const row = await this.#row(sessionId);
    const now = this.#clock().getTime();
    if (!row || this.#isOver(row, now)) return undefined;
    const expires = this.#endOf(row, now);
    const isMoved = Math.abs(expires - row.expires_at) >= moveMs;
    if (!isMoved && now - seenAt(row) < moveMs) return sessionOf({ key: sessionId, value: row });
    const endings = this.#endings;
    const used = { expires_at: expires, seen_at: now };
    const change = this.#rows.change([sessionId], ([present]) => {
      if (!present) return { result: undefined };
      const moved = { ...present, ...used };
      return { keep: [moved], result: moved };
    });
    // It is good as it is: a disk that takes nothing must not log everybody out. The log tells of
    // the failed write itself, and the next request tries again.
    const moved = await change.catch(() => this.#rows.get(sessionId));
    if (moved?.expires_at === expires && endings === this.#endings)
      this.#known.set(sessionId, moved);
    return moved && sessionOf({ key: sessionId, value: moved });
  }

  /** A session that is not over; it does not live on by this. */
  async look(sessionId: string): Promise<ListedSession | undefined> {
    const row = await this.#row(sessionId);
    const isGood = row !== undefined && !this.#isOver(row, this.#clock().getTime());
    return isGood ? sessionOf({ key: sessionId, value: row }) : undefined;
  }

  /** Calls back with every session that is ended before its time; returns how to stop. */
  onEnded(listener: (sessionId: string) => void): () => void {
    return this.#whenEnded.add(listener);
  }

  async end(sessionId: string): Promise<void> {
    await this.#rows.delete([sessionId]);
    this.#end(sessionId);
  }

  /** Sessions that are not over, those begun last first: of one user, or of all. */
  async list(userId?: string): Promise<ListedSession[]> {
    const now = this.#clock().getTime();
    const rows = (await this.#rows.list('')).filter(
      ({ value: row }) =>
        !this.#isOver(row, now) && (userId === undefined || row.user_id === userId),
    );
    return rows.toSorted((a, b) => b.value.created_at - a.value.created_at).map(sessionOf);
  }

  /** @param but a session that goes on */
  async endAllOf(userId: string, but?: string): Promise<void> {
    const ended = (await this.#rows.list(''))
      .filter(({ key, value }) => value.user_id === userId && key !== but)
      .map(({ key }) => key);
    await this.#rows.delete(ended);
    for (const sessionId of ended) this.#end(sessionId);
  }

  async #row(sessionId: string): Promise<SessionRow | undefined> {
    const known = this.#known.get(sessionId);
    if (known) return known;
    const endings = this.#endings;
    const row = await this.#rows.get(sessionId);
    // One that was ended while it was read must not be known again.
    if (row && endings === this.#endings) this.#known.set(sessionId, row);
    return row;
  }

  #end(sessionId: string): void {
    this.#notices.tell('session-ended', sessionId);
    this.#ended(sessionId);
  }

  /** Here or at another node. */
  #ended(sessionId: string): void {
    this.#endings += 1;
    this.#known.delete(sessionId);
    this.#whenEnded.tell(sessionId);
  }

  /** When a session ends that is used now. */
  #endOf(row: Begun, now: number): number {
    return Math.min(now + this.#hours() * hourMs, this.#latestEnd(row));
  }

  /** Also one of a release, or of a setting, that knew a later end. */
  #isOver(row: SessionRow, now: number): boolean {
    // Of use within the last five minutes nothing may be written; rows of before say nothing of any.
    const unused =
      row.seen_at === undefined ? Infinity : row.seen_at + this.#hours() * hourMs + moveMs;
    return Math.min(row.expires_at, unused, this.#latestEnd(row)) <= now;
  }

  #latestEnd({ created_at, signed_on = false }: Begun): number {
    return created_at + (signed_on ? this.#signedOnHours() * hourMs : lifeMaxMs);
  }
}

type Begun = Pick<SessionRow, 'created_at'> & { signed_on?: boolean };

const seenAt = (row: SessionRow): number => row.seen_at ?? row.created_at;

/** A session as its user may see it. */
export type ListedSession = {
  sessionId: string;
  userId: string;
  createdAt: Date;
  /** To five minutes. */
  lastSeenAt: Date;
  expiresAt: Date;
  /** Version of the `users` stream for which it was begun; undefined: before there were any. */
  usersVersion: number | undefined;
  agent: string | null;
  /** Whether the sign-on provider logged them in. */
  signedOn: boolean;
};

const sessionOf = ({ key, value: row }: { key: string; value: SessionRow }): ListedSession => ({
  sessionId: key,
  userId: row.user_id,
  createdAt: new Date(row.created_at),
  lastSeenAt: new Date(seenAt(row)),
  expiresAt: new Date(row.expires_at),
  usersVersion: row.users_version,
  agent: row.agent ?? null,
  signedOn: row.signed_on === true,
});

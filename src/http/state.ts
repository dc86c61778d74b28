import type { Caller } from '../accounts/caller.ts';

type Limit = NonNullable<Caller['limited']>;

/** Who may call a route: `ticket` and `upload` also let in by what stands in the address, `metrics` by `metrics.token`. */
export type Access = 'public' | 'user' | 'admin' | 'ticket' | 'upload' | 'metrics';

/** Who is let in to a route. */
export type WhoMayCall = {
  access: Access;
  /** Whether the password has to be given once more: for users, their rights, and backups, which hold the keys. */
  asksPassword?: true;
  /** Whom it answers who has to choose another password, or set up two-step login, first. */
  whileLimited?: readonly Limit[];
};

/** What one request carries from middleware to route. */
export type State = {
  requestId: string;
  /** Pattern of the route that answers it; undefined where it gets to none. */
  route?: string;
  /** Who may call what was asked for; undefined where that is not known yet. */
  access?: Access;
  /** Set where a login is needed, which is everywhere but in public places. */
  caller?: Caller;
  token?: string;
  /** Id of the command a POST gives; the same `Idempotency-Key` of the same user is the same command. */
  command?: string;
  /** Whether the command has an `Idempotency-Key`. */
  repeatable?: boolean;
};

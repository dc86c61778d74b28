import type { Caller } from '../accounts/caller.ts';
import type { Access } from './access.ts';

/** What one request carries from middleware to route. */
export type State = {
  requestId: string;
  /** Who may call what was asked for (`accessTo`). */
  access: Access;
  /** Set where a login is needed, which is everywhere but in public places. */
  caller?: Caller;
  token?: string;
  /** Id of the command a POST gives; the same `Idempotency-Key` of the same user is the same command. */
  command?: string;
  /** Whether the command has an `Idempotency-Key`. */
  repeatable?: boolean;
};

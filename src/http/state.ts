import type { Caller } from './services.ts';

/** What one request carries from middleware to route. */
export type State = {
  requestId: string;
  /** Set where a login is needed, which is everywhere but in public places. */
  caller?: Caller;
  token?: string;
  /** Id of the command a POST gives; the same `Idempotency-Key` of the same user is the same command. */
  command?: string;
  /** Whether the command has an `Idempotency-Key`. */
  repeatable?: boolean;
};

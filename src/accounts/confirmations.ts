import type { Kept, KeptKind } from '../storage/kept.ts';
import type { Caller } from './caller.ts';

/** How long a password that was given counts for what asks for it again, in milliseconds. */
const confirmedMs = 5 * 60_000;

/** By session. */
const confirmed: KeptKind<1> = {
  name: 'confirmed',
  endsAt: (_, now) => now + confirmedMs,
  volatileMax: 1000,
  keys: 'plain',
};

/** In which sessions the password was given once more; at all nodes. */
export interface Confirmations {
  note(sessionId: string): Promise<void>;
  /** Whether the password was given within five minutes: at the login, or since. */
  isRecent(caller: Caller): Promise<boolean>;
}

export function openConfirmations(kept: Kept, clock: () => Date): Confirmations {
  const rows = kept.of(confirmed);
  return {
    note: (sessionId) => rows.change([sessionId], () => ({ keep: [1], result: undefined })),
    isRecent: async ({ beganAt, sessionId }) =>
      clock().getTime() - beganAt.getTime() < confirmedMs ||
      (await rows.get(sessionId)) !== undefined,
  };
}

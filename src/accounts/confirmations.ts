import type { LoginAttempts } from '../storage/login-attempts.ts';
import type { Caller } from './caller.ts';

/** How long a password that was given counts for what asks for it again, in milliseconds. */
const confirmedMs = 5 * 60_000;

/** In which sessions the password was given once more; at all nodes. */
export interface Confirmations {
  note(sessionId: string): Promise<void>;
  /** Whether the password was given within five minutes: at the login, or since. */
  isRecent(caller: Caller): Promise<boolean>;
}

export function openConfirmations(attempts: LoginAttempts, clock: () => Date): Confirmations {
  const keysOf = (name: string) => [{ kind: 'confirmed' as const, name }];
  return {
    note: (sessionId) =>
      attempts.change(keysOf(sessionId), (_, now) => ({ remember: [now], result: undefined })),
    async isRecent({ beganAt, sessionId }) {
      if (clock().getTime() - beganAt.getTime() < confirmedMs) return true;
      return await attempts.change(keysOf(sessionId), (remembered, now) => {
        const [at] = remembered as [number?];
        return { remember: remembered, result: at !== undefined && now - at < confirmedMs };
      });
    },
  };
}

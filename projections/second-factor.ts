import type { LoggedFact, UserFact } from '../events/facts/catalogue.ts';

/** What a user needs besides the password to log in. */
export type SecondFactor = {
  /** Base32. Null when the user's key is lost: no code is right then. */
  readonly secret: string | null;
  /** SHA-256 of each recovery code; null once it is used. */
  readonly recovery: readonly (string | null)[];
  /** RFC 3339 UTC. */
  readonly since: string;
};

type SecondFactorFact = Extract<
  LoggedFact,
  { type: 'user.totp_enabled' | 'user.totp_disabled' | 'user.recovery_code_used' }
>;

/** A user's second factor after what the `users` stream says of it. */
export function secondFactorAfter(
  present: SecondFactor | null,
  fact: SecondFactorFact,
): SecondFactor | null {
  switch (fact.type) {
    case 'user.totp_enabled': {
      const { secret = null, recovery = [] } = fact.content ?? {};
      return { secret, recovery, since: fact.at };
    }
    case 'user.recovery_code_used': {
      const { index } = fact.data;
      if (!present) return null;
      const recovery = present.recovery.map((code, at) => (at === index ? null : code));
      return { ...present, recovery };
    }
    default:
      return null;
  }
}

export type TotpEnd = Extract<UserFact, { type: 'user.totp_disabled' }>['data']['reason'];
export const secondFactorEnded = (id: string, reason: TotpEnd): UserFact => ({
  type: 'user.totp_disabled',
  data: { user_id: id, reason },
});

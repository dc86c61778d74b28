import type { LoggedFact, UserFact } from '../events/facts/catalogue.ts';

/** Who a user is at a sign-on provider: issuer and subject, never a name or an e-mail address. */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
  /** What the provider called them then; null: nothing. */
  readonly name: string | null;
};

type IdentityFact = Extract<
  LoggedFact,
  { type: 'user.identity_linked' | 'user.identity_unlinked' }
>;

/** A user's identity after what the `users` stream says of it; null also where the key is lost. */
export function identityAfter(fact: IdentityFact): Identity | null {
  if (fact.type === 'user.identity_unlinked' || !fact.content) return null;
  const { issuer, subject, name = null } = fact.content;
  return { issuer, subject, name };
}

export const linked = (id: string, { issuer, subject, name }: Identity): UserFact => ({
  type: 'user.identity_linked',
  data: { user_id: id },
  content: { issuer, subject, ...(name === null ? {} : { name }) },
});

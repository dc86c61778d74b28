import type { UserFact } from '../events/facts/catalogue.ts';
import type { Decision } from '../events/command-handler.ts';
import { linked } from './identities.ts';
import { type UserRefusal, type Users, registered } from './users.ts';

/**
 * Writes down once more what there is of a user, under the key that users have now. In 0.1 a browser chose the id of its
 * recording, and could choose a user's: then both have one key, which the erasure of the recording destroys. The user's
 * sessions and links end with it. Nothing for an id that no user has, or whose name is lost already.
 */
export const decideOwnKey =
  (id: string) =>
  (users: Users): Decision<UserFact, UserRefusal> => {
    const user = users.byId.get(id);
    if (!user || (user.hasPassword && user.passwordHash === null)) return [];
    const { disabled, vault, mustChangePassword, totp, identity } = user;
    const data = { user_id: id };
    const facts: UserFact[] = [registered(user)];
    if (disabled) facts.push({ type: 'user.disabled', data });
    if (vault !== null) facts.push({ type: 'user.vault_set', data, content: { folder: vault } });
    if (mustChangePassword) facts.push({ type: 'user.password_set', data });
    if (identity) facts.push(linked(id, identity));
    if (totp?.secret) {
      const recovery = totp.recovery.filter((code) => code !== null);
      const content = { secret: totp.secret, recovery };
      facts.push({ type: 'user.totp_enabled', data, content });
    }
    return facts;
  };

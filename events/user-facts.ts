import * as z from 'zod';
import type { FactOf, FactSchemas } from './envelope.ts';

/** The one stream all users live in: its expected version decides who is first and which name is free. */
export const usersStream = 'users';

const who = { user_id: z.string() };

/** Every fact of the `users` stream. The subject is `user_id`, so a deleted user's name goes with the key. */
export const userFacts = {
  'user.registered': {
    data: z.object({ ...who, is_admin: z.boolean() }),
    content: z.object({ username: z.string(), password_hash: z.string() }),
  },
  'user.password_changed': {
    data: z.object({ ...who, reason: z.enum(['changed', 'reset', 'rehashed']) }),
    content: z.object({ password_hash: z.string() }),
  },
  'user.admin_granted': { data: z.object(who) },
  'user.admin_revoked': { data: z.object(who) },
  /** Cannot log in until enabled again; everything of theirs stays. */
  'user.disabled': { data: z.object(who) },
  'user.enabled': { data: z.object(who) },
  'user.deleted': { data: z.object(who) },
} satisfies FactSchemas;

export type UserFact = FactOf<typeof userFacts>;

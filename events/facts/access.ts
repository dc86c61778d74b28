import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';

/** What somebody may do with what is shared with them; `correct` is all of `read`, too. */
export const accessRoles = ['read', 'correct'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** With whom something is shared: `u-<user id>` or `g-<group id>`. */
export type Grantee = `u-${string}` | `g-${string}`;
const grantee = z.templateLiteral([z.enum(['u-', 'g-']), z.string()]);

export const granted = { to: grantee, role: z.enum(accessRoles), audio: z.boolean() };
export const withdrawn = { to: grantee };

/** What somebody may do: they read it, or correct it, too, and may hear it. */
export type Grant = { readonly to: Grantee; readonly role: AccessRole; readonly audio: boolean };

/** Grants of one recording, or of one folder. */
export const grantsMax = 100;

/** With whom its owner shares a recording; whoever it is handed over to decides anew. */
export const accessFacts = {
  'access.granted': { data: z.object(granted) },
  'access.withdrawn': { data: z.object(withdrawn) },
} satisfies FactSchemas;

/** The grants after one is given: the one before to the same is replaced. */
export const withGrant = (grants: readonly Grant[], { to, role, audio }: Grant): Grant[] => [
  ...grants.filter((one) => one.to !== to),
  { to, role, audio },
];

export const withoutGrant = (grants: readonly Grant[], to: Grantee): readonly Grant[] =>
  grants.some((one) => one.to === to) ? grants.filter((one) => one.to !== to) : grants;

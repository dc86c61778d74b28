import * as z from 'zod';
import { houseId } from '../../events/facts/personal.ts';
import type { DecidePersonal } from '../../projections/personal.ts';
import type { Caller } from '../accounts/caller.ts';
import { changedIn, made } from './made.ts';
import { Problem } from './problems.ts';
import type { RouteRequest } from './route.ts';
import type { HttpServices } from './services.ts';

/** Whose words or templates. */
export const ofSchema = z.strictObject({
  of: z
    .enum(['mine', 'house'])
    .default('mine')
    .describe('`house`: those of everybody, which administrators change'),
});
type Of = z.output<typeof ofSchema>;

/** What is asked of one's own list, or of that of the house. */
export type AskedOf = Pick<RouteRequest<'', Of>, 'query' | 'caller' | 'onBehalf'>;

/** Whose list it is: the caller's id, or that in place of one. */
export const listOf = ({ of }: Of, { userId }: Pick<Caller, 'userId'>): string =>
  of === 'house' ? houseId : userId;

/** @throws {Problem} `not-admin`, and what was refused */
export async function changedOf(
  { query, caller, onBehalf }: AskedOf,
  services: Pick<HttpServices, 'order'>,
  decide: DecidePersonal,
) {
  return await changedIn(services, changeable(query, caller), onBehalf, decide);
}

/** @returns the id of what the command made @throws {Problem} `not-admin`, and as `made` */
export async function createdOf(
  { query, caller, onBehalf }: AskedOf,
  services: Pick<HttpServices, 'order' | 'store'>,
  decisionOf: (id: string) => DecidePersonal,
): Promise<string> {
  return await made(services, changeable(query, caller), onBehalf, decisionOf);
}

/** @throws {Problem} `not-admin` */
function changeable(query: Of, caller: Caller): string {
  if (query.of === 'house' && !caller.isAdmin) throw new Problem('not-admin');
  return listOf(query, caller);
}

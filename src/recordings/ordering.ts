import type { Ordering } from '../../projections/rules.ts';
import { choosableBy, templateOf } from './template-held.ts';
import type { Personal } from '../../projections/personal.ts';

/** What rules of a user are asked with. @throws {EventStoreError} */
export async function orderingOf(
  order: { of(userId: string): Promise<Personal> },
  owner: string,
): Promise<Ordering> {
  const choosable = await choosableBy(order, owner);
  const { folders, tags, rules } = choosable.own;
  return {
    folders,
    tags,
    rules,
    hasTemplate: (id) => templateOf(id, choosable, 'en') !== undefined,
  };
}

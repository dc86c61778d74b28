import type { LoggedFact } from '../events/catalogue.ts';
import { startingWith } from './list-page.ts';
import type { Projection, ProjectionStorage } from './projection.ts';

/** One key that was set. Of a secret only the fingerprint is known here. */
export type ConfigRow = { value: unknown } | { fingerprint: string };

/** The configuration as it was set: `k/<key>`. Keys at their defaults have no row. */
export const config: Projection = {
  name: 'config',
  version: 1,
  interests: new Set(['config.key_set', 'config.secret_set', 'config.key_reset']),
  keys: () => [],
  apply(rows, fact) {
    if (fact.type === 'config.key_set') rows.set(keyOf(fact), { value: fact.data.value });
    if (fact.type === 'config.secret_set') {
      rows.set(keyOf(fact), { fingerprint: fact.data.fingerprint });
    }
    if (fact.type === 'config.key_reset') rows.delete(keyOf(fact));
  },
};

/** Every key that was set. */
export async function configRows(storage: ProjectionStorage): Promise<Map<string, ConfigRow>> {
  const rows = new Map<string, ConfigRow>();
  for await (const [key, row] of storage.range<ConfigRow>(config.name, startingWith('k/'))) {
    rows.set(key.slice('k/'.length), row);
  }
  return rows;
}

type ConfigFact = Extract<LoggedFact, { data: { key: string } }>;
const keyOf = (fact: ConfigFact): string => `k/${fact.data.key}`;

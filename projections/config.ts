import type { ConfigFact, LoggedFact } from '../events/facts/catalogue.ts';
import type { Aggregate, Decision } from '../events/command-handler.ts';

/** What is stored of one key: its value, or of a secret the fingerprint. */
export type StoredSetting = { value: unknown } | { fingerprint: string };
/** The settings that were set, in memory. Keys at their defaults are missing. */
export type StoredSettings = ReadonlyMap<string, StoredSetting>;

/** One key to be set; without a setting it goes back to its default. */
export type SettingChange = { key: string; setting?: StoredSetting };

/** How the `config` stream folds. */
export const configAggregate: Aggregate<StoredSettings, ConfigFact> = {
  initial: () => new Map(),
  evolve: settingsAfter,
  accept: (_settings, _version, facts, metadata) => facts.map((fact) => ({ ...fact, ...metadata })),
};

/** The facts that make the changes; none for what is so already. */
export const decideSettings =
  (changes: readonly SettingChange[]) =>
  (settings: StoredSettings): Decision<ConfigFact, never> =>
    changes.flatMap(({ key, setting }): ConfigFact[] => {
      const present = settings.get(key);
      if (!setting) return present ? [{ type: 'config.key_reset', data: { key } }] : [];
      if (present && isSame(present, setting)) return [];
      if ('fingerprint' in setting) {
        return [{ type: 'config.secret_set', data: { key, ...setting } }];
      }
      return [{ type: 'config.key_set', data: { key, value: setting.value as JsonValue } }];
    });

type JsonValue = Extract<ConfigFact, { type: 'config.key_set' }>['data']['value'];

/** Values are JSON, made by the same schema: members come in the same order. */
const isSame = (a: StoredSetting, b: StoredSetting): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

function settingsAfter(settings: StoredSettings, fact: LoggedFact): StoredSettings {
  switch (fact.type) {
    case 'config.key_set':
      return new Map(settings).set(fact.data.key, { value: fact.data.value });
    case 'config.secret_set':
      return new Map(settings).set(fact.data.key, { fingerprint: fact.data.fingerprint });
    case 'config.key_reset': {
      const left = new Map(settings);
      left.delete(fact.data.key);
      return left;
    }
    default:
      return settings;
  }
}

import pLimit from 'p-limit';
import { ulid } from 'ulid';
import { commandHandler } from '../../events/command-handler.ts';
import { configStream } from '../../events/facts/catalogue.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import {
  type SettingChange,
  type StoredSettings,
  configAggregate,
  decideSettings,
} from '../../projections/config.ts';
import type { Log } from '../shared/log.ts';
import { environmentSettings } from './environment.ts';
import {
  ConfigError,
  type SettingKey,
  type Settings,
  isSettingKey,
  settingKeys,
  settingOf,
} from './schema.ts';
import {
  type Change,
  type ConfigDocument,
  changesIn,
  documentOf,
  invalidConfig,
} from './changes.ts';
import { keyAgain, keysLeftBehind } from './server-keys.ts';
import { type SecretStore, openSecretStore } from './secret-store.ts';

export interface Config {
  /** What holds now: the environment, else what was set, else the default. Asked whenever it matters. */
  settings(): Settings;
  /** The same as people see it, and the keys that only the environment can change. */
  document(): { config: ConfigDocument; overridden: SettingKey[] };
  /**
   * Merges a partial nested object into what is set; durable, and in force, when it returns. All of
   * it or nothing.
   * @throws {ConfigError} `CONFIG_INVALID`, `CONFIG_OVERRIDDEN`; {EventStoreError} `BUSY` and what the log says
   */
  update(patch: unknown, onBehalf: { by: string; command?: string | undefined }): Promise<void>;
  /** Refuses what `update` would refuse. @throws {ConfigError} */
  check(patch: unknown): void;
  /**
   * The settings as they would be, without a key that was given for another server; nothing is stored.
   * @throws {ConfigError} `CONFIG_INVALID` */
  withPatch(patch: unknown): Settings;
}

/** Updates that may wait; more are refused. */
const waitingMax = 64;

/**
 * The configuration: the `config` stream, secrets in a file of their own, and the environment over
 * both. The only writer of the stream.
 * @throws {SettingsError} the environment is wrong; {ConfigError} `SECRETS_DAMAGED`; {EventStoreError}
 */
export async function openConfig(parts: {
  store: EventStore;
  /** Of the secrets' file. */
  secretsPath: string;
  env: NodeJS.ProcessEnv;
  log: Pick<Log, 'info' | 'warn'>;
}): Promise<Config> {
  const { log } = parts;
  const environment = environmentSettings(parts.env);
  let stored: StoredSettings = new Map();
  const { handle, read } = commandHandler(parts.store, configAggregate, {
    waitingMax,
    streamsMax: 1,
    onFact: (_fact, settings) => (stored = settings),
  });
  await read(configStream, () => {});
  const secrets = await openSecretStore(parts.secretsPath);
  // An update that was interrupted between its secret and its fact, or after it, is finished here.
  await secrets.keepOnly(fingerprintsIn(stored));
  let current = settle();
  /** One update at a time: secrets that no fact names yet must not be deleted by another's end. */
  const queue = pLimit(1);

  return {
    settings: () => current,
    document: () => ({
      config: documentOf(current),
      overridden: settingKeys.filter((key) => Object.hasOwn(environment, key)),
    }),
    check: (patch) => void accepted(patch),
    withPatch(patch) {
      const changes = changesIn(patch);
      const without = keysLeftBehind(changes, current).map((key) => [key, null]);
      const wanted = changes.map(({ key, value }) => [key, orDefault(key, value)]);
      return frozen({ ...current, ...Object.fromEntries([...without, ...wanted]) });
    },

    async update(patch, { by, command = ulid() }) {
      if (queue.pendingCount >= waitingMax) {
        throw new EventStoreError('BUSY', `More than ${waitingMax} updates of settings wait.`);
      }
      await queue(() => change(patch, { by, command }));
    },
  };

  async function change(patch: unknown, metadata: { by: string; command: string }): Promise<void> {
    const changes = accepted(patch);
    await secrets.add(changes.filter(isSecret));
    const decide = decideSettings(changes.map((one) => settingChange(one, secrets)));
    const facts = await handle(configStream, metadata, decide);
    current = settle();
    await tidy();
    if (facts.length === 0) return;
    const keys = facts.map(({ data }) => data.key);
    log.info({ category: 'security', by: metadata.by, keys }, 'settings changed');
  }

  /** @throws {ConfigError} */
  function accepted(patch: unknown): Change[] {
    const changes = changesIn(patch);
    const overridden = changes.filter(({ key }) => Object.hasOwn(environment, key));
    if (overridden.length === 0) {
      const leftBehind = keysLeftBehind(changes, current);
      if (leftBehind.length > 0) throw invalidConfig(leftBehind.map(keyAgain));
      return changes;
    }
    const faults = overridden.map(({ key }) => ({
      path: key,
      message: 'is set by the environment of the service',
    }));
    const message = `Set by the environment: ${overridden.map(({ key }) => key).join(', ')}.`;
    throw new ConfigError('CONFIG_OVERRIDDEN', message, { faults });
  }

  /** What holds now. What an older or newer release stored and this one does not take is left out. */
  function settle(): Settings {
    const values: Record<string, unknown> = {};
    for (const key of settingKeys) values[key] = settingOf(key).fallback;
    for (const [key, setting] of stored) {
      if (!isSettingKey(key)) continue;
      const value =
        'fingerprint' in setting ? secrets.find(key, setting.fingerprint) : setting.value;
      const parsed = settingOf(key).schema.safeParse(value);
      if (parsed.success) values[key] = parsed.data;
      else if (value === undefined) log.warn({ key }, 'a secret is missing: set it again');
      else log.warn({ key }, 'a stored setting is not valid any more: its default holds');
    }
    return frozen({ ...values, ...environment } as Settings);
  }

  /** Old secrets go. They hold nothing up: at the next update or start it is tried again. */
  async function tidy(): Promise<void> {
    try {
      await secrets.keepOnly(fingerprintsIn(stored));
    } catch (err) {
      log.warn({ err }, 'an old secret could not be deleted');
    }
  }
}

const orDefault = (key: SettingKey, value: unknown) =>
  value === undefined ? settingOf(key).fallback : value;

const isSecret = (change: Change): change is { key: SettingKey; value: string } =>
  settingOf(change.key).secret && change.value !== undefined;

/** A change as it is stored: of a secret its fingerprint. */
function settingChange(change: Change, secrets: SecretStore): SettingChange {
  const { key, value } = change;
  if (value === undefined) return { key };
  if (isSecret(change)) return { key, setting: { fingerprint: secrets.fingerprint(change.value) } };
  return { key, setting: { value } };
}

const fingerprintsIn = (settings: StoredSettings): Map<string, string> =>
  new Map(
    [...settings].flatMap(([key, setting]) =>
      'fingerprint' in setting ? [[key, setting.fingerprint] as const] : [],
    ),
  );

const frozen = (settings: Settings): Settings => Object.freeze(settings);

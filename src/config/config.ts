import { isDeepStrictEqual } from 'node:util';
import { ulid } from 'ulid';
import type { ConfigFact } from '../../events/config-facts.ts';
import type { EventStore } from '../../events/store.ts';
import type { Log } from '../log.ts';
import { environmentSettings } from '../settings.ts';
import { ConfigError } from './config-error.ts';
import { ConfigStream, type StoredSetting } from './config-stream.ts';
import { changesIn, documentOf, type Change, type ConfigDocument } from './patch.ts';
import { isSettingKey, settingKeys, settingOf, type SettingKey, type Settings } from './schema.ts';
import { openSecretStore, type SecretStore } from './secret-store.ts';

export interface Config {
  /** What holds now: the environment, else what was set, else the default. Asked whenever it matters. */
  settings(): Settings;
  /** The same as people see it, and the keys that only the environment can change. */
  document(): { config: ConfigDocument; overridden: SettingKey[] };
  /**
   * Merges a partial nested object into what is set; durable, and in force, when it returns. All of
   * it or nothing.
   * @throws {ConfigError} `CONFIG_INVALID`, `CONFIG_OVERRIDDEN`, `CONFIG_BUSY`; {EventStoreError}
   */
  update(patch: unknown, onBehalf: { by: string; command?: string | undefined }): Promise<void>;
  /** Refuses what `update` would refuse. @throws {ConfigError} */
  check(patch: unknown): void;
  /** The settings as they would be; nothing is stored. @throws {ConfigError} `CONFIG_INVALID` */
  withPatch(patch: unknown): Settings;
}

/** Updates that may wait for their turn; more are refused. */
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
  const stream = new ConfigStream(parts.store);
  await stream.catchUp();
  const secrets = await openSecretStore(parts.secretsPath);
  // An update that was interrupted between its secret and its fact, or after it, is finished here.
  await secrets.keepOnly(fingerprintsIn(stream.set));
  let current = settle();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  return {
    settings: () => current,
    document: () => ({
      config: documentOf(current),
      overridden: settingKeys.filter((key) => Object.hasOwn(environment, key)),
    }),
    check: (patch) => void accepted(patch),
    withPatch(patch) {
      const changes = changesIn(patch).map(({ key, value }) => [key, orDefault(key, value)]);
      return frozen({ ...current, ...Object.fromEntries(changes) });
    },

    async update(patch, { by, command = ulid() }) {
      if (waiting >= waitingMax) throw busy();
      waiting += 1;
      // One at a time: each is decided on what the one before has left.
      const mine = last.then(() => change(patch, by, command)).finally(() => (waiting -= 1));
      last = mine.catch(() => undefined); // its caller gets the error
      await mine;
    },
  };

  async function change(patch: unknown, by: string, command: string): Promise<void> {
    const changes = accepted(patch);
    // After an append whose outcome nobody could tell there may be more than this process knows.
    await stream.catchUp();
    await secrets.add(changes.filter(isSecret));
    const facts = await stream.change({ by, command }, (set) => factsFor(changes, set, secrets));
    current = settle();
    await tidy();
    if (facts.length === 0) return;
    const keys = facts.map(({ data }) => data.key);
    log.info({ category: 'security', by, keys }, 'settings changed');
  }

  /** @throws {ConfigError} */
  function accepted(patch: unknown): Change[] {
    const changes = changesIn(patch);
    const overridden = changes.filter(({ key }) => Object.hasOwn(environment, key));
    if (overridden.length === 0) return changes;
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
    for (const [key, stored] of stream.set) {
      if (!isSettingKey(key)) continue;
      const value = 'fingerprint' in stored ? secrets.find(key, stored.fingerprint) : stored.value;
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
      await secrets.keepOnly(fingerprintsIn(stream.set));
    } catch (err) {
      log.warn({ err }, 'an old secret could not be deleted');
    }
  }
}

const busy = () =>
  new ConfigError('CONFIG_BUSY', 'Too many changes of the settings wait already. Try again.');

const orDefault = (key: SettingKey, value: unknown) =>
  value === undefined ? settingOf(key).fallback : value;

const isSecret = (change: Change): change is { key: SettingKey; value: string } =>
  settingOf(change.key).secret && change.value !== undefined;

/** The facts that make the changes; none for what is so already. */
function factsFor(
  changes: readonly Change[],
  set: ReadonlyMap<string, StoredSetting>,
  secrets: SecretStore,
): ConfigFact[] {
  return changes.flatMap((change): ConfigFact[] => {
    const { key } = change;
    const present = set.get(key);
    if (change.value === undefined) {
      return present ? [{ type: 'config.key_reset', data: { key } }] : [];
    }
    if (isSecret(change)) {
      const fingerprint = secrets.fingerprint(change.value);
      const same = present && 'fingerprint' in present && present.fingerprint === fingerprint;
      return same ? [] : [{ type: 'config.secret_set', data: { key, fingerprint } }];
    }
    const value = change.value as never;
    const same = present && 'value' in present && isDeepStrictEqual(present.value, value);
    return same ? [] : [{ type: 'config.key_set', data: { key, value } }];
  });
}

const fingerprintsIn = (set: ReadonlyMap<string, StoredSetting>): Map<string, string> =>
  new Map(
    [...set].flatMap(([key, stored]) =>
      'fingerprint' in stored ? [[key, stored.fingerprint] as const] : [],
    ),
  );

const frozen = (settings: Settings): Settings => Object.freeze(settings);

import { isAbsolute } from 'node:path';
import type { Sentence } from '../words/params.ts';
import { fieldFault } from '../words/field-faults.ts';
import { ulid } from 'ulid';
import { commandHandler } from '../../events/command-handler.ts';
import { configStream } from '../../events/facts/catalogue.ts';
import type { EventStore } from '../../events/store.ts';
import {
  type SettingChange,
  type StoredSettings,
  configAggregate,
  decideSettings,
} from '../../projections/config.ts';
import type { Log } from '../shared/log.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { encryptionOf, pemFault } from '../shared/certificate.ts';
import { folderFault, sentenceOnFolder, sharesFolder } from '../shared/folder-fault.ts';
import { limited } from '../shared/mutex.ts';
import { environmentSettings, variableOf } from './environment.ts';
import {
  ConfigError,
  type ConfigFault,
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
import type { SecretStore } from './secret-store.ts';

export interface Config {
  /** What holds now: the environment, else what was set, else the default. Asked whenever it matters. */
  settings(): Settings;
  /** The same as people see it, and the keys that only the environment can change. */
  document(): { config: ConfigDocument; overridden: SettingKey[] };
  /**
   * Merges a partial nested object into what is set; durable, and in force, when it returns. All of
   * it or nothing.
   * @throws {ConfigError} `CONFIG_INVALID`, `CONFIG_OVERRIDDEN`; {Busy}; {EventStoreError} what the log says
   */
  update(patch: unknown, onBehalf: { by: string; command?: string | undefined }): Promise<void>;
  /** Takes in what other nodes set; it is in force when this returns. @throws {EventStoreError}, {ConfigError} */
  takeIn(): Promise<void>;
  /** Refuses what `update` would refuse. @throws {ConfigError} */
  check(patch: unknown): Promise<void>;
  /**
   * The settings as they would be, without a key that was given for another server; nothing is stored.
   * @throws {ConfigError} `CONFIG_INVALID` */
  withPatch(patch: unknown): Settings;
}

/** Updates that may wait; more are refused. */
const waitingMax = 64;

type ConfigParts = {
  store: EventStore;
  /** Opened once the stream is read. */
  openSecrets: () => Promise<SecretStore>;
  env: NodeJS.ProcessEnv;
  /** The service's own folders: no path of a setting may be in one, or around one. */
  data: Pick<DataFolder, 'root' | 'shared'>;
  /** Settings that have no effect here, and cannot be set. */
  notHere?: readonly SettingKey[];
  log: Pick<Log, 'info' | 'warn'>;
};

/**
 * The configuration: the `config` stream, secrets in a store of their own, and the environment over
 * both. The only writer of the stream in this process.
 * @throws {SettingsError} the environment is wrong; {ConfigError} `SECRETS_DAMAGED`; {EventStoreError}
 */
export async function openConfig(parts: ConfigParts): Promise<Config> {
  const { log, notHere = [] } = parts;
  const environment = environmentSettings(parts.env);
  let stored: StoredSettings = new Map();
  const { handle, read, readOn } = commandHandler(parts.store, configAggregate, {
    waitingMax,
    streamsMax: 1,
    onFact: (_fact, settings) => (stored = settings),
  });
  await read(configStream, () => {});
  const secrets = await parts.openSecrets();
  // An update that was interrupted between its secret and its fact, or after it, is finished here.
  await secrets.keepOnly(fingerprintsIn(stored));
  let current = inForce(stored, { environment, notHere, secrets, log });
  /** What `current` was made of. */
  let holding = stored;
  const comeInForce = async (): Promise<void> => {
    const named = [...fingerprintsIn(stored)] as [SettingKey, string][];
    if (named.some(([key, print]) => secrets.find(key, print) === undefined)) {
      await secrets.takeIn();
    }
    holding = stored;
    current = inForce(stored, { environment, notHere, secrets, log });
  };
  const takeIn = async (): Promise<void> => {
    await readOn(configStream);
    if (stored !== holding) await comeInForce();
  };
  /** One update at a time: secrets that no fact names yet must not be deleted by another's end. */
  const inTurn = limited(1, waitingMax);

  const change = async (patch: unknown, metadata: { by: string; command: string }) => {
    const changes = accepted(patch, { environment, notHere, current });
    await secrets.add(changes.filter(isSecret));
    const decide = decideSettings(changes.map((one) => settingChange(one, secrets)));
    const facts = await handle(configStream, metadata, decide);
    await comeInForce();
    await deleteOldSecrets(stored, { secrets, log });
    if (facts.length === 0) return;
    const keys = facts.map(({ data }) => data.key);
    log.info({ category: 'security', by: metadata.by, keys }, 'settings changed');
  };

  const check = async (patch: unknown) => {
    const changes = accepted(patch, { environment, notHere, current });
    await lookAtPaths(changes, [parts.data.root, parts.data.shared]);
    if (changes.some(({ key }) => key === 'server.tls_cert' || key === 'server.tls_key'))
      await lookAtCertificate(patched(current, patch));
  };

  return {
    settings: () => current,
    document: () => ({
      config: documentOf(current),
      overridden: settingKeys.filter(
        (key) => Object.hasOwn(environment, key) && !notHere.includes(key),
      ),
    }),
    check,
    takeIn,
    withPatch: (patch) => patched(current, patch),
    async update(patch, { by, command = ulid() }) {
      await takeIn();
      // Before its turn: a disk that hangs holds up nobody else's.
      await check(patch);
      await inTurn(() => change(patch, { by, command }));
    },
  };
}

/** Settings as a patch would leave them; a key that was given for another server is left out. */
function patched(current: Settings, patch: unknown): Settings {
  const changes = changesIn(patch);
  const without = keysLeftBehind(changes, current).map(([, key]) => [key, null]);
  const wanted = changes.map(({ key, value }) => [key, orDefault(key, value)]);
  return Object.freeze({ ...current, ...Object.fromEntries([...without, ...wanted]) });
}

type Sources = {
  environment: Partial<Settings>;
  notHere: readonly SettingKey[];
  secrets: SecretStore;
  log: Pick<Log, 'info' | 'warn'>;
};

/** @throws {ConfigError} */
function accepted(
  patch: unknown,
  {
    environment,
    notHere,
    current,
  }: Pick<Sources, 'environment' | 'notHere'> & { current: Settings },
): Change[] {
  const changes = changesIn(patch);
  const refused = changes.filter(({ key, value }) => value !== undefined && notHere.includes(key));
  if (refused.length > 0)
    throw invalidConfig(
      refused.map(({ key }) => ({ path: key, fault: fieldFault('setting-not-on-nodes') })),
    );
  const overridden = changes.filter(
    ({ key }) => Object.hasOwn(environment, key) && !notHere.includes(key),
  );
  if (overridden.length === 0) {
    const faults = keysLeftBehind(changes, current).map((server) =>
      leftBehind(server, Object.hasOwn(environment, server[1])),
    );
    if (faults.length > 0) throw invalidConfig(faults);
    return changes;
  }
  const faults = overridden.map(({ key }) => ({
    path: key,
    fault: fieldFault('setting-by-environment'),
  }));
  const message = `Set by the environment: ${overridden.map(({ key }) => key).join(', ')}.`;
  throw new ConfigError('CONFIG_OVERRIDDEN', message, { faults });
}

/**
 * A folder or file is there when it is named: what is wrong with it is said to who names it, and not when it is first
 * used. None is of the service's own data. @throws {ConfigError} `CONFIG_INVALID`
 */
async function lookAtPaths(changes: readonly Change[], dataDirs: readonly string[]): Promise<void> {
  const faults: ConfigFault[] = [];
  for (const { key, value } of changes) {
    const faultOf = pathSettings[key];
    // A mirror may be an address as well.
    if (!faultOf || typeof value !== 'string' || !isAbsolute(value)) continue;
    const isOwn = await sharesFolder(value, dataDirs);
    const fault = (await faultOf(value)) ?? (isOwn ? fieldFault('folder-of-data') : null);
    if (fault !== null) faults.push({ path: key, fault });
  }
  if (faults.length > 0) throw invalidConfig(faults);
}

/** Half a pair, or one that does not match, lets nobody in from elsewhere. @throws {ConfigError} `CONFIG_INVALID` */
async function lookAtCertificate(wanted: Settings): Promise<void> {
  const { 'server.tls_cert': cert, 'server.tls_key': key } = wanted;
  const { problem } = await encryptionOf(cert, key);
  if (problem === null) return;
  const path = key === null ? 'server.tls_cert' : 'server.tls_key';
  const other = key === null ? 'server.tls_key' : 'server.tls_cert';
  const cause = problem.params?.['cause'];
  const fault =
    typeof cause === 'string'
      ? fieldFault('certificate-differs', { cause })
      : fieldFault('certificate-half', { other });
  throw invalidConfig([{ path, fault }]);
}

/** What is wrong with what a setting names; null: nothing. */
const pathSettings: { [key in SettingKey]?: (path: string) => Promise<Sentence | null> } = {
  'notes.vault': async (path) => {
    const fault = await folderFault(path);
    return fault === null ? null : sentenceOnFolder(fault);
  },
  'models.mirror': async () => null,
  'server.tls_cert': (path) => pemFault(path, 'certificate'),
  'server.tls_key': (path) => pemFault(path, 'private-key'),
};

/** What holds. What an older or newer release stored and this one does not take is left out. */
function inForce(
  stored: StoredSettings,
  { environment, notHere, secrets, log }: Sources,
): Settings {
  const values: Record<string, unknown> = {};
  for (const key of settingKeys) values[key] = settingOf(key).fallback;
  for (const [key, setting] of stored) {
    if (!isSettingKey(key)) continue;
    const value = 'fingerprint' in setting ? secrets.find(key, setting.fingerprint) : setting.value;
    const { schema, former = (same: unknown) => same } = settingOf(key);
    const parsed = schema.safeParse(former(value));
    if (parsed.success) values[key] = parsed.data;
    else if (value === undefined) log.warn({ key }, 'stored secret is missing; set it again');
    else log.warn({ key }, 'stored setting is no longer valid; using the default');
  }
  Object.assign(values, environment);
  for (const key of notHere) {
    const { fallback } = settingOf(key);
    if (values[key] !== fallback) log.warn({ key }, 'setting has no effect on a node of a cluster');
    values[key] = fallback;
  }
  return Object.freeze(values as Settings);
}

/** A failure holds nothing up: the next update or start tries again. */
async function deleteOldSecrets(
  stored: StoredSettings,
  { secrets, log }: Pick<Sources, 'secrets' | 'log'>,
): Promise<void> {
  try {
    await secrets.keepOnly(fingerprintsIn(stored));
  } catch (err) {
    log.warn({ err }, 'old secret could not be deleted; trying again at the next change or start');
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

/** Each server with the key that only it may get. */
const servers = [
  ['stt.base_url', 'stt.api_key'],
  ['llm.base_url', 'llm.api_key'],
  ['embeddings.base_url', 'embeddings.api_key'],
  ['oidc.issuer', 'oidc.client_secret'],
] as const;

/**
 * The keys that changes would send to another server than the one they were given for: the origin of a
 * server changes, and its key stays.
 */
function keysLeftBehind(changes: readonly Change[], present: Settings): (typeof servers)[number][] {
  return servers.filter(([url, key]) => {
    const moved = changes.find((change) => change.key === url);
    const gets = (moved?.value ?? null) as string | null;
    if (gets === null || present[key] === null) return false;
    if (changes.some((change) => change.key === key)) return false;
    const from = present[url];
    return from === null || new URL(from).origin !== new URL(gets).origin;
  });
}

/** For people: what to do about them. A key of the environment can only be sent where the environment says. */
const leftBehind = ([url, key]: (typeof servers)[number], isOfEnvironment: boolean): ConfigFault =>
  isOfEnvironment
    ? { path: url, fault: fieldFault('key-by-environment', { also: variableOf(url) }) }
    : { path: key, fault: fieldFault('key-again') };

import { isDeepStrictEqual } from 'node:util';
import { faultOf, inWords } from '../shared/in-words.ts';
import { fieldFault } from '../words/field-faults.ts';
import { inEnglish } from '../words/say.ts';
import {
  ConfigError,
  type ConfigFault,
  type SettingKey,
  type Settings,
  isSettingKey,
  settingKeys,
  settingOf,
} from './schema.ts';

/** What stands for a secret that is set: it is never read back, and written back changes nothing. */
export const mask = '••••';

/** One key an update is about; `undefined` sets it back to its default. */
export type Change = { key: SettingKey; value: unknown };

/** The configuration as people see it: nested by the dots of the keys, secrets masked. */
export type ConfigDocument = Record<string, Record<string, unknown>>;

/**
 * What a partial nested object asks for, key by key. `null` is back to the default, and so is `''`
 * where a key may be unset, as forms send it. A masked secret is not a change.
 * @throws {ConfigError} `CONFIG_INVALID` with every unknown key and wrong value; never only the first
 */
export function changesIn(patch: unknown): Change[] {
  const faults: ConfigFault[] = [];
  const changes: Change[] = [];
  if (!isObject(patch))
    faults.push({ path: '(body)', fault: fieldFault('field-type', { type: 'object' }) });
  else {
    for (const [section, below] of entriesOf(patch)) {
      if (!sections.has(section)) faults.push(unknown(section));
      else if (!isObject(below))
        faults.push({ path: section, fault: fieldFault('field-type', { type: 'object' }) });
      else {
        for (const [name, value] of entriesOf(below)) {
          const key = `${section}.${name}`;
          if (isSettingKey(key)) read(key, value);
          else faults.push(unknown(key));
        }
      }
    }
  }
  if (faults.length > 0) throw invalidConfig(named(faults));
  return changes;

  function read(key: SettingKey, value: unknown): void {
    const { schema, secret, fallback } = settingOf(key);
    if (secret && value === mask) return;
    if (value === null || (value === '' && fallback === null)) {
      changes.push({ key, value: undefined });
      return;
    }
    const parsed = schema.safeParse(value, { error: inWords });
    if (parsed.success) changes.push({ key, value: parsed.data });
    else {
      for (const issue of parsed.error.issues.slice(0, faultsAKeyMax)) {
        faults.push({ path: [key, ...issue.path].join('.'), fault: faultOf(issue) });
      }
    }
  }
}

/** The settings as one nested object. */
export function documentOf(settings: Settings): ConfigDocument {
  const document: ConfigDocument = {};
  for (const key of settingKeys) {
    const [section, name] = partsOf(key);
    const value = settings[key];
    (document[section] ??= {})[name] = settingOf(key).secret && value !== null ? mask : value;
  }
  return document;
}

/** `stt.base_url` → `['stt', 'base_url']`. */
export function partsOf(key: SettingKey): [section: string, name: string] {
  const dot = key.indexOf('.');
  return [key.slice(0, dot), key.slice(dot + 1)];
}

export const invalidConfig = (faults: readonly ConfigFault[]): ConfigError =>
  new ConfigError(
    'CONFIG_INVALID',
    faults.map(({ path, fault }) => `${path}: ${inEnglish(fault)}`).join('; '),
    { faults },
  );

/** A list may have a fault an entry; a hundred would not be read. */
const faultsAKeyMax = 5;

const sections: ReadonlySet<string> = new Set(settingKeys.map((key) => partsOf(key)[0]));

/** Own members only, `__proto__` among them if it was sent: it is not one of our keys. */
const entriesOf = (object: object): [string, unknown][] => Object.entries(object);

/** Unknown keys beyond these are only counted. */
const unknownMax = 10;

function named(faults: readonly ConfigFault[]): ConfigFault[] {
  let unknownKeys = 0;
  const kept = faults.filter(
    ({ fault: { code } }) => code !== 'setting-unknown' || (unknownKeys += 1) <= unknownMax,
  );
  const count = unknownKeys - unknownMax;
  return count > 0
    ? [...kept, { path: '(body)', fault: fieldFault('settings-unknown', { count }) }]
    : kept;
}

const unknown = (path: string): ConfigFault => ({
  path: path.slice(0, 200),
  fault: fieldFault('setting-unknown'),
});

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether a partial configuration asks for the password again: it sets or removes a secret, or changes who gets in, and as
 * what. @throws {ConfigError} `CONFIG_INVALID`
 */
export const needsConfirmation = (patch: unknown, present: Settings): boolean =>
  changesIn(patch).some(({ key, value }) => {
    const { secret, fallback } = settingOf(key);
    if (secret) return true;
    const isOfLogin = loginSections.has(partsOf(key)[0]);
    return isOfLogin && !isDeepStrictEqual(value === undefined ? fallback : value, present[key]);
  });

/** Sections of who gets in. */
const loginSections: ReadonlySet<string> = new Set(['auth', 'oidc']);

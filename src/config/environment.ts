import { clusterVariables } from '../shared/cluster-settings.ts';
import { firstFault, inWords } from '../shared/in-words.ts';
import { SettingsError } from '../shared/errors.ts';
import { type SettingKey, type Settings, settingKeys, settingOf } from './schema.ts';
import { editDistance } from '../shared/edit-distance.ts';

export type { Settings } from './schema.ts';

/**
 * The settings that the environment says, the others at their defaults. An empty variable is none.
 * @throws {SettingsError} naming every variable that is wrong and what it must be.
 */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const defaults = settingKeys.map((key) => [key, settingOf(key).fallback]);
  return { ...Object.fromEntries(defaults), ...environmentSettings(env) } as Settings;
}

/**
 * Only what the environment says: these keys cannot be set otherwise.
 * @throws {SettingsError} naming every variable that is wrong and what it must be.
 */
export function environmentSettings(env: NodeJS.ProcessEnv): Partial<Settings> {
  const wrong: string[] = [];
  const given: [SettingKey, unknown][] = [];
  for (const key of settingKeys) {
    const text = env[variableOf(key)];
    if (text === undefined || text === '') continue;
    const { schema, fromText } = settingOf(key);
    const parsed = schema.safeParse(fromText(text), { error: inWords });
    if (parsed.success) given.push([key, parsed.data]);
    else wrong.push(`${variableOf(key)}: ${firstFault(parsed.error)}`);
  }
  if (wrong.length > 0) throw new SettingsError(wrong);
  return Object.fromEntries(given) as Partial<Settings>;
}

/** `stt.base_url` → `MITSCHRIFT_STT_BASE_URL`. */
export const variableOf = (key: string): string =>
  `MITSCHRIFT_${key.toUpperCase().replaceAll('.', '_')}`;

/** What only the environment says, and no key of the configuration. */
const ofTheHost = [
  ...['DATA', 'MODELS', 'HOST', 'PORT', 'LOG_LEVEL'].map((name) => `MITSCHRIFT_${name}`),
  ...clusterVariables,
];

/** What to say of a variable that nothing reads. */
export const unknownVariableText = (found: { variable: string; nearest: string | null }): string =>
  `The variable ${found.variable} is unknown and has no effect.` +
  (found.nearest === null ? '' : ` Did you mean ${found.nearest}?`);

/** Letters that may differ from the name that was meant. */
const distanceMax = 4;

/** Checks the settings that the environment says, and says of what nothing reads. @throws {SettingsError} */
export function checkEnvironment(
  env: NodeJS.ProcessEnv,
  log: { warn(message: string): void },
): void {
  settingsFrom(env);
  for (const unknown of unknownVariables(env)) log.warn(unknownVariableText(unknown));
}

/** Variables that begin like ours and that nothing reads, each with the one that was probably meant. */
export function unknownVariables(
  env: NodeJS.ProcessEnv,
): { variable: string; nearest: string | null }[] {
  const known = [...ofTheHost, ...settingKeys.map(variableOf)];
  return Object.keys(env)
    .filter((name) => name.startsWith('MITSCHRIFT_') && !known.includes(name))
    .map((variable) => {
      const [nearest] = known
        .map((name) => ({ name, distance: editDistance(variable, name) }))
        .filter(({ distance }) => distance <= distanceMax)
        .toSorted((one, other) => one.distance - other.distance);
      return { variable, nearest: nearest?.name ?? null };
    });
}

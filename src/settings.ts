import { settingKeys, settingOf, type SettingKey, type Settings } from './config/schema.ts';

export type { Settings } from './config/schema.ts';

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
    const parsed = schema.safeParse(fromText(text));
    if (parsed.success) given.push([key, parsed.data]);
    else wrong.push(`${variableOf(key)}: ${parsed.error.issues[0]?.message ?? 'invalid'}`);
  }
  if (wrong.length > 0) throw new SettingsError(wrong);
  return Object.fromEntries(given) as Partial<Settings>;
}

/** `stt.base_url` → `MITSCHRIFT_STT_BASE_URL`. */
export const variableOf = (key: string): string =>
  `MITSCHRIFT_${key.toUpperCase().replaceAll('.', '_')}`;

export class SettingsError extends Error {
  override name = 'SettingsError';
  constructor(wrong: string[]) {
    super(`These settings are wrong:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  }
}

import { z } from 'zod';

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .refine((value) => !new URL(value).username, 'must not carry a user name or password');

/**
 * Every setting: type, default, one sentence. Set by the environment variable `MITSCHRIFT_` + the
 * key in capitals with underscores.
 */
export const settingSchemas = {
  'audio.device': setting(
    z.string().nullable(),
    null,
    'Input device to record from; the default input if unset.',
  ),
  'stt.base_url': setting(
    url.nullable(),
    null,
    'Speech-to-text server. Unset: recognise on this machine.',
  ),
  'stt.backend': setting(
    z.enum(['compat', 'native']),
    'compat',
    'Protocol of the server: OpenAI-compatible (compat) or whisper.cpp (native).',
  ),
  'stt.api_key': setting(z.string().nullable(), null, 'Key for the speech-to-text server.', true),
  'stt.model': setting(z.string().nullable(), null, 'Model to ask the speech-to-text server for.'),
  'stt.language': setting(
    z.string(),
    'auto',
    'Language that is spoken, as an ISO 639-1 code, or auto.',
  ),
  'stt.local_model': setting(
    z.string().nullable(),
    null,
    'Local model; the first installed one that speaks the language if unset.',
  ),
  'llm.base_url': setting(
    url.nullable(),
    null,
    'Language-model server (OpenAI-compatible). Unset: built-in summary and title.',
  ),
  'llm.model': setting(
    z.string().nullable(),
    null,
    'Model to ask the language-model server for; its first one if unset.',
  ),
  'llm.api_key': setting(z.string().nullable(), null, 'Key for the language-model server.', true),
  'llm.context': setting(
    z.coerce.number().int().min(512).nullable(),
    null,
    'Context of the language model in tokens; asked from the server, else 4096.',
  ),
  'llm.timeout': setting(
    z.coerce.number().int().min(1),
    600,
    'Seconds a language-model answer may take.',
  ),
  'ui.language': setting(
    z.enum(['de', 'en']),
    localeLanguage(),
    'Language of headings and labels in the documents.',
  ),
  'auth.password_hash': setting(
    z.enum(['argon2id', 'pbkdf2']),
    'argon2id',
    'How new passwords are hashed.',
  ),
  'auth.session_hours': setting(
    z.coerce.number().int().min(1),
    336,
    'Hours a session lives after its last use.',
  ),
  'server.allowed_hosts': setting(
    list(),
    [],
    'Host names the service answers to besides localhost, the bound address and the host name.',
  ),
  'limits.upload_mb': setting(z.coerce.number().int().min(1), 4096, 'Largest upload in MB.'),
} as const;

export type SettingKey = keyof typeof settingSchemas;
export type Settings = {
  readonly [K in SettingKey]: z.output<(typeof settingSchemas)[K]['schema']>;
};

/**
 * Settings from the environment.
 * @throws {SettingsError} naming every variable that is wrong and what it must be.
 */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const wrong: string[] = [];
  const entries = Object.entries(settingSchemas).map(([key, { schema, fallback }]) => {
    const given = env[variableOf(key)];
    if (given === undefined || given === '') return [key, fallback];
    const parsed = schema.safeParse(given);
    if (!parsed.success)
      wrong.push(`${variableOf(key)}: ${parsed.error.issues[0]?.message ?? 'invalid'}`);
    return [key, parsed.data];
  });
  if (wrong.length > 0) throw new SettingsError(wrong);
  return Object.fromEntries(entries) as Settings;
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

function setting<S extends z.ZodType>(
  schema: S,
  fallback: z.output<S>,
  description: string,
  secret = false,
) {
  return { schema, fallback, description, secret };
}

function list() {
  return z.preprocess(
    (value) =>
      typeof value === 'string'
        ? value
            .split(',')
            .map((part) => part.trim())
            .filter(Boolean)
        : value,
    z.array(z.string()),
  );
}

function localeLanguage(): 'de' | 'en' {
  return Intl.DateTimeFormat().resolvedOptions().locale.startsWith('de') ? 'de' : 'en';
}

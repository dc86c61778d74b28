import * as z from 'zod';
import { keysOf } from '../shared/keys-of.ts';
import { variableOf } from './environment.ts';
import { type SettingKey, settingKeys, settingOf } from './schema.ts';
import { partsOf } from './changes.ts';
import { type GroupId, germanGroups, germanSettings } from './german-settings.ts';

/** One setting as a page shows it. */
export type SettingField = {
  key: SettingKey;
  title: string;
  description: string;
  /** `secret`: never read back. */
  type: 'switch' | 'choice' | 'number' | 'text' | 'list' | 'secret';
  /** JSON Schema of the value: its choices, bounds and lengths. */
  schema: Record<string, unknown>;
  /** Whether it may be unset (`null`). */
  nullable: boolean;
  default: unknown;
  /** Said instead of the default, where that differs from host to host. */
  default_text: string | null;
  /** The environment variable that would override it. */
  variable: string;
};

/** Settings that belong together. */
export type SettingGroup = {
  id: GroupId;
  title: string;
  /** What `POST /config/test` can try of it. */
  test: 'stt' | 'llm' | null;
  settings: SettingField[];
};

/**
 * Every setting, in groups, with everything a page needs to show it: the page is made of this, so that a new
 * setting is on it.
 * @param language of titles and sentences
 */
export const settingGroups = (language: 'de' | 'en'): SettingGroup[] =>
  keysOf(groups).map((id) => {
    const { title, test = null, sections } = groups[id];
    return {
      id,
      title: language === 'de' ? germanGroups[id] : title,
      test,
      settings: settingKeys
        .filter((key) => sections.includes(partsOf(key)[0]))
        .map((key) => fieldOf(key, language)),
    };
  });

function fieldOf(key: SettingKey, language: 'de' | 'en'): SettingField {
  const { schema, fallback, description, secret, fallbackText = null } = settingOf(key);
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const german = language === 'de' ? germanSettings[key] : undefined;
  return {
    key,
    title: german?.title ?? titles[key],
    description: german?.description ?? description,
    type: secret ? 'secret' : typeOf(schema),
    schema: json,
    nullable: schema.safeParse(null).success,
    default: fallback,
    default_text: fallbackText && (german?.fallbackText ?? fallbackText),
    variable: variableOf(key),
  };
}

function typeOf(schema: z.ZodType): SettingField['type'] {
  const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  if (inner instanceof z.ZodBoolean) return 'switch';
  if (inner instanceof z.ZodEnum) return 'choice';
  if (inner instanceof z.ZodNumber) return 'number';
  return inner instanceof z.ZodArray ? 'list' : 'text';
}

type Group = { title: string; test?: 'stt' | 'llm'; sections: readonly string[] };

/** `sections`: first parts of keys. */
const groups: Readonly<Record<GroupId, Group>> = {
  recording: { title: 'Recording', sections: ['audio'] },
  speech: { title: 'Speech to text', test: 'stt', sections: ['stt', 'models'] },
  language: { title: 'Language model', test: 'llm', sections: ['llm'] },
  notes: { title: 'Notes and voices', sections: ['notes', 'documents', 'speakers', 'ui'] },
  server: { title: 'Server and limits', sections: ['server', 'auth', 'limits', 'metrics'] },
};

const titles: Readonly<Record<SettingKey, string>> = {
  'audio.device': 'Input device',
  'audio.keep': 'Audio kept',
  'audio.combined_channels': 'Channels of a combined recording',
  'audio.recorders': 'Who may record here',
  'stt.base_url': 'Server',
  'stt.backend': 'Protocol',
  'stt.api_key': 'Key',
  'stt.model': 'Model of the server',
  'stt.language': 'Spoken language',
  'stt.local_model': 'Local model',
  'stt.live': 'When it is recognised',
  'stt.second_pass': 'Once more afterwards',
  'llm.base_url': 'Server',
  'llm.model': 'Model',
  'llm.api_key': 'Key',
  'llm.context': 'Context',
  'llm.timeout': 'Patience',
  'llm.ahead': 'Punctuate ahead',
  'documents.times': 'Times in transcripts',
  'notes.vault': 'Vault',
  'speakers.links': 'Link people',
  'speakers.profiles': 'Remember voices',
  'models.mirror': 'Source of models',
  'ui.language': 'Language',
  'auth.password_hash': 'Hash of passwords',
  'auth.session_hours': 'Logged in for',
  'server.allowed_hosts': 'Host names',
  'server.public_url': 'Address of the pages',
  'server.trusted_proxies': 'Reverse proxies',
  'server.tls_cert': 'Certificate',
  'server.tls_key': 'Key of the certificate',
  'metrics.token': 'Token for metrics',
  'limits.upload_mb': 'Largest upload',
  'limits.recording_hours': 'Longest recording',
  'limits.free_mb': 'Room left on the disk',
  'limits.spaces_gb': 'Room for everybody',
  'limits.user_gb': 'Room for each user',
};

import * as z from 'zod';
import { variableOf } from './environment.ts';
import { type SettingKey, settingKeys, settingOf } from './schema.ts';
import { partsOf } from './changes.ts';
import type { InLanguages } from './setting.ts';
import type { Language } from '../words/params.ts';

/** One setting as a page shows it. */
const settingField = z.object({
  key: z.enum(settingKeys),
  title: z.string(),
  description: z.string(),
  type: z.enum(['switch', 'choice', 'number', 'text', 'list', 'secret']),
  schema: z.record(z.string(), z.unknown()).describe('JSON Schema of the value'),
  choices: z
    .array(z.object({ value: z.string(), label: z.string() }))
    .describe('the values of a choice with their labels; empty for other types'),
  nullable: z.boolean().describe('whether it may be unset'),
  default: z.unknown(),
  default_text: z
    .string()
    .nullable()
    .describe('to be said instead of a default that differs from host to host'),
  variable: z.string().describe('the environment variable that would override it'),
});
type SettingField = z.output<typeof settingField>;

/** Settings that belong together. */
export const settingGroup = z.object({
  id: z.string(),
  title: z.string(),
  test: z
    .enum(['stt', 'llm', 'embeddings', 'oidc'])
    .nullable()
    .describe('what `POST /config/test` can try of this group'),
  settings: z.array(settingField),
});
type SettingGroup = z.output<typeof settingGroup>;

/**
 * Every setting, in groups, with everything a page needs to show it: the page is made of this, so that a new
 * setting is on it.
 * @param language of titles and sentences
 */
export const settingGroups = (language: Language): SettingGroup[] =>
  groups.map((group) => ({
    id: group.id,
    title: group.title[language],
    test: group.test ?? null,
    settings: settingKeys
      .filter((key) => groupOf(key) === group)
      .map((key) => fieldOf(key, language)),
  }));

const groupOf = (key: SettingKey): Group | undefined =>
  groups.find(({ besides }) => besides?.includes(key)) ??
  groups.find(({ sections }) => sections.includes(partsOf(key)[0]));

function fieldOf(key: SettingKey, language: Language): SettingField {
  const { schema, fallback, title, hint, choices = {}, secret, fallbackText } = settingOf(key);
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return {
    key,
    title: title[language],
    description: hint[language],
    type: secret ? 'secret' : typeOf(schema),
    schema: json,
    choices: Object.entries(choices).map(([value, label]) => ({ value, label: label[language] })),
    nullable: schema.safeParse(null).success,
    default: fallback,
    default_text: fallbackText?.[language] ?? null,
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

type Group = {
  id: string;
  title: InLanguages;
  test?: SettingGroup['test'];
  /** First parts of keys. */
  sections: readonly string[];
  /** Keys of other sections that stand with them. */
  besides?: readonly SettingKey[];
};

const groups: readonly Group[] = [
  { id: 'recording', title: { en: 'Recording', de: 'Aufnahme' }, sections: ['audio', 'calls'] },
  {
    id: 'speech',
    title: { en: 'Speech recognition', de: 'Spracherkennung' },
    test: 'stt',
    sections: ['stt', 'models'],
  },
  {
    id: 'language',
    title: { en: 'Language model', de: 'Sprachmodell' },
    test: 'llm',
    sections: ['llm'],
  },
  {
    id: 'meaning',
    title: { en: 'Finding by meaning', de: 'Suche nach Bedeutung' },
    test: 'embeddings',
    sections: ['embeddings'],
  },
  {
    id: 'notes',
    title: { en: 'Notes and voices', de: 'Notizen und Stimmen' },
    sections: ['notes', 'documents', 'speakers', 'ui'],
  },
  {
    id: 'sharing',
    title: { en: 'Sharing', de: 'Teilen' },
    sections: ['sharing'],
  },
  {
    id: 'retention',
    title: { en: 'Retention', de: 'Aufbewahrung' },
    sections: ['retention'],
  },
  {
    id: 'sign-on',
    title: { en: 'Login', de: 'Anmeldung' },
    test: 'oidc',
    sections: ['oidc'],
    besides: ['auth.local_login', 'auth.totp'],
  },
  {
    id: 'server',
    title: { en: 'Server and limits', de: 'Server und Limits' },
    sections: ['server', 'auth', 'limits', 'metrics'],
  },
];

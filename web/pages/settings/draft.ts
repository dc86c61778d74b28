import type { Answered } from '../../client/api.ts';
/** What is being changed on the settings page: values by key, what differs, and what is wrong with it. */

export type SettingGroup = Answered<'describeConfig'>['groups'][number];
export type SettingField = SettingGroup['settings'][number];
/** Values by dotted key, as `GET /config` has them below sections. */
export type Values = Record<string, unknown>;

/** Values of `{ stt: { base_url } }` by `stt.base_url`. */
export const valuesOf = (config: Record<string, object>): Values =>
  Object.fromEntries(
    Object.entries(config).flatMap(([section, values]) =>
      Object.entries(values).map(([name, value]) => [`${section}.${name}`, value]),
    ),
  );

/** Keys whose value is another than what is stored, in the order of the draft. */
export const changedKeys = (draft: Values, stored: Values): string[] =>
  Object.keys(draft).filter((key) => !same(draft[key], stored[key]));

/**
 * What `PUT /config` takes: only what changed; what is back at its default is no longer set.
 * @param keys see `changedKeys`
 */
export function patchOf(
  keys: readonly string[],
  draft: Values,
  fields: readonly SettingField[],
): Record<string, Values> {
  const patch: Record<string, Values> = {};
  for (const key of keys) {
    const [section = '', name = ''] = key.split('.');
    const field = fields.find((one) => one.key === key);
    (patch[section] ??= {})[name] = same(draft[key], field?.default) ? null : draft[key];
  }
  return patch;
}

/** The address of the server that each key is for. */
const addresses: Partial<Record<string, string>> = {
  'stt.api_key': 'stt.base_url',
  'llm.api_key': 'llm.base_url',
  'embeddings.api_key': 'embeddings.base_url',
  'oidc.client_secret': 'oidc.issuer',
};

/**
 * Keys of settings as they are sent: with a server's key goes the address that is shown beside it, since another
 * administrator may have set another one meanwhile, who would get the key.
 */
export function withAddresses(
  keys: readonly string[],
  draft: Values,
  overridden: readonly string[],
): string[] {
  const beside = keys.flatMap((key) => (draft[key] === null ? [] : (addresses[key] ?? [])));
  return [...new Set([...keys, ...beside.filter((key) => !overridden.includes(key))])];
}

/** Where a value comes from. */
export function sourceOf(
  field: SettingField,
  value: unknown,
  overridden: readonly string[],
): 'environment' | 'default' | 'set' {
  if (overridden.includes(field.key)) return 'environment';
  return same(value, field.default) ? 'default' : 'set';
}

/** The value of a text that was typed; an empty one unsets what may be unset. */
export function typed(field: SettingField, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '' && field.nullable) return null;
  // What is no number stays as it was typed, for the person to see and the check to refuse.
  if (field.type === 'number') return trimmed !== '' && !isNaN(+trimmed) ? +trimmed : trimmed;
  if (field.type === 'list') return text.split('\n').filter((line) => line.trim() !== '');
  return trimmed;
}

/** A value as it is typed. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The bounds of a number, out of its JSON Schema. */
export function boundsOf({ schema }: SettingField): { min: number; max: number; whole: boolean } {
  const number = branches(schema).find(({ type }) => type === 'number' || type === 'integer') ?? {};
  const { minimum, exclusiveMinimum, maximum, type } = number;
  const floor = typeof minimum === 'number' ? minimum : exclusiveMinimum;
  return {
    min: typeof floor === 'number' ? floor : -Infinity,
    max: typeof maximum === 'number' ? maximum : Infinity,
    whole: type === 'integer',
  };
}

/** What is wrong with a number, as a key of the words; other values only the service can judge. */
export function numberFault(
  field: SettingField,
  value: unknown,
): 'notANumber' | 'notWhole' | 'tooSmall' | 'tooLarge' | undefined {
  if (field.type !== 'number' || (value === null && field.nullable)) return undefined;
  const { min, max, whole } = boundsOf(field);
  if (typeof value !== 'number') return 'notANumber';
  if (whole && !Number.isInteger(value)) return 'notWhole';
  if (value < min) return 'tooSmall';
  return value > max ? 'tooLarge' : undefined;
}

type Branch = Record<string, unknown>;

/** A schema, or the parts of `anyOf` that it may be one of. */
const branches = (schema: Branch): Branch[] =>
  Array.isArray(schema['anyOf']) ? (schema['anyOf'] as Branch[]) : [schema];

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

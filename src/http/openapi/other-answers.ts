import * as z from 'zod';
import { settingKeys, settingOf, type SettingKey } from '../../config/schema.ts';
import { mask, partsOf } from '../../config/patch.ts';

const time = z.string().describe('RFC 3339, UTC');

export const problem = z
  .looseObject({
    type: z
      .string()
      .regex(/^\/problems\/[a-z-]+$/)
      .describe('stable, for programs'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('for a person'),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    request_id: z.string().optional().describe('by which the service’s log knows it'),
  })
  .describe('RFC 9457 problem details');

export const session = z.object({
  token: z.string().describe('for `Authorization: Bearer`; told this once'),
  expires_at: time.describe('slides with use'),
  username: z.string(),
  is_admin: z.boolean(),
});

export const setupState = z.object({
  setup_required: z.boolean(),
  setup_code_required: z.boolean(),
});

export const health = z.object({
  status: z.enum(['ok', 'damaged', 'recovering']),
  version: z.string(),
});

export const user = z.object({
  user_id: z.string(),
  username: z.string(),
  is_admin: z.boolean(),
  disabled: z.boolean().describe('cannot log in'),
  built_in: z.boolean(),
});

export const check = z.object({
  name: z.string(),
  state: z.enum(['ok', 'missing', 'failed']),
  detail: z.string(),
  remedy: z.string().optional().describe('what to do about it'),
});

export const trial = z.object({
  ok: z.boolean(),
  detail: z.string().describe('for a person'),
  models: z.array(z.string()).optional(),
  stt: z.unknown().optional().describe('where both were tried: speech to text alone'),
  llm: z.unknown().optional().describe('where both were tried: the language model alone'),
});

/** The whole configuration as it is read. */
export const config = settingsObject((key) => {
  const { schema, secret, description } = settingOf(key);
  return (secret ? z.literal(mask).nullable() : schema).describe(description);
});

/** The part of it that is to change. */
export const configPatch = settingsObject((key) => {
  const { schema, description } = settingOf(key);
  return schema.nullable().optional().describe(`${description} \`null\`: back to the default.`);
}, true);

export const configAnswer = z.object({
  config,
  overridden: z.array(z.string()).describe('keys that only the environment can change'),
});

const chartTransition = z.object({
  event: z.string().nullable(),
  target: z.string().nullable(),
  guard: z.string().nullable(),
  condition: z.string().nullable().describe('the guard in words'),
});

const chartState = z.object({
  path: z.string(),
  type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  initial: z.string().nullable(),
  invokes: z.string().nullable().describe('the stage that runs in it'),
  transitions: z.array(chartTransition),
  states: z.record(z.string(), z.unknown()).describe('the states below, each as this one'),
});

export const chart = z.object({ id: z.string(), version: z.number().int(), ...chartState.shape });

/** Settings by section, as their keys' dots say. */
function settingsObject(of: (key: SettingKey) => z.ZodType, partial = false): z.ZodObject {
  const sections: Record<string, Record<string, z.ZodType>> = {};
  for (const key of settingKeys) {
    const [section, name] = partsOf(key);
    (sections[section] ??= {})[name] = of(key);
  }
  return z.object(
    Object.fromEntries(
      Object.entries(sections).map(([name, shape]) => {
        const section = partial ? z.strictObject(shape) : z.object(shape);
        return [name, partial ? section.optional() : section];
      }),
    ),
  );
}

import * as z from 'zod';
import { mask, partsOf } from './patch.ts';
import { settingKeys, settingOf } from './schema.ts';

/** The configuration as `GET /config` tells it: every key, secrets masked or null. */
export const configSchema = nested((key) =>
  settingOf(key).secret ? z.literal(mask).nullable() : settingOf(key).schema,
);

/** What `PUT /config` takes: any of the keys; null is back to the default. */
export const configPatchSchema = nested((key) => settingOf(key).schema.nullable(), {
  partial: true,
});

type Shape = Record<string, z.ZodType>;

function nested(
  schemaOf: (key: (typeof settingKeys)[number]) => z.ZodType,
  { partial = false } = {},
): z.ZodObject {
  const sections: Record<string, Shape> = {};
  for (const key of settingKeys) {
    const [section, name] = partsOf(key);
    const schema = schemaOf(key).describe(settingOf(key).description);
    (sections[section] ??= {})[name] = partial ? schema.optional() : schema;
  }
  const shapes = Object.entries(sections).map(([name, shape]) => {
    const section = z.strictObject(shape);
    return [name, partial ? section.optional() : section] as const;
  });
  return z.strictObject(Object.fromEntries(shapes));
}

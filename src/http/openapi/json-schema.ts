import * as z from 'zod';

export type JsonSchema = { [member: string]: unknown };

/**
 * Makes JSON Schemas (draft 2020-12, OpenAPI 3.1's) of zod schemas. Those with a name are referred to.
 * What has no JSON form (a refinement) is left out; the description has to tell it.
 */
export function jsonSchema(
  named: ReadonlyMap<z.ZodType, string>,
  { strict }: { strict: boolean },
): {
  /** What a client sends. */
  input(schema: z.ZodType): JsonSchema;
  /** What it gets; `whole`: spelled out although it has a name. */
  output(schema: z.ZodType, whole?: 'whole'): JsonSchema;
  /** One parameter: a string on the wire, shown as what it is read as. */
  parameter(schema: z.ZodType): JsonSchema;
} {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of named) registry.add(schema, { id });

  const output = (schema: z.ZodType, whole?: 'whole'): JsonSchema => {
    const id = named.get(schema);
    if (id !== undefined && whole === undefined) return { $ref: `${schemas}${id}` };
    const made = z.toJSONSchema(schema, {
      io: 'output',
      unrepresentable: 'any',
      metadata: registry,
      override(made) {
        describe(made);
        if (!strict && made.jsonSchema.additionalProperties === false) {
          delete made.jsonSchema.additionalProperties;
        }
      },
    });
    return flat(made, id);
  };
  const input = (schema: z.ZodType): JsonSchema =>
    flat(
      z.toJSONSchema(schema, {
        io: 'input',
        unrepresentable: 'any',
        // No names here: what is sent may differ from what is answered under the same name.
        metadata: z.registry<{ id: string }>(),
        override: describe,
      }),
    );

  return {
    input,
    output,
    parameter(schema) {
      const read = output(schema);
      const known = ['type', 'enum', 'const', 'anyOf'].some((member) => member in read);
      return known ? read : input(schema);
    },
  };
}

/** The named schemas, by name. */
export const namedSchemas = (
  named: ReadonlyMap<z.ZodType, string>,
  toSchema: ReturnType<typeof jsonSchema>,
): Record<string, JsonSchema> =>
  Object.fromEntries([...named].map(([schema, id]) => [id, toSchema.output(schema, 'whole')]));

const schemas = '#/components/schemas/';

/** Descriptions are kept in zod's own registry; the range of whole numbers goes without saying. */
function describe({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: JsonSchema }): void {
  const { description } = zodSchema as z.ZodType;
  if (description !== undefined) jsonSchema['description'] = description;
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
}

/** Without zod's own definitions: what they define stands among the document's components. */
function flat(made: JsonSchema, self?: string): JsonSchema {
  const { $schema: _, $defs, ...schema } = made;
  // A schema with a name of its own comes as a reference to one of its definitions.
  const definitions = ($defs ?? {}) as Record<string, object>;
  const own = self !== undefined && '$ref' in schema ? definitions[self] : schema;
  const text = JSON.stringify(own, (key, value: unknown) =>
    key === 'id' && value === self && self !== undefined ? undefined : value,
  );
  return JSON.parse(text, (key, value: unknown) =>
    key === '$ref' ? String(value).replace(/^#\/\$defs\//, schemas) : value,
  );
}

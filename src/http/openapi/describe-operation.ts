import type { z } from 'zod';
import { accessTo, type Access } from '../access.ts';
import { limits } from '../limits.ts';
import { problemTypes, type ProblemType } from '../problems.ts';
import type { jsonSchema } from './json-schema.ts';
import type { Operation } from './operation.ts';
import { pathParameters } from './path-parameters.ts';
import { problemsOf } from './problems-of.ts';

/** An operation as OpenAPI's Operation Object. */
export function describeOperation(operation: Operation, { toSchema, problems, uploadMb }: Means) {
  const { id, tag, summary, description, query, headers = [], method, path, body } = operation;
  const access = accessTo(method.toUpperCase(), examplePath(path));
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
      ...pathParameters[name],
    })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      schema: toSchema.parameter(schema as z.ZodType),
    })),
    ...headers.map(({ name, description, required = false }) => ({
      name,
      in: 'header',
      description,
      required,
      schema: { type: 'string' },
    })),
    ...(method === 'post' && access !== 'public' ? [idempotencyKey] : []),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...security[access],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body, toSchema, uploadMb) } : {}),
    responses: {
      ...goodAnswers(operation, toSchema),
      ...problems.for(problemsOf(operation, access)),
    },
  };
}

/** A path as somebody might ask for it. */
const examplePath = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathParameters[name]?.example ?? 'x');

/** Problem answers by status, each naming the types it may have; the document says each but once. */
export function problemAnswers() {
  const named: Record<string, object> = {};
  return {
    named,
    for(types: readonly ProblemType[]): Record<string, object> {
      const byStatus = new Map<number, ProblemType[]>();
      for (const type of types.toSorted()) {
        const { status } = problemTypes[type];
        byStatus.set(status, [...(byStatus.get(status) ?? []), type]);
      }
      return Object.fromEntries(
        [...byStatus].map(([status, some]) => {
          const name = some.join('.');
          named[name] ??= problemAnswer(some);
          return [String(status), { $ref: `#/components/responses/${name}` }];
        }),
      );
    },
  };
}

type ToSchema = ReturnType<typeof jsonSchema>;
type Means = {
  toSchema: ToSchema;
  problems: ReturnType<typeof problemAnswers>;
  uploadMb: number;
};

const security: Record<Access, object> = {
  public: { security: [] },
  user: {},
  admin: { 'x-administrators-only': true },
  metrics: { 'x-administrators-only': true },
  ticket: { security: [{ session: [] }, { ticket: [] }] },
  upload: { security: [{ session: [] }, {}] },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same key again is the same command: nothing is done twice.',
  schema: { type: 'string', maxLength: limits.idempotencyKeyCharactersMax, pattern: '^[!-~]+$' },
};

function requestBody(
  body: NonNullable<Operation['body']>,
  toSchema: ToSchema,
  uploadMb: number,
): object {
  switch (body.kind) {
    case 'json':
      return {
        description: `At most ${limits.jsonBytesMax / 1024} KB.`,
        required: body.optional !== true,
        content: { 'application/json': { schema: toSchema.input(body.schema) } },
      };
    case 'form': {
      const fields = toSchema.input(body.fields);
      const file = {
        type: 'string',
        contentMediaType: 'application/octet-stream',
        description: `The audio, at most ${uploadMb} MB.`,
      };
      const schema = {
        ...fields,
        properties: { ...(fields['properties'] as object), file },
        required: [...((fields['required'] as string[] | undefined) ?? []), 'file'],
      };
      return { required: true, content: { 'multipart/form-data': { schema } } };
    }
    default: {
      const { mediaType, description } = body;
      const content = { [mediaType]: { schema: { type: 'string' } } };
      return { description, required: true, content };
    }
  }
}

function goodAnswers({ answers }: Operation, toSchema: ToSchema): Record<string, object> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, json, media = [], headers = {} }]) => {
      const content = {
        ...(json ? { 'application/json': { schema: toSchema.output(json) } } : {}),
        ...Object.fromEntries(media.map((type) => [type, { schema: { type: 'string' } }])),
      };
      const named = Object.entries(headers).map(([name, text]) => [
        name,
        { description: text, schema: { type: 'string' } },
      ]);
      return [
        status,
        {
          description,
          ...(named.length > 0 ? { headers: Object.fromEntries(named) as object } : {}),
          ...(Object.keys(content).length > 0 ? { content } : {}),
        },
      ];
    }),
  );
}

const problemAnswer = (types: readonly ProblemType[]): object => ({
  description: types.map((type) => `\`${type}\`: ${problemTypes[type].title}`).join(' · '),
  content: {
    'application/problem+json': {
      schema: {
        allOf: [{ $ref: '#/components/schemas/Problem' }],
        properties: { type: { enum: types.map((type) => `/problems/${type}`) } },
      },
    },
  },
});

import type { z } from 'zod';
import { asksPassword, accessTo, type Access } from '../access.ts';
import { limits } from '../limits.ts';
import { type ProblemType, problemTypes } from '../problems.ts';
import type { jsonSchema } from './json-schema.ts';

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

/** A path with its parameters filled in. */
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

/** One operation of the interface, for the document. Who may call it comes from `accessTo` (`middleware/authenticate.ts`). */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options';
  /** With `{names}`, which `path-parameters.ts` explains. */
  path: string;
  /** `operationId`: what generated clients call it. */
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** The schema that validates the query string. */
  query?: z.ZodObject;
  headers?: readonly RequestHeader[];
  body?: RequestBody;
  /** By status. */
  answers: Readonly<Record<number, Answer>>;
  /** Besides those that follow from who may call, from query and body, and from `command`. */
  problems?: readonly ProblemType[];
  /** Whether it appends facts: what can go wrong with that is added. */
  command?: true;
};

export const tags = {
  Service: 'Reaching it, setting it up, logging in.',
  Status: 'What is going on now, and what has happened.',
  Recordings: 'Recordings from their first second on: how they came to be, commands, words, audio.',
  Transcripts: 'The documents in the user’s space.',
  Speakers: 'Who spoke in a meeting.',
  Users: 'Who may log in.',
  Configuration: 'Settings, and the servers they name.',
  Host: 'Devices, sound and programs of the machine the service runs on.',
  Watching: 'For those who look after the service.',
} as const;
export type Tag = keyof typeof tags;

export type RequestHeader = { name: string; description: string; required?: true };

export type RequestBody =
  /** The schema that validates it; `optional`: no body is `{}`. */
  | { kind: 'json'; schema: z.ZodType; optional?: true }
  /** A form with a file in the field `file`, and the schema that validates the other fields. */
  | { kind: 'form'; fields: z.ZodObject }
  | { kind: 'other'; mediaType: string; description: string; bytesMax?: number };

export type Answer = {
  description: string;
  /** Of a JSON body. */
  json?: z.ZodType;
  /** Media types of any other body. */
  media?: readonly string[];
  headers?: Readonly<Record<string, string>>;
};

/** The log and the projections may be closing, damaged or catching up. */
const reading: readonly ProblemType[] = [
  'starting',
  'busy',
  'stopping',
  'log-damaged',
  'log-unavailable',
  'files-unavailable',
  'unreadable',
  'view-stopped',
];

const appending: readonly ProblemType[] = [
  ...reading,
  'disk-full',
  'outcome-unknown',
  'views-behind',
  'log-newer',
];
/** What stands in the paths, by name. */
const pathParameters: Readonly<Record<string, { description: string; example: string }>> = {
  id: { description: 'Id of a recording, a ULID.', example: '01M7YB8DQZG1E7K5Q61TP77TYM' },
  upload: {
    description: 'Id of a resumable upload, from the `Location` that `POST /uploads` gives.',
    example: '0123456789abcdef0123456789abcdef',
  },
  filename: {
    description:
      'Path of a document, relative to the user’s space. Its slashes may be sent raw or as `%2F`.',
    example: '2026-11-20 09.30 Budget.md',
  },
  index: { description: 'Index of an utterance in `GET /recordings/{id}`.', example: '3' },
  version: { description: 'Version of a recording’s documents.', example: '2' },
  profile: {
    description: 'Id of a voice profile in `GET /speakers/profiles`.',
    example: '0123456789abcdef0123456789abcdef',
  },
  n: { description: 'Number of a confirmation in `GET /speakers/profiles`.', example: '1204' },
  session: {
    description: 'Id of a session in `GET /users/me/sessions`.',
    example: '0'.repeat(64),
  },
  invitation: {
    description: 'Id of an invitation or link in `GET /users/invitations`.',
    example: '01M7YB8DQZG1E7K5Q61TP77TYM',
  },
  name: { description: 'A user’s name, compared without case.', example: 'anna' },
};

type ToSchema = ReturnType<typeof jsonSchema>;
type Means = {
  toSchema: ToSchema;
  problems: ReturnType<typeof problemAnswers>;
  uploadMb: number;
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

/** Every problem an operation may answer with: its own, and those that follow from what it is. */
function problemsOf(operation: Operation, access: Access): ProblemType[] {
  const { method, path, query, body, command, problems = [] } = operation;
  const types = new Set<ProblemType>([...problems, 'host-not-allowed', 'internal']);
  const add = (...more: ProblemType[]): void => more.forEach((type) => types.add(type));
  if (access !== 'public') add('not-authenticated', 'password-change-required', ...reading);
  if (access === 'admin' || access === 'metrics') add('not-admin');
  if (asksPassword(method.toUpperCase(), path)) add('confirmation-required');
  if (method !== 'get') add('cross-origin');
  if (query) add('invalid');
  if (body) add('malformed-body', 'too-large', 'too-slow', 'unsupported-media', 'invalid');
  if (method === 'post' && access !== 'public') add('key-used-differently', 'invalid');
  if (command) add('changed-meanwhile', ...appending);
  return [...types];
}

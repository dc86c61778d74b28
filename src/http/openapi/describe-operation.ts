import type { z } from 'zod';
import type { Access } from '../state.ts';
import { limits } from '../limits.ts';
import { problems as problemWords } from '../../words/problems.ts';
import { type ProblemType, problemStatus } from '../problems.ts';
import { type Operation, type RequestBody, isRepeatable } from '../route.ts';
import type { jsonSchema } from './json-schema.ts';

/** An operation as OpenAPI's Operation Object. */
export function describeOperation(operation: Operation, { toSchema, problems, uploadMb }: Means) {
  const { id, tag, summary, description, query, headers = [], path, body, access } = operation;
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
    ...(isRepeatable(operation) ? [idempotencyKey] : []),
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
      ...problems.for(problemsOf(operation)),
    },
  };
}

/** Problem answers by status, each naming the types it may have; the document says each but once. */
export function problemAnswers() {
  const named: Record<string, object> = {};
  return {
    named,
    for(types: readonly ProblemType[]): Record<string, object> {
      const byStatus = new Map<number, ProblemType[]>();
      for (const type of types.toSorted()) {
        const status = problemStatus[type];
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
  description: types.map((type) => `\`${type}\`: ${problemWords[type].texts.title}`).join(' · '),
  content: {
    'application/problem+json': {
      schema: {
        allOf: [{ $ref: '#/components/schemas/Problem' }],
        properties: { type: { enum: types.map((type) => `/problems/${type}`) } },
      },
    },
  },
});

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
  to: {
    description: '`u-` and the id of a user, `g-` and the id of a group, or `me`.',
    example: 'u-01M7YB8DQZG1E7K5Q61TP77TYM',
  },
  group: { description: 'Id of a group in `GET /groups`.', example: '01M7YB8DQZG1E7K5Q61TP77TYM' },
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

function requestBody(body: RequestBody, toSchema: ToSchema, uploadMb: number): object {
  if ('json' in body) {
    return {
      description: `At most ${limits.jsonBytesMax / 1024} KB.`,
      required: body.optional !== true,
      content: { 'application/json': { schema: toSchema.input(body.shown ?? body.json) } },
    };
  }
  if ('form' in body) {
    const fields = toSchema.input(body.form);
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
  const { mediaType, description } = body;
  const content = { [mediaType]: { schema: { type: 'string' } } };
  return { description, required: true, content };
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
          ...(named.length > 0 ? { headers: Object.fromEntries(named) } : {}),
          ...(Object.keys(content).length > 0 ? { content } : {}),
        },
      ];
    }),
  );
}

/** Every problem an operation may answer with: its own, and those that follow from what it is. */
function problemsOf(operation: Operation): ProblemType[] {
  const { id, access, asksPassword, method, path, query, body, command, problems = [] } = operation;
  const types = new Set<ProblemType>([...problems, 'host-not-allowed', 'internal']);
  const add = (...more: ProblemType[]): void => more.forEach((type) => types.add(type));
  if (access !== 'public')
    add('not-authenticated', 'password-change-required', 'two-step-required', ...reading);
  if (access === 'admin' || access === 'metrics') add('not-admin');
  if (asksPassword) add('confirmation-required');
  if (method !== 'get') add('cross-origin');
  if (path.includes('{') && access !== 'public') add('not-found');
  if (path.includes('{filename}')) add('malformed-request', 'outside-space');
  // What is shared may still not be for this.
  if (path.startsWith('/recordings/') && types.has('not-found')) add('not-yours');
  if (path.startsWith('/recordings/{id}') && command) add('not-accepted');
  if (query) add('invalid');
  if (body) add('malformed-body', 'too-large', 'too-slow', 'unsupported-media', 'invalid');
  if (isRepeatable(operation)) add('key-used-differently', 'invalid');
  if (command) add('changed-meanwhile', ...appending);
  return [...types].filter((type) => type !== neverOf[id]);
}

/** What their paths would have, but not they: who cancels wants nothing to be there, and only what is recorded stops. */
const neverOf: Readonly<Record<string, ProblemType>> = {
  cancelModel: 'not-found',
  stopRecording: 'not-accepted',
};

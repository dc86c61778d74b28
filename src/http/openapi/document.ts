import { z } from 'zod';
import { accessTo } from '../access.ts';
import { limits } from '../limits.ts';
import { problemTypes, type ProblemType } from '../problems.ts';
import { clientFrame, serverFrame } from './frames.ts';
import { hostOperations } from './host-operations.ts';
import { jsonSchema, namedSchemas, type JsonSchema } from './json-schema.ts';
import { tags, type Operation } from './operation.ts';
import * as other from './other-answers.ts';
import { pathParameters } from './path-parameters.ts';
import { problemsOf } from './problems-of.ts';
import * as recordings from './recording-answers.ts';
import { recordingOperations } from './recording-operations.ts';
import { serviceOperations } from './service-operations.ts';

/** Every operation of the interface; a test compares them with the router's own list. */
export const operations: readonly Operation[] = [
  ...serviceOperations,
  ...hostOperations,
  ...recordingOperations,
];

/**
 * The OpenAPI 3.1 document of the interface, made from the schemas that validate requests and those
 * that tests hold answers to.
 * @param options.strict members of answers that are not named are wrong; for tests. Others have to
 *   ignore what they do not know: the interface grows by additions.
 */
export function openApiDocument(options: {
  version: string;
  /** `limits.upload_mb` as it is set. */
  uploadMb: number;
  strict?: boolean;
}): OpenApiDocument {
  const toSchema = jsonSchema(named, { strict: options.strict ?? false });
  const problems = problemAnswers();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    (paths[path] ??= {})[method] = described(operation, { ...options, toSchema, problems });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mitschrift',
      version: options.version,
      summary: 'Records people talking and writes notes.',
      description: introduction(options.uploadMb),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ session: [] }],
    paths,
    components: {
      schemas: namedSchemas(named, toSchema),
      responses: problems.named,
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token that `POST /login` gives.',
        },
      },
    },
    'x-limits': { ...limits, uploadMb: options.uploadMb },
  };
}

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; [member: string]: unknown };
  paths: Record<string, Record<string, object>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, object>;
    securitySchemes: object;
  };
  [member: string]: unknown;
};

/** Schemas with a name of their own in the document. */
const named: ReadonlyMap<z.ZodType, string> = new Map<z.ZodType, string>([
  [other.problem, 'Problem'],
  [other.session, 'Session'],
  [other.user, 'User'],
  [other.config, 'Config'],
  [other.trial, 'Trial'],
  [other.check, 'Check'],
  [other.chart, 'Chart'],
  [recordings.statusName, 'StatusName'],
  [recordings.status, 'Status'],
  [recordings.recordingLine, 'RecordingLine'],
  [recordings.recording, 'Recording'],
  [recordings.utterance, 'Utterance'],
  [recordings.suggestion, 'SpeakerSuggestion'],
  [recordings.documentPaths, 'DocumentPaths'],
  [recordings.libraryItem, 'Transcript'],
  [recordings.fact, 'Fact'],
  [recordings.accepted, 'Accepted'],
  [serverFrame, 'ServerFrame'],
  [clientFrame, 'ClientFrame'],
]);

type ToSchema = ReturnType<typeof jsonSchema>;
type Means = {
  toSchema: ToSchema;
  problems: ReturnType<typeof problemAnswers>;
  uploadMb: number;
};

function described(operation: Operation, { toSchema, problems, uploadMb }: Means) {
  const { id, tag, summary, description, query, headers = [], method, path, body } = operation;
  const access = accessTo(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'));
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
    ...(access === 'public' ? { security: [] } : {}),
    ...(access === 'admin' ? { 'x-administrators-only': true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body, toSchema, uploadMb) } : {}),
    responses: {
      ...goodAnswers(operation, toSchema),
      ...problems.for(problemsOf(operation, access)),
    },
  };
}

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
    case 'other': {
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

/** Problem answers by status, each naming the types it may have; the document says each but once. */
function problemAnswers() {
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

const introduction = (uploadMb: number): string =>
  [
    'JSON in, JSON out, snake_case members; times are RFC 3339 UTC, durations seconds. A session token ' +
      'goes as `Authorization: Bearer <token>`. Errors are RFC 9457 problem documents whose `type` is ' +
      'stable. Every answer to a command is followed by what it did: the next GET sees it. The interface ' +
      'grows by additions: ignore members you do not know.',
    '',
    '| Limit | |',
    '|---|---|',
    `| JSON bodies | ${limits.jsonBytesMax / 1024} KB |`,
    `| Uploads | ${uploadMb} MB (\`limits.upload_mb\`), ${limits.uploadsAtOnceMax} at a time |`,
    `| Lists | ${limits.pageMax} a page, ${limits.pageDefault} unless told |`,
    `| WebSockets | ${limits.socketsPerUserMax} a user |`,
    `| WebSocket messages | ${limits.messageBytesMax / 1024} KB |`,
    `| Request headers | within ${limits.headersTimeoutMs / 1000} s |`,
    `| A whole request | within ${limits.requestTimeoutMs / 3_600_000} h |`,
    `| A connection on which nothing moves | ${limits.idleTimeoutMs / 1000} s |`,
    '| Login attempts | 10 a minute and address |',
  ].join('\n');

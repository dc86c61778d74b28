import type { z } from 'zod';
import { limits } from '../limits.ts';
import { describeOperation, problemAnswers } from './describe-operation.ts';
import { type Operation, tags } from '../route.ts';
import { checked } from '../../doctor/check.ts';
import * as logins from './login-answers.ts';
import * as other from './other-answers.ts';
import { clientFrame } from '../feed/frames.ts';
import { type JsonSchema, jsonSchema, namedSchemas } from './json-schema.ts';
import * as facts from './fact-answers.ts';
import * as recordings from './recording-answers.ts';

/**
 * The OpenAPI 3.1 document of the interface, made from the schemas that validate requests and those
 * that tests hold answers to.
 * @param options.strict members of answers that are not named are wrong; for tests. Others have to
 *   ignore what they do not know: the interface grows by additions.
 */
export function openApiDocument(
  operations: readonly Operation[],
  options: {
    version: string;
    /** `limits.upload_mb` as it is set. */
    uploadMb: number;
    strict?: boolean;
  },
): OpenApiDocument {
  const toSchema = jsonSchema(named, { strict: options.strict ?? false });
  const problems = problemAnswers();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations.filter(({ hidden }) => !hidden)) {
    const { path, method } = operation;
    (paths[path] ??= {})[method] = describeOperation(operation, { ...options, toSchema, problems });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mitschrift',
      version: options.version,
      summary: 'Records conversations and turns them into notes.',
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
        ticket: {
          type: 'apiKey',
          in: 'query',
          name: 'ticket',
          description:
            'What `POST /recordings/{id}/ticket` gives, for that recording only; or `POST /users/me/export`, for that download only.',
        },
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
  [logins.session, 'Session'],
  [other.user, 'User'],
  [other.config, 'Config'],
  [other.trial, 'Trial'],
  [checked, 'Check'],
  [other.chart, 'Chart'],
  [recordings.statusNameSchema, 'StatusName'],
  [recordings.statusSchema, 'Status'],
  [recordings.recordingLineSchema, 'RecordingLine'],
  [recordings.recording, 'Recording'],
  [recordings.utterance, 'Utterance'],
  [recordings.suggestion, 'SpeakerSuggestion'],
  [recordings.documentPathsSchema, 'DocumentPaths'],
  [recordings.libraryItem, 'Transcript'],
  [facts.fact, 'Fact'],
  [recordings.accepted, 'Accepted'],
  [other.serverFrame, 'ServerFrame'],
  [clientFrame, 'ClientFrame'],
]);

const introduction = (uploadMb: number): string =>
  [
    'JSON in, JSON out, snake_case members; times are RFC 3339 UTC, durations seconds. A session token ' +
      'goes as `Authorization: Bearer <token>`. Errors are RFC 9457 problem documents whose `type` is ' +
      'stable. While the server starts, answers that need more of its data are 503 `starting`, with the progress of the start. ' +
      'Every answer to a command is followed by what it did: the next GET sees it. The interface ' +
      'grows by additions: ignore members you do not know.',
    '',
    '| Limit | |',
    '|---|---|',
    `| JSON bodies | ${limits.jsonBytesMax / 1024} KB |`,
    `| Uploads | ${uploadMb} MB (\`limits.upload_mb\`), ${limits.uploadsAtOnceMax} at a time |`,
    `| Lists | ${limits.pageMax} a page, ${limits.pageDefault} by default |`,
    `| WebSockets | ${limits.socketsPerUserMax} a user |`,
    `| WebSocket messages | ${limits.messageBytesMax / 1024} KB |`,
    `| Request headers | within ${limits.headersTimeoutMs / 1000} s |`,
    `| A JSON body | within ${limits.jsonBodyMs / 1000} s |`,
    `| A whole request | within ${limits.requestTimeoutMs / 3_600_000} h |`,
    `| A connection on which nothing moves | ${limits.idleTimeoutMs / 1000} s |`,
    '| Login attempts | 10 a minute and address |',
  ].join('\n');

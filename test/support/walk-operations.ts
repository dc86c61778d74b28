import { openApiDocument } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';
import { password } from './http-client.ts';

/** What requests name: for each name in a path or a body what stands there. */
export type Named = Record<'id' | 'filename' | 'upload' | 'name', string> & {
  /** Who may be given access, and lose it. */
  to?: string;
  /** A word of theirs. */
  word?: string;
  /** A link of the recording. */
  link?: string;
};

/** An operation of the document, and how it is asked. */
export type Walked = {
  operation: string;
  method: string;
  /** Whether the document says that no login is needed, and whether administrators only may call. */
  isPublic: boolean;
  forAdmins: boolean;
  /** Whether path or body name a recording, a document or an upload. */
  pointsAtSomething: boolean;
  path: (named: Named) => string;
  init: (named: Named) => { headers: Record<string, string>; body?: FormData | string };
};

/** Every operation that `/openapi.json` has, with a plausible request, so that a new one is tried by itself. */
export function walkOperations(): Walked[] {
  const { paths } = openApiDocument(routes, { version: '1', uploadMb: 1 });
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(([method, described]) =>
      walked(method.toUpperCase(), path, described),
    ),
  );
}

type Described = {
  operationId: string;
  security?: readonly object[];
  parameters?: readonly { in: string; name: string; required?: boolean }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  'x-administrators-only'?: true;
};
type Schema = {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  format?: string;
};

const none: Schema = {};

function walked(method: string, path: string, described: Described): Walked {
  const [[mediaType, { schema }] = [undefined, { schema: none }]] = Object.entries(
    described.requestBody?.content ?? {},
  );
  const names = Object.keys(schema.properties ?? {});
  return {
    operation: described.operationId,
    method,
    isPublic: described.security?.length === 0,
    forAdmins: described['x-administrators-only'] === true,
    pointsAtSomething:
      /\{(id|filename|upload)\}/.test(path) ||
      names.some((name) => ['recording_id', 'paths'].includes(name)),
    path: (named) =>
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(
          (path.startsWith('/words/{id}') ? named.word : undefined) ??
            named[name as keyof Named] ??
            inPaths[name] ??
            'x',
        ),
      ),
    init(named) {
      const headers: Record<string, string> = {};
      for (const parameter of described.parameters ?? []) {
        const value = inHeaders[parameter.name];
        if (parameter.in === 'header' && value !== undefined) headers[parameter.name] = value;
      }
      if (mediaType === undefined) return { headers };
      if (mediaType === 'multipart/form-data') return { headers, body: form() };
      const body =
        mediaType === 'application/json' ? JSON.stringify(plausible(schema, '', named)) : 'x';
      return { headers: { ...headers, 'Content-Type': mediaType }, body };
    },
  };
}

const inPaths: Record<string, string> = { index: '0', version: '1', n: '1' };
const inHeaders: Record<string, string> = {
  'Tus-Resumable': '1.0.0',
  'Upload-Offset': '0',
  'Upload-Length': '4',
  'If-Match': '"x"',
};

function form(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['no sound']), 'talk.wav');
  return form;
}

/** A value that a schema takes; members that mean something have a value of their own. */
function plausible(schema: Schema, name: string, named: Named): unknown {
  const meant: Record<string, unknown> = {
    recording_id: named.id,
    paths: [named.filename],
    // What is joined is somebody's recording too.
    with: named.id,
    // The abstract, which each summary has.
    line: 'short',
    username: 'carla',
    // Who is given access: a user, or instead a group.
    user: 'ben',
    group: undefined,
    password,
    current_password: 'not the password',
    title: 'A title of another',
    language: 'de',
    // Of an utterance that is named by its place.
    block: undefined,
    revision: undefined,
    // Goes with one way of processing again alone.
    length: undefined,
    // Of a summary that is edited instead.
    offered: undefined,
    // Instead of a question.
    about: undefined,
    // `start` would open the machine's sound.
    action: 'reset',
  };
  if (name in meant) return meant[name];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return plausible(schema.anyOf[0]!, name, named);
  switch (schema.type) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).filter(([key]) => key !== 'owner');
      if (members.length === 0 && typeof schema.additionalProperties === 'object') {
        return { SPEAKER_1: plausible(schema.additionalProperties, '', named) };
      }
      return Object.fromEntries(members.map(([key, of]) => [key, plausible(of, key, named)]));
    }
    case 'array':
      return [plausible(schema.items ?? {}, '', named)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return texts[schema.format ?? ''] ?? 'Words';
  }
}

const texts: Record<string, string> = {
  'date-time': '2026-01-01T10:00:00Z',
  uri: 'http://127.0.0.1:9',
};

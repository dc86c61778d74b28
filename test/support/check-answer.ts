import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';

/**
 * Holds an answer to what `/openapi.json` says of it: status, media type, and every member of its body.
 * Where a member is new, say it in `src/http/openapi` too. A path that no operation has may only be
 * answered by a problem.
 * @throws {Error} saying what differs.
 */
export function checkAnswer(
  asked: { method: string; path: string },
  answer: { status: number; contentType: string | null; body: unknown },
): void {
  const head = asked.method === 'HEAD';
  const method = head ? 'get' : asked.method.toLowerCase();
  const path = asked.path.split('?')[0]!;
  const mediaType = answer.contentType?.split(';')[0] ?? '';
  const isProblem = mediaType === 'application/problem+json';
  const where = `${asked.method} ${path.slice(0, 80)}: ${answer.status} ${mediaType}`;
  if (isProblem && !head) check(where, 'Problem', answer.body);
  const operation = documented.find((one) => one.method === method && one.pattern.test(path));
  if (!operation) {
    if (isProblem || isPage(mediaType)) return;
    throw new Error(`${where} is the answer of no operation in the document`);
  }
  if (isProblem && answer.status === 405) return;
  const described = document.paths[operation.path]![method] as { responses: Responses };
  const found = described.responses[String(answer.status)];
  if (!found) throw new Error(`${where} is not documented`);
  const response = found.$ref
    ? document.components.responses[found.$ref.split('/').at(-1)!]
    : found;
  const { content = {} } = response as Response;
  if (Object.keys(content).length === 0) {
    if (answer.body === '' || answer.body === null) return;
    throw new Error(`${where} is documented without a body`);
  }
  const media = content[mediaType] ?? content[mediaType.replace(/\/.+/, '/*')];
  if (!media) throw new Error(`${where} is documented as ${Object.keys(content).join(', ')}`);
  if (!head && mediaType.endsWith('json')) check(where, media.schema, answer.body);
}

/** Holds a frame of the WebSocket to the document. @throws {Error} */
export const checkFrame = (frame: unknown): void => check('frame', 'ServerFrame', frame);

type Responses = Record<string, (Response & { $ref?: string }) | undefined>;
type Response = { content?: Record<string, { schema: object }> };

const document = openApiDocument(routes, { version: 'test', uploadMb: 1, strict: true });
// openapi.test.ts shows that the document itself is one.
// Each check runs a few times in a file: making it short takes longer than that.
const code = { optimize: false };
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code });
addFormats.default(ajv);
ajv.addSchema({ $id: 'interface', components: document.components });
const compiled = new Map<object | string, ValidateFunction>();

// What is literal in a path goes before what is not: /users/me is not /users/{name}.
const documented = routes
  .filter(({ hidden }) => !hidden)
  .map(({ method, path }) => ({ method, path, pattern: patternOf(path) }))
  .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);

function patternOf(path: string): RegExp {
  const parts = path.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return part.replaceAll('.', '\\.');
    return part === 'filename' ? '.+' : '[^/]+';
  });
  return new RegExp(`^${parts.join('')}$`);
}

function check(where: string, schema: object | string, value: unknown): void {
  let validate = compiled.get(schema);
  if (!validate) {
    const inside = typeof schema === 'string' ? { $ref: `#/components/schemas/${schema}` } : schema;
    const text = JSON.stringify(inside).replaceAll('"#/components/', '"interface#/components/');
    validate = ajv.compile(JSON.parse(text) as object);
    compiled.set(schema, validate);
  }
  if (validate(value)) return;
  const faults = (validate.errors ?? []).slice(0, 5).map(({ instancePath, message, params }) => {
    const member = (params as { additionalProperty?: string }).additionalProperty;
    return `${instancePath || '(body)'} ${message}${member === undefined ? '' : `: ${member}`}`;
  });
  throw new Error(`${where} is not as src/http/openapi says: ${faults.join('; ')}`);
}

/** The web app's own files are no operations. */
const isPage = (mediaType: string): boolean =>
  /^(text\/(html|css|javascript)|image\/\S+|font\/\S+|application\/manifest\+json|)$/.test(
    mediaType,
  );

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/http/limits.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';
import { problemStatus } from '../../src/http/problems.ts';
import { checkAnswer } from '../support/check-answer.ts';
import { password, startService } from '../support/http-client.ts';

test('the document is OpenAPI 3.1, as a validator sees it', async (t) => {
  const service = await startService(t);
  const { body } = await service.call('GET', '/openapi.json');
  assert.deepEqual(await faultsOf(body), []);
  const broken = structuredClone(body) as { paths: Record<string, Record<string, object>> };
  broken.paths['/status']!['get'] = { responses: { 200: { $ref: '#/components/nothing' } } };
  assert.notDeepEqual(await faultsOf(broken), [], 'the validator can find a fault');
});

test('every limit is stated, and every problem some operation may have', () => {
  const document = openApiDocument(routes, { version: '1', uploadMb: 77 });
  assert.deepEqual(document['x-limits'], { ...limits, uploadMb: 77 });
  assert.match(String(document.info['description']), /77 MB/);
  const told = new Set(
    Object.keys(document.components.responses).flatMap((name) => name.split('.')),
  );
  const untold = Object.keys(problemStatus).filter((type) => !told.has(type));
  // Which is the answer of no operation.
  assert.deepEqual(untold, ['method-not-allowed']);
  const ids = routes.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('descriptions keep to the glossary', () => {
  const document = openApiDocument(routes, { version: '1', uploadMb: 77 });
  const texts: string[] = [];
  JSON.stringify(document, (key, value: unknown) => {
    if (typeof value === 'string' && ['description', 'summary', 'title'].includes(key))
      texts.push(value.replaceAll(/`[^`]*`/g, ''));
    return value;
  });
  assert.ok(texts.length > 500);
  assert.deepEqual(
    texts.filter((text) => /\b(?:services?|machines?|anew|look(?:s|ed)? after|fold)\b/i.test(text)),
    [],
  );
  assert.doesNotMatch(String(document.info['description']), /how far a start is/);
});

test('an answer that differs from the document is found', () => {
  const asked = { method: 'GET', path: '/health' };
  const contentType = 'application/json; charset=utf-8';
  checkAnswer(asked, { status: 200, contentType, body: { status: 'ok', version: '1' } });
  for (const body of [{ status: 'ok' }, { status: 'ok', version: '1', more: 1 }, null]) {
    assert.throws(() => checkAnswer(asked, { status: 200, contentType, body }), /health/);
  }
  assert.throws(() => checkAnswer(asked, { status: 201, contentType, body: {} }), /not documented/);
  assert.throws(
    () => checkAnswer(asked, { status: 200, contentType: 'text/plain', body: '' }),
    /documented as/,
  );
  assert.throws(
    () => checkAnswer({ method: 'GET', path: '/x' }, { status: 200, contentType, body: {} }),
    /no operation/,
  );
});

test('a client generated from the document sets up, uploads, waits and reads', async (t) => {
  const service = await startService(t);
  const { body } = await service.call('GET', '/openapi.json');
  const api = new OpenAPIClientAxios({
    definition: body as unknown as Document,
    axiosConfigDefaults: { baseURL: service.url },
  });
  const client = await api.init();
  type Call = (
    parameters?: object | null,
    data?: unknown,
  ) => Promise<{ status: number; data: Record<string, unknown> }>;
  const call = (id: string) => client[id] as unknown as Call;
  const setUp = await call('setUp')(null, { username: 'ada', password });
  client.defaults.headers.common['Authorization'] = `Bearer ${String(setUp.data['token'])}`;
  const form = new FormData();
  form.set('kind', 'solo');
  form.set('file', new Blob([Buffer.from('RIFF')]), 'talk.wav');
  await assert.rejects(call('uploadRecording')(null, form), /415/);
  const id = await service.settled(String(setUp.data['token']));
  const list = await call('listTranscripts')({ limit: 1 });
  const [first] = list.data['transcripts'] as { filename: string; recording_id: string }[];
  assert.equal(first?.recording_id, id);
  const { data } = await call('readDocument')({ filename: first.filename });
  assert.match(JSON.stringify(data), /A plan/);
  const reading = await call('readRecording')({ id });
  assert.equal(reading.data['status'], 'IDLE');
  assert.equal(await call('cancelProcessing')({ id }).catch(statusOf), 409);
});

test('/docs is a page of this service’s own files, without anything inline', async (t) => {
  const service = await startService(t);
  const page = await service.call<string>('GET', '/docs');
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.doesNotMatch(page.body, /<style|style=|onload=|https?:/);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(policy, /unsafe/);
  const guides = [...page.body.matchAll(/<a [^>]*href="([^"#]+)/g)].map(([, path]) => path!);
  assert.ok(guides.length >= 8, guides.join());
  for (const path of guides) assert.equal((await service.call('GET', path)).status, 200, path);
  const files = [...page.body.matchAll(/<(?:link|script)[^>]*(?:href|src)="([^"]+)"/g)].map(
    ([, path]) => path!,
  );
  assert.equal(files.length, 6);
  for (const path of files) {
    const file = await service.call<string>('GET', path);
    assert.equal(file.status, 200, path);
    assert.match(file.headers.get('content-type') ?? '', /^(text\/(css|javascript)|image\/svg)/);
    if (path.endsWith('start.js')) assert.match(file.body, /'\/openapi\.json'/);
  }
});

async function faultsOf(document: unknown): Promise<string[]> {
  const faults = await lintFromString({
    source: JSON.stringify(document),
    config: await createConfig({ extends: ['spec'] }),
  });
  return faults.map(({ message, location }) => `${location[0]?.pointer}: ${message}`);
}

const statusOf = (error: unknown): number =>
  (error as { response: { status: number } }).response.status;

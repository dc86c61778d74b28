import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { rawRequest, startService, type ProblemAnswer, withAda } from '../support/http-client.ts';
import { startEmbeddingServer } from '../support/embedding-servers.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { speechServer } from '../support/speech-servers.ts';
import { selfSigned } from '../support/certificates.ts';
import { tempDir } from '../support/temp-dir.ts';
import { onPostgres } from '../support/test-store.ts';

type Document = {
  config: Record<string, Record<string, unknown>>;
  overridden: string[];
};
type Trial = { ok: boolean; detail: string; models?: string[] };

test('PUT /config: deep merge, read back at once, stored as facts by whoever sent it', async (t) => {
  const { service, token } = await withAda(t, { env: { MITSCHRIFT_LLM_TIMEOUT: '60' } });
  const first = await service.call<Document>('GET', '/config', { token });
  assert.equal(first.status, 200);
  assert.deepEqual(first.body.overridden, ['llm.timeout']);
  assert.equal(first.body.config['stt']!['backend'], 'compat');

  const put = (json: unknown) => service.call<Document>('PUT', '/config', { token, json });
  await put({ stt: { base_url: 'http://127.0.0.1:8000/v1', api_key: 'sk-geheim' } });
  const answer = await put({ stt: { backend: 'native' }, audio: { device: 'Mic' } });
  assert.equal(answer.status, 200);
  const { body } = await service.call<Document>('GET', '/config', { token });
  assert.deepEqual(answer.body, body);
  assert.deepEqual(
    [body.config['stt']!['base_url'], body.config['stt']!['backend'], body.config['audio']],
    [
      'http://127.0.0.1:8000/v1',
      'native',
      {
        device: 'Mic',
        keep: 'wav',
        combined_channels: 'split',
        echo_cancellation: true,
        recorders: 'everyone',
      },
    ],
  );
  assert.equal(body.config['stt']!['api_key'], '••••');
  const written = await put(without(body.config, 'llm', 'timeout'));
  assert.equal(written.status, 200, 'what was read can be written back');
  assert.deepEqual(written.body, body);

  const events = await service.call<{ events: { type: string; by: string; data: object }[] }>(
    'GET',
    '/events?limit=200',
    { token },
  );
  const text = JSON.stringify([events.body, service.logged]);
  assert.ok(text.includes('config.secret_set') && text.includes('"key":"audio.device"'));
  assert.ok(!text.includes('sk-geheim'));
});

test('PUT /config: what is wrong is 422 with every path, what is locked 409, nothing is changed', async (t) => {
  const { service, token } = await withAda(t, { env: { MITSCHRIFT_LLM_TIMEOUT: '60' } });
  const put = (json: unknown) => service.call<ProblemAnswer>('PUT', '/config', { token, json });
  const before = (await service.call<Document>('GET', '/config', { token })).body;
  const head = await service.store.head();

  const wrong = await put({
    stt: { base_url: 'http://169.254.169.254/latest', model: 5 },
    llm: { base_url: 'http://user:pw@host/', api_key: 'sk-x' },
    nonsense: { a: 1 },
    ui: { language: 'de' },
  });
  assert.deepEqual([wrong.status, wrong.body.type], [422, '/problems/invalid']);
  assert.deepEqual(
    wrong.body.errors?.map(({ path }) => path),
    ['stt.base_url', 'stt.model', 'llm.base_url', 'nonsense'],
  );

  const locked = await put({ llm: { timeout: 5, model: 'm' } });
  assert.deepEqual([locked.status, locked.body.type], [409, '/problems/overridden']);
  assert.deepEqual(
    locked.body.errors?.map(({ path }) => path),
    ['llm.timeout'],
  );

  for (const body of [
    '{"__proto__":{"is_admin":true}}',
    '{"stt":{"__proto__":{"x":1}}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"stt":{"constructor":1}}',
    '[]',
    '"x"',
    '{',
  ]) {
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await service.call('PUT', '/config', { token, body, headers });
    assert.ok(status === 400 || status === 422, `${body}: ${status}`);
  }
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
  assert.deepEqual((await service.call<Document>('GET', '/config', { token })).body, before);
  assert.equal(await service.store.head(), head);
  assert.ok(!(await readdir(service.dataDir)).includes('secrets.json'));
});

test('GET /config/schema: every key of GET /config once, in the language of the pages, with what a form needs', async (t) => {
  const { service, token } = await withAda(t, { env: { MITSCHRIFT_UI_LANGUAGE: 'de' } });
  const groupsOf = async (query = '') =>
    (await service.call<{ groups: Group[] }>('GET', `/config/schema${query}`, { token })).body
      .groups;
  const german = await groupsOf();
  const english = await groupsOf('?language=en');
  const { config } = (await service.call<Document>('GET', '/config', { token })).body;
  const keys = Object.entries(config).flatMap(([section, below]) =>
    Object.keys(below).map((name) => `${section}.${name}`),
  );
  const fields = (groups: Group[]) => groups.flatMap(({ settings }) => settings);
  assert.deepEqual(
    fields(english)
      .map(({ key }) => key)
      .toSorted(),
    keys.toSorted(),
  );
  const field = (key: string) => fields(english).find((one) => one.key === key)!;
  assert.deepEqual(field('audio.keep').schema['enum'], ['wav', 'flac', 'none']);
  assert.deepEqual(
    [
      'audio.keep',
      'speakers.links',
      'llm.context',
      'stt.api_key',
      'server.allowed_hosts',
      'stt.model',
    ]
      .map(field)
      .map(({ type, nullable }) => [type, nullable]),
    [
      ['choice', false],
      ['switch', false],
      ['number', true],
      ['secret', true],
      ['list', false],
      ['text', true],
    ],
  );
  assert.deepEqual(
    [field('limits.recording_hours').schema['maximum'], field('limits.recording_hours').default],
    [168, 8],
  );
  assert.equal(field('llm.timeout').variable, 'MITSCHRIFT_LLM_TIMEOUT');
  assert.deepEqual(
    english.flatMap(({ id, test: what }) => (what ? [[id, what]] : [])),
    [
      ['speech', 'stt'],
      ['language', 'llm'],
      ['meaning', 'embeddings'],
      ['sign-on', 'oidc'],
    ],
  );
  // Each in its own words: nothing is left in the other language.
  for (const one of fields(german)) {
    const { title, description } = field(one.key);
    assert.notEqual(one.description, description, one.key);
    assert.ok(one.title !== '' && title !== '', one.key);
  }
  const ben = await service.addUser('ben');
  assert.equal((await service.call('GET', '/config/schema', { token: ben })).status, 403);
});

type Group = {
  id: string;
  test: string | null;
  settings: {
    key: string;
    title: string;
    description: string;
    type: string;
    nullable: boolean;
    default: unknown;
    schema: Record<string, unknown>;
    variable: string;
  }[];
};

test(
  'a path of a setting is none of the service’s own data, and a certificate is one',
  { skip: onPostgres },
  async (t) => {
    const { service, token } = await withAda(t);
    const { dataDir } = service;
    const { cert, key } = await selfSigned(await tempDir(t), 'one');
    const inData = await selfSigned(dataDir, 'in-data');
    const link = join(await tempDir(t), 'link');
    await symlink(dataDir, link);
    const own = /folder-of-data/;
    for (const [section, name, value, why] of [
      ['notes', 'vault', dataDir, own],
      ['notes', 'vault', join(dataDir, 'keys'), own],
      ['notes', 'vault', link, own],
      ['notes', 'vault', join(dataDir, '..'), own],
      ['models', 'mirror', join(dataDir, 'spaces'), own],
      ['models', 'mirror', '/', own],
      ['server', 'tls_cert', inData.cert, own],
      ['server', 'tls_key', inData.key, own],
      ['server', 'tls_cert', '/etc/shadow', /not-a-certificate/],
      ['server', 'tls_cert', '/nowhere/cert.pem', /not-a-certificate/],
      ['server', 'tls_cert', '/dev/zero', /not-a-certificate/],
      ['server', 'tls_cert', key, /not-a-certificate/],
      ['server', 'tls_key', cert, /not-a-private-key/],
      ['server', 'tls_key', '/etc', /not-a-private-key/],
    ] as const) {
      const json = { [section]: { [name]: value } };
      const { status, body } = await service.call<ProblemAnswer>('PUT', '/config', { token, json });
      assert.equal(status, 422, `${name} ${value}`);
      assert.match(JSON.stringify(body.errors), why, `${name} ${value}`);
    }
    const mirror = await tempDir(t);
    const json = { models: { mirror }, notes: { vault: mirror } };
    assert.equal((await service.call('PUT', '/config', { token, json })).status, 200);
  },
);

test('concurrent updates of different keys all survive', async (t) => {
  const { service, token } = await withAda(t);
  const updates = [
    { stt: { model: 'a' } },
    { stt: { language: 'de' } },
    { llm: { model: 'b' } },
    { llm: { api_key: 'sk-1' } },
    { stt: { api_key: 'sk-2' } },
    { models: { mirror: await tempDir(t) } },
    { limits: { upload_mb: 7 } },
    { server: { allowed_hosts: ['notes.example'] } },
  ];
  const answers = await Promise.all(
    updates.map((json) => service.call('PUT', '/config', { token, json })),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const { config } = (await service.call<Document>('GET', '/config', { token })).body;
  for (const [section, values] of updates.flatMap((update) => Object.entries(update))) {
    for (const [name, value] of Object.entries(values as object)) {
      const shown = name === 'api_key' ? '••••' : value;
      assert.deepEqual(config[section]?.[name], shown, `${section}.${name}`);
    }
  }
});

test('a changed setting holds at once, without a restart', async (t) => {
  const { service, token } = await withAda(t);
  const put = (json: unknown) => service.call('PUT', '/config', { token, json });
  const headers = { 'X-Forwarded-For': '203.0.113.9', Host: 'notes.example' };
  assert.equal((await rawStatus(service.url, headers)).status, 421);
  await put({ server: { allowed_hosts: ['notes.example'] } });
  assert.equal((await rawStatus(service.url, headers)).status, 200);
  await put({ server: { allowed_hosts: null } });
  assert.equal((await rawStatus(service.url, headers)).status, 421);
});

test('POST /setup takes a configuration, and none that is wrong', async (t) => {
  const service = await startService(t);
  const credentials = { username: 'ada', password: 'correct horse battery' };
  const wrong = await service.call<ProblemAnswer>('POST', '/setup', {
    json: { ...credentials, config: { stt: { backend: 'magic' } } },
  });
  assert.deepEqual([wrong.status, wrong.body.errors?.[0]?.path], [422, 'stt.backend']);
  assert.equal(
    (await service.call('GET', '/setup/state')).body['setup_required'],
    true,
    'nobody was created',
  );
  const { status, body } = await service.call<{ token: string }>('POST', '/setup', {
    json: { ...credentials, config: { stt: { backend: 'native' } } },
  });
  assert.equal(status, 201);
  const { config } = (await service.call<Document>('GET', '/config', { token: body.token })).body;
  assert.equal(config['stt']!['backend'], 'native');
});

test('POST /config/test says in words what is wrong, and saves nothing', async (t) => {
  const { service, token } = await withAda(t);
  const speech = await speechServer('speaches');
  const whisper = await speechServer('whisper.cpp');
  const llm = await startLanguageServer({ flavour: 'openai', apiKey: 'sk-right', models: ['m1'] });
  const embeddings = await startEmbeddingServer();
  t.after(embeddings.close);
  const other = createServer((_, response) => void response.writeHead(404).end('nothing here'));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const bare = { url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` };
  t.after(() => other.close());
  // As Python's `http.server`.
  const files = createServer(
    ({ method }, response) => void response.writeHead(method === 'GET' ? 404 : 501).end('<p>no'),
  );
  await once(files.listen(0, '127.0.0.1'), 'listening');
  const ofFiles = { url: `http://127.0.0.1:${(files.address() as AddressInfo).port}` };
  t.after(() => files.close());
  t.after(() => Promise.all([speech.close(), whisper.close(), llm.close()]));
  const tried = async (json: unknown) =>
    (await service.call<Trial>('POST', '/config/test', { token, json })).body;
  await service.call('PUT', '/config', {
    token,
    json: { llm: { base_url: llm.url, api_key: 'sk-right' } },
  });
  const head = await service.store.head();

  const expected: [json: object, ok: boolean, detail: RegExp][] = [
    [{ stt: { base_url: speech.url } }, true, /ready/],
    [{ stt: { base_url: whisper.url, backend: 'native' } }, true, /ready/],
    [
      { stt: { base_url: whisper.url } },
      false,
      /whisper\.cpp server: set “Protocol” \(`stt\.backend`\) to native/,
    ],
    [
      { stt: { base_url: speech.url, backend: 'native' } },
      false,
      /set “Protocol” \(`stt\.backend`\) to compat/,
    ],
    [
      { stt: { base_url: speech.url, model: 'none' } },
      false,
      /model none isn’t available \(stt\.model\)/,
    ],
    [{ stt: { base_url: 'http://127.0.0.1:59998' } }, false, /can’t be reached.*ECONNREFUSED/],
    [{ stt: { base_url: llm.url } }, false, /rejects the API key/],
    [{ stt: { base_url: bare.url } }, false, /can’t transcribe/],
    [{ stt: { base_url: ofFiles.url } }, false, /can’t transcribe/],
    [{ stt: {} }, false, /No speech recognition is set up/],
    [{ llm: { base_url: llm.url } }, true, /ready/],
    [{ llm: { base_url: llm.url, api_key: '••••' } }, true, /ready/],
    [{ llm: { base_url: llm.url, api_key: 'sk-wrong' } }, false, /rejects the API key/],
    [
      { llm: { base_url: llm.url, model: 'm2' } },
      false,
      /model m2 isn’t available \(llm\.model\).*m1/,
    ],
    [{ embeddings: {} }, true, /found by their words alone/],
    [
      { embeddings: { base_url: embeddings.url } },
      true,
      /test-embed embedded a sentence in .*, as 128 numbers/,
    ],
    [
      { embeddings: { base_url: embeddings.url, model: 'm2' } },
      false,
      /model m2 isn’t available \(embeddings\.model\).*test-embed/,
    ],
    [{ embeddings: { base_url: bare.url } }, false, /offers no model/],
    [{ llm: { base_url: 'http://127.0.0.1:59998' } }, false, /can’t be reached/],
    [{ llm: { base_url: 'http://name.invalid' } }, false, /can’t be reached/],
    [
      { llm: { base_url: `${service.url}/v9` } },
      false,
      /rejects the API key|not JSON|doesn’t know/,
    ],
    [{ llm: { base_url: bare.url, model: 'm' } }, false, /doesn’t know the address/],
    [{ llm: { base_url: null } }, true, /No language model server is set/],
  ];
  for (const [json, ok, detail] of expected) {
    const answer = await tried(json);
    assert.match(answer.detail, detail, JSON.stringify(json));
    assert.equal(answer.ok, ok, JSON.stringify(json));
  }
  assert.deepEqual((await tried({ llm: { base_url: llm.url } })).models, ['m1']);
  const both = (await tried({
    llm: { base_url: llm.url },
    stt: { base_url: speech.url },
  })) as Trial & {
    llm: Trial;
  };
  assert.deepEqual([both.ok, both.llm.models], [true, ['m1']]);

  const wrong = await service.call('POST', '/config/test', {
    token,
    json: { stt: { base_url: 'http://[fe80::1]/' } },
  });
  assert.equal(wrong.status, 422);
  assert.equal(await service.store.head(), head);
  // On PostgreSQL they lie in the database (`storage/postgres/nodes.test.ts`).
  const secrets = onPostgres ? '' : await readFile(join(service.dataDir, 'secrets.json'), 'utf8');
  assert.ok(!secrets.includes('sk-wrong'));
});

function without(config: Document['config'], section: string, name: string): Document['config'] {
  const { [name]: _left, ...rest } = config[section]!;
  return { ...config, [section]: rest };
}

async function rawStatus(url: string, headers: Record<string, string>) {
  return rawRequest(url, { path: '/health', headers });
}

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemStatus } from '../../src/http/problems.ts';
import { StageError } from '../../src/shared/errors.ts';
import { failure } from '../../src/words/failures.ts';
import { type ProblemAnswer, connect, withAda } from '../support/http-client.ts';

test('problems.md has every problem with its status, and no other', async () => {
  const page = await readFile(join(import.meta.dirname, '../../src/http/problems.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]*`) +\| (\d{3}) /gm)].flatMap(([, names, status]) =>
    [...names!.matchAll(/`([a-z-]+)`/g)].map(([, name]) => [name, Number(status)]),
  );
  const known = Object.entries(problemStatus);
  assert.deepEqual(rows.map(String).toSorted(), known.map(String).toSorted());
});

test('a file that ffmpeg does not come to an end with is 503 with a code of its own, and may be sent again', async (t) => {
  let stalls = true;
  const acceptsAudio = async () => {
    if (!stalls) return { madeAt: null, seconds: null };
    throw new StageError(failure('reading-stalled'), { retriable: true });
  };
  const { service, token } = await withAda(t, { overrides: { acceptsAudio } });
  const headers = { 'Idempotency-Key': 'k' };
  const {
    status,
    headers: said,
    body,
  } = await service.upload<ProblemAnswer>(token, {}, { headers });
  assert.deepEqual([status, body.type], [503, '/problems/decoder-stalled']);
  assert.match(body.detail, /took too long\. Try again later/);
  assert.equal(said.get('retry-after'), '60');
  stalls = false;
  assert.equal((await service.upload(token, {}, { headers })).status, 202);

  // In the language of who asks.
  const wrong = { username: 'ada', password: 'not hers' };
  const number = { limit: 'many' };
  for (const [language, json, title, detail, said] of [
    [
      'de-AT,de;q=0.9,en;q=0.5',
      wrong,
      'Anmeldung fehlgeschlagen',
      /^Benutzername oder Passwort/,
      'de',
    ],
    ['en-GB,en;q=0.9,de;q=0.5', wrong, 'Login failed', /^[A-Z][a-z ]+\.$/, 'en'],
    ['fr', wrong, 'Login failed', /^[A-Z][a-z ]+\.$/, 'en'],
    [
      'de',
      number,
      'Bitte prüfen Sie Ihre Angaben',
      /username: fehlt; password: fehlt; .*unbekannt: "limit"/,
      'de',
    ],
  ] as const) {
    const answer = await service.call<ProblemAnswer>('POST', '/login', {
      json,
      headers: { 'Accept-Language': language },
    });
    assert.equal(answer.body.title, title, language);
    assert.match(answer.body.detail, detail);
    assert.equal(answer.headers.get('content-language'), said);
  }

  const inGerman = async <Body>(method: string, path: string, json?: object): Promise<Body> => {
    const answered = await service.call<Body>(method, path, {
      token,
      headers: { 'Accept-Language': 'de' },
      ...(json && { json }),
    });
    return answered.body;
  };
  const { detail } = await inGerman<{ detail: string }>('POST', '/config/test', { llm: {} });
  assert.match(detail, /^Es ist kein Sprachmodell-Server angegeben/);
  type Models = { models: { about: string | null; recommended: string | null }[] };
  const { models } = await inGerman<Models>('GET', '/models');
  assert.ok(models.some(({ about }) => about?.startsWith('Unterscheidet Stimmen')));
  assert.ok(models.some(({ recommended }) => recommended?.startsWith('Dieser Server hat ')));

  // A WebSocket says its language in its address, for `status` and warnings.
  const socket = connect(service.url, await service.addUser('ben'), { query: '&language=de' });
  await socket.until(({ type }) => type === 'status');
  socket.socket.send(JSON.stringify({ type: 'level.start', device: null }));
  const warning = await socket.until(({ type }) => type === 'warning');
  assert.equal(warning['detail'], 'Nur ein Administrator kann die Geräte des Servers testen.');
});

test('a problem and faults of fields are said in German, with codes and parameters for programs', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const headers = { 'Accept-Language': 'de' };
  const asked = async (method: string, path: string, more: { token: string; json?: object }) =>
    (await service.call<ProblemAnswer>(method, path, { headers, ...more })).body;

  // What a type says by itself has no code of its own; what says more has one.
  const taken = await asked('POST', '/users', {
    token,
    json: { username: 'ben', password: 'eins zwei drei vier' },
  });
  assert.equal(taken.type, '/problems/username-taken');
  assert.equal(
    taken.detail,
    'Der Benutzername ben ist bereits vergeben. Wählen Sie einen anderen.',
  );
  assert.deepEqual([taken.code, taken.params], [undefined, { name: 'ben' }]);
  // Both fields at once, each with what is wrong and what is allowed.
  const create = async (username: string) =>
    (await asked('POST', '/users', { token, json: { username, password: 'kurz' } })).errors!;
  const [name, word] = await create('cleo/&clark');
  assert.equal(
    name!.message,
    'Der Benutzername darf / und & nicht enthalten. Erlaubt sind Buchstaben, Ziffern und @ . + - _.',
  );
  assert.equal(
    word!.message,
    'Das Passwort ist zu kurz. Wählen Sie eines mit mindestens 8 Zeichen.',
  );
  assert.deepEqual(
    [word!.path, word!.code, word!.params],
    ['password', 'password-short', { least: 8 }],
  );
  const [spaced] = await create('Cleo Clark');
  assert.match(spaced!.message, /^Der Benutzername darf keine Leerzeichen enthalten\./);
  const [single] = await create('c');
  assert.match(single!.message, /hat 1 Zeichen\. Wählen Sie einen mit 2 bis 32 Zeichen\.$/);
  assert.equal((await create('cleo')).length, 1);

  // What is wrong with fields, of a body and of settings.
  const upload = await asked('PUT', '/config', {
    token,
    json: { limits: { upload_mb: 0 }, notes: { vault: 'notes' }, nonsense: 1 },
  });
  assert.deepEqual(upload.errors, [
    {
      path: 'limits.upload_mb',
      message: 'muss mindestens 1 sein',
      code: 'field-least',
      params: { limit: 1 },
    },
    {
      path: 'notes.vault',
      message: 'muss ein vollständiger Pfad sein, der mit / beginnt',
      code: 'not-absolute-path',
    },
    { path: 'nonsense', message: 'ist keine Einstellung', code: 'setting-unknown' },
  ]);
  const login = await asked('POST', '/login', { token, json: { username: 5, extra: 1 } });
  assert.deepEqual(
    login.errors!.map(({ path, message, code }) => [path, message, code]),
    [
      ['username', 'muss ein Text sein', 'field-type'],
      ['password', 'fehlt', 'field-missing'],
      ['(body)', 'unbekannt: "extra"', 'field-unknown'],
    ],
  );

  // The setting's name is for administrators.
  const opened = async (who: string) =>
    (await asked('POST', '/open', { token: who, json: { mode: 'notes', paths: ['x.md'] } })).detail;
  const [hers, his] = [await opened(token), await opened(ben)];
  assert.ok(!his.includes('notes.vault'), his);
  assert.ok(hers.startsWith(his.slice(0, 20)), hers);
});

test('a failure is read in the reader’s language, and a server’s address by administrators alone', async (t) => {
  const params = { server: 'http://gpu.local:9000', status: '400', said: 'no such field' };
  const { service, token: admin } = await withAda(t, {
    stages: {
      async transcribe() {
        throw new StageError(failure('speech-server-refused', params), { retriable: false });
      },
    },
  });
  const ben = await service.addUser('ben');
  type Failed = { source: string; error: { code: string; message: string; reason: object } };
  const failedFor = async (token: string, language: string) => {
    const { recording_id: id } = (await service.upload(token)).body;
    await service.reaches(id, 'error');
    const read = { token, headers: { 'Accept-Language': language } };
    const { body: one } = await service.call<Failed>('GET', `/recordings/${id}`, read);
    const { body: list } = await service.call<{ recordings: Failed[] }>('GET', '/recordings', read);
    const { body: status } = await service.call<{ errors: Failed['error'][] }>(
      'GET',
      '/status',
      read,
    );
    assert.deepEqual(list.recordings[0]?.error, one.error);
    assert.equal(status.errors[0]?.message, one.error.message);
    assert.deepEqual(status.errors[0]?.reason, one.error.reason);
    assert.equal(one.error.code, 'engine-refused');
    return [one.error.message, one.error.reason];
  };
  const code = 'speech-server-refused';
  assert.deepEqual(await failedFor(admin, 'en'), [
    'The speech recognition server rejected the request. ' +
      'http://gpu.local:9000: HTTP 400, “no such field”',
    { code, params },
  ]);
  assert.deepEqual(await failedFor(ben, 'en'), [
    'The speech recognition server rejected the request. Tell an administrator.',
    { code },
  ]);
  assert.deepEqual(await failedFor(ben, 'de'), [
    'Der Spracherkennungsserver hat die Anfrage abgelehnt. Informieren Sie einen Administrator.',
    { code },
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import { type ProblemAnswer, type TestService, connect, withAda } from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';

type Sidenote = {
  note: number;
  at: number;
  text: string;
  by: string;
  own: boolean;
  edited_at: string | null;
};

const notesOf = async (service: TestService, token: string, id: string): Promise<Sidenote[]> =>
  (await service.call<{ sidenotes: Sidenote[] }>('GET', `/recordings/${id}`, { token })).body
    .sidenotes;

const textsOf = (notes: readonly Sidenote[]) => notes.map(({ at, text }) => [at, text]);

const write = (service: TestService, token: string, id: string, json: object, key?: string) =>
  service.call<Sidenote>('POST', `/recordings/${id}/sidenotes`, {
    token,
    json,
    ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
  });

test('a side note is written while it is recorded, edited and removed; it stays through processing', async (t) => {
  const { service, token } = await withAda(t);
  const id = await runningRecording(service, token);
  const client = connect(service.url, token);
  await client.until(({ type }) => type === 'position');
  const later = await write(service, token, id, {
    at: 7.5,
    text: ' Ask Änne\r\nabout Köln \u0007',
  });
  assert.equal(later.status, 201);
  assert.deepEqual(
    [later.body.note, later.body.text, later.body.own, later.body.edited_at],
    [1, 'Ask Änne\nabout Köln', true, null],
  );
  await write(service, token, id, { at: 2, mark: true });
  await write(service, token, id, { at: 5, text: 'gone soon' });
  const frame = await client.until(({ type, note }) => type === 'sidenote' && note === 3);
  assert.deepEqual(
    [frame['change'], frame['at'], frame['text'], frame['mark']],
    ['written', 5, 'gone soon', false],
  );
  const edited = await service.call<Sidenote>('PATCH', `/recordings/${id}/sidenotes/1`, {
    token,
    json: { text: 'Ask Änne about Bonn' },
  });
  assert.equal(edited.body.text, 'Ask Änne about Bonn');
  assert.ok(edited.body.edited_at);
  for (let times = 0; times < 2; times += 1) {
    const gone = await service.call('DELETE', `/recordings/${id}/sidenotes/3`, { token });
    assert.equal(gone.status, 204);
  }
  const expected = [
    [2, ''],
    [7.5, 'Ask Änne about Bonn'],
  ];
  assert.deepEqual(textsOf(await notesOf(service, token, id)), expected);
  // The number of one that was removed is not given again.
  assert.equal((await write(service, token, id, { at: 9, text: 'last' })).body.note, 4);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('side notes stay in every state, in exports and versions, and through processing again', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  const { recording_id: id } = (await service.upload(token)).body;
  await write(service, token, id, { at: 1, text: 'while it is transcribed' });
  service.engines.releaseAll();
  await service.reaches(id, 'idle.saved');
  await write(service, token, id, { at: 0.5, text: 'afterwards', block: 't-0001' });
  const expected = [
    [0.5, 'afterwards'],
    [1, 'while it is transcribed'],
  ];
  assert.deepEqual(textsOf(await notesOf(service, token, id)), expected);
  for (const from of ['language-model', 'speech-to-text']) {
    await service.call('POST', `/recordings/${id}/reprocess`, { token, json: { from } });
    await service.reaches(id, 'idle.saved');
    assert.deepEqual(textsOf(await notesOf(service, token, id)), expected, from);
  }
  // A restored version does not take back what a person wrote.
  await service.call('POST', `/recordings/${id}/versions/1/restore`, { token, json: {} });
  assert.deepEqual(textsOf(await notesOf(service, token, id)), expected);
  const version = await service.call<{ sidenotes: Sidenote[] }>(
    'GET',
    `/recordings/${id}/versions/1`,
    { token },
  );
  assert.deepEqual(textsOf(version.body.sidenotes), [[1, 'while it is transcribed']]);
  const { documents } = (
    await service.call<{ documents: Record<string, string> }>('GET', `/recordings/${id}`, { token })
  ).body;
  for (const path of [documents['summary']!, documents['transcript']!]) {
    const document = `/transcripts/${encodeURIComponent(path)}`;
    const { body } = await service.call<string>('GET', document, { token });
    for (const [, text] of expected) assert.match(body, new RegExp(String(text), 'u'));
  }
  // A file, which the check of answers takes for bytes.
  const exported = await fetch(`${service.url}/recordings/${id}/export?format=json`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { sidenotes } = (await exported.json()) as { sidenotes: Sidenote[] };
  assert.deepEqual(textsOf(sidenotes), expected);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a side note sent twice with its key is written once, also at the same time', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  const note = { at: 3, text: 'once' };
  const answers = await Promise.all(
    [1, 2, 3].map(() => write(service, token, id, note, 'the-command')),
  );
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.note]),
    [
      [201, 1],
      [201, 1],
      [201, 1],
    ],
  );
  const others = await write(service, token, id, { at: 3, text: 'twice' }, 'the-command');
  assert.equal(others.status, 409);
  assert.deepEqual(textsOf(await notesOf(service, token, id)), [[3, 'once']]);
});

test('what is no side note is refused, and nobody writes beside what is not theirs', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  for (const [json, path] of [
    [{ at: 1 }, 'text'],
    [{ at: 1, text: ' \n ' }, 'text'],
    [{ at: -1, text: 'a' }, 'at'],
    [{ at: 1, text: 'a'.repeat(4001) }, 'text'],
    [{ at: 1, text: 'a', block: 'not a block' }, 'block'],
  ] as const) {
    const refused = await service.call<ProblemAnswer>('POST', `/recordings/${id}/sidenotes`, {
      token,
      json,
    });
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, path]);
  }
  await write(service, token, id, { at: 1, text: 'mine' });
  const ben = await service.addUser('ben');
  for (const [method, below, json] of [
    ['POST', '', { at: 1, text: 'a' }],
    ['PATCH', '/1', { text: 'a' }],
    ['DELETE', '/1', undefined],
  ] as const) {
    const path = `/recordings/${id}/sidenotes${below}`;
    assert.equal((await service.call(method, path, { token: ben, json })).status, 404, method);
  }
  for (const n of ['2', '0', 'x']) {
    const path = `/recordings/${id}/sidenotes/${n}`;
    assert.equal((await service.call('DELETE', path, { token })).status, 404);
    const edited = await service.call('PATCH', path, { token, json: { text: 'a' } });
    assert.equal(edited.status, 404);
  }
  assert.deepEqual(textsOf(await notesOf(service, token, id)), [[1, 'mine']]);
});

test('side notes go with a recording that is handed over, under their writer, and end with its key', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const id = await service.settled(token);
  await write(service, token, id, { at: 1, text: 'zebrafinch' });
  const [before] = await notesOf(service, token, id);
  assert.equal(before!.own, true);
  await service.call('PATCH', `/recordings/${id}`, { token, json: { owner: 'ben' } });
  const [after] = await notesOf(service, ben, id);
  assert.deepEqual([after!.by, after!.own, after!.text], [before!.by, false, 'zebrafinch']);
  assert.equal((await service.call('DELETE', `/recordings/${id}`, { token: ben })).status, 204);
  const refused = await write(service, ben, id, { at: 1, text: 'too late' });
  assert.equal(refused.status, 404);
  for await (const fact of service.store.readAll()) {
    assert.doesNotMatch(JSON.stringify(fact), /zebrafinch/u);
  }
});

test('a side note is found by its words, leads to its time, and is found no more when it is removed', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  await write(service, token, id, { at: 12.5, text: 'Ask the zebrafinch' });
  const found = () =>
    service.call<{
      hits: { start: number; snippet: string }[];
      notes: { passages: { start: number; block: null; text: string }[] }[];
    }>('GET', '/search?q=Zebrafinch&group=note', { token });
  const [note] = (await found()).body.notes;
  assert.deepEqual(
    note?.passages.map(({ start, block, text }) => [start, block, text]),
    [[12.5, null, 'Ask the zebrafinch']],
  );
  const hit = await service.call<{ hits: { start: number }[] }>('GET', '/search?q=zebrafinch', {
    token,
  });
  assert.equal(hit.body.hits[0]?.start, 12.5);
  await service.call('DELETE', `/recordings/${id}/sidenotes/1`, { token });
  assert.deepEqual((await found()).body.notes, []);
});

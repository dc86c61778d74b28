import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecording } from '../../projections/recording/recording.ts';
import { openWords } from '../../src/recordings/words-held.ts';
import {
  type ProblemAnswer,
  type TestService,
  startService,
  withAda,
} from '../support/http-client.ts';

type Word = {
  id: string;
  write: string;
  heard: string[];
  folder: string | null;
  saved_at: string;
};
type Words = { words: Word[]; max: number };

const listed = async (service: TestService, token: string, of = 'mine') =>
  (await service.call<Words>('GET', `/words?of=${of}`, { token })).body;
const written = ({ words }: Words) => words.map(({ write, heard }) => [write, heard]);

test('a word is made, changed and deleted, that saved last first; others do not see it', async (t) => {
  const { service, token } = await withAda(t);
  const post = async (json: object, key: string) =>
    await service.call<Word & ProblemAnswer>('POST', '/words', {
      token,
      json,
      headers: { 'Idempotency-Key': key },
    });
  const first = { write: ' Mit\tschrift ', heard: ['mit Schrift', 'MIT schrift'] };
  const made = await post(first, 'a');
  assert.equal(made.status, 201);
  const { id, saved_at: _at, ...word } = made.body;
  assert.deepEqual(word, { write: 'Mit schrift', heard: ['mit Schrift'], folder: null });
  const again = await post(first, 'a');
  assert.deepEqual(again.body, made.body);
  const taken = await post({ write: 'mit SCHRIFT' }, 'b');
  assert.deepEqual([taken.status, taken.body.type], [409, '/problems/name-taken']);
  assert.equal((await post({ write: 'Kubernetes' }, 'c')).status, 201);
  const put = async (json: object, as = token) =>
    await service.call<Word>('PUT', `/words/${id}`, { token: as, json });
  const changed = await put({ write: 'Mitschrift', heard: ['Mitschrift', 'mit Schrift'] });
  assert.deepEqual([changed.body.write, changed.body.heard], ['Mitschrift', ['mit Schrift']]);
  const ben = await service.addUser('ben');
  assert.deepEqual(await listed(service, ben), { words: [], max: 500 });
  assert.equal((await put({ write: 'Mine' }, ben)).status, 404);
  const all = [
    ['Mitschrift', ['mit Schrift']],
    ['Kubernetes', []],
  ];
  assert.deepEqual(written(await listed(service, token)), all);
  assert.equal((await service.call('DELETE', `/words/${id}`, { token })).status, 204);
  assert.equal((await service.call('DELETE', `/words/${id}`, { token })).status, 404);
  assert.deepEqual(written(await listed(service, token)), all.slice(1));
});

test('words of the house are read by everybody and changed by administrators', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const post = async (as: string, json: object) =>
    await service.call<Word & ProblemAnswer>('POST', '/words?of=house', { token: as, json });
  const made = await post(token, { write: 'Mitschrift' });
  assert.equal(made.status, 201);
  const of = `/words/${made.body.id}?of=house`;
  for (const [method, path, json] of [
    ['POST', '/words?of=house', { write: 'Other' }],
    ['POST', '/words/import?of=house', { text: 'Other' }],
    ['PUT', of, { write: 'Other' }],
    ['DELETE', of, undefined],
  ] as const) {
    const { status, body } = await service.call<ProblemAnswer>(method, path, {
      token: ben,
      ...(json && { json }),
    });
    assert.deepEqual([status, body.type], [403, '/problems/not-admin'], `${method} ${path}`);
  }
  const house = await listed(service, ben, 'house');
  assert.deepEqual([written(house), house.max], [[['Mitschrift', []]], 1000]);
  assert.deepEqual((await listed(service, token)).words, []);
  const folder = await service.call<{ id: string }>('POST', '/folders', {
    token,
    json: { name: 'Choir' },
  });
  const filed = { write: 'Schütz', folder: folder.body.id };
  assert.equal((await post(token, filed)).status, 422);
});

test('the same word may be for all and for a folder; a folder takes its words with it', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const { id: folder } = (
    await service.call<{ id: string }>('POST', '/folders', { token, json: { name: 'Choir' } })
  ).body;
  const post = async (json: object, as = token) =>
    (await service.call<Word>('POST', '/words', { token: as, json })).status;
  assert.equal(await post({ write: 'Schütz', folder }), 201);
  assert.equal(await post({ write: 'Schütz' }), 201);
  assert.equal(await post({ write: 'Schütz', folder }), 409);
  assert.equal(await post({ write: 'Bach', folder }, ben), 422);
  assert.equal((await service.call('DELETE', `/folders/${folder}`, { token })).status, 204);
  const { words } = await listed(service, token);
  assert.deepEqual(
    words.map((word) => [word.write, word.folder]),
    [['Schütz', null]],
  );
});

test('what no word can be is refused by the name of its field, and so are more than there may be', async (t) => {
  const { service, token } = await withAda(t);
  const cases: [object, string][] = [
    [{ write: '  ' }, 'write'],
    [{ write: 'a'.repeat(65) }, 'write'],
    [{ write: 'Ada', heard: [''] }, 'heard.0'],
    [{ write: 'Ada', heard: Array.from({ length: 11 }, (_, n) => `a${n}`) }, 'heard'],
    [{ write: 'Ada', folder: 'nowhere' }, 'folder'],
  ];
  for (const [json, path] of cases) {
    const { status, body } = await service.call<ProblemAnswer>('POST', '/words', { token, json });
    assert.equal(status, 422, path);
    assert.ok(JSON.stringify(body).includes(`"${path}"`), path);
  }
  const text = Array.from({ length: 499 }, (_, n) => `Word ${n}`).join('\n');
  const full = await service.call('POST', '/words/import', { token, json: { text } });
  assert.deepEqual(full.body, { saved: 499, unchanged: 0, refused: [] });
  const more = async (path: string, json: object) =>
    (await service.call<ProblemAnswer>('POST', path, { token, json })).body.type;
  assert.equal(await more('/words/import', { text: 'One\nTwo' }), '/problems/too-many-names');
  await more('/words', { write: 'One' });
  assert.equal(await more('/words', { write: 'Two' }), '/problems/too-many-names');
  assert.equal((await listed(service, token)).words.length, 500);
});

test('a list is read line by line; what is there gets what it was not misheard as before', async (t) => {
  const { service, token } = await withAda(t);
  const text = [
    '# names',
    '',
    'Mitschrift = mit Schrift, Mit  Schrift ,mit schriften',
    'Kubernetes',
    '= nothing',
    `${'a'.repeat(65)} = b`,
    'kubernetes = Kuba Netze',
    `Ten = ${Array.from({ length: 11 }, (_, n) => n).join()}`,
  ].join('\r\n');
  const read = async (list: string, key: string) =>
    (
      await service.call('POST', '/words/import', {
        token,
        json: { text: list },
        headers: { 'Idempotency-Key': key },
      })
    ).body;
  const first = {
    saved: 2,
    unchanged: 0,
    refused: [
      { line: 5, text: '= nothing', reason: 'empty-term' },
      { line: 6, text: `${'a'.repeat(65)} = b`, reason: 'too-long' },
      { line: 8, text: 'Ten = 0,1,2,3,4,5,6,7,8,9,10', reason: 'too-many-heard' },
    ],
  };
  assert.deepEqual(await read(text, 'one'), first);
  assert.deepEqual(await read(text, 'one'), first);
  assert.deepEqual(await read('MITSCHRIFT = mit Schiff\nKubernetes', 'two'), {
    saved: 1,
    unchanged: 1,
    refused: [],
  });
  assert.deepEqual(written(await listed(service, token)), [
    ['Mitschrift', ['mit Schrift', 'mit schriften', 'mit Schiff']],
    ['Kubernetes', ['Kuba Netze']],
  ]);
});

test('in a recording that was handed over no word of the former owner counts, nor of their folder', async (t) => {
  const service = await startService(t);
  // An administrator hands over what is theirs.
  const ada = await service.setUp();
  const cleo = await service.addUser('cleo');
  const folderOf = async (token: string) =>
    (await service.call<{ id: string }>('POST', '/folders', { token, json: { name: 'Choir' } }))
      .body.id;
  const [hers, his] = [await folderOf(cleo), await folderOf(ada)];
  const post = async (token: string, json: object) =>
    assert.equal((await service.call('POST', '/words', { token, json })).status, 201);
  await post(ada, { write: 'Schütz', folder: his });
  await post(ada, { write: 'Bach' });
  await post(cleo, { write: 'Monteverdi' });
  await post(cleo, { write: 'Gesualdo', folder: hers });
  const id = await service.settled(ada);
  await service.call('PATCH', `/recordings/${id}`, { token: ada, json: { folder: his } });
  await service.reaches(id, 'idle.saved');
  const counting = async () => {
    const recording = await readRecording(service.store, id);
    // As a stage asks that began before.
    const owner = service.accounts.findUser('ada')!.userId;
    const words = await openWords(service.services.order)(recording, owner);
    return words.map(({ write }) => write);
  };
  assert.deepEqual(await counting(), ['Schütz', 'Bach']);
  const handed = await service.call('PATCH', `/recordings/${id}`, {
    token: ada,
    json: { owner: 'cleo' },
  });
  assert.equal(handed.status, 200);
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await counting(), ['Monteverdi']);
});

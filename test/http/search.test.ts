import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, withAda } from '../support/http-client.ts';

type Found = {
  hits: { recording_id: string; filename: string; title: string; snippet: string; start: number }[];
  complete: boolean;
  fraction: number;
};

test('GET /search finds what was said, for its owner only, until it is erased', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const find = async (q: string, as = token) =>
    (await service.call<Found>('GET', `/search?q=${encodeURIComponent(q)}`, { token: as })).body;
  assert.deepEqual(await find('secret'), {
    hits: [],
    complete: true,
    fraction: 1,
    meaning: null,
  });

  const id = await service.settled(token);
  const { hits } = await find('SECRÉT plan');
  assert.equal(hits.length, 1);
  const { recording_id, filename, title, snippet, start } = hits[0]!;
  assert.deepEqual(
    [recording_id, title, snippet, start],
    [id, 'A plan', 'This is the secret plan.', 1],
  );
  const document = await service.call('GET', `/transcripts/${encodeURIComponent(filename)}`, {
    token,
  });
  assert.equal(document.status, 200);
  assert.deepEqual((await find('secret', ben)).hits, []);

  const corrected = await service.call('PATCH', `/recordings/${id}/utterances/1`, {
    token,
    json: { text: 'This is the marmalade recipe.' },
  });
  assert.equal(corrected.status, 200);
  assert.equal((await find('marmelade recipe')).hits[0]?.start, 1);

  assert.equal((await service.call('DELETE', `/recordings/${id}`, { token })).status, 204);
  for (const word of ['marmalade', 'secret', 'hello']) {
    assert.deepEqual((await find(word)).hits, [], word);
  }
});

test('words that differ in a vowel or a voicing mark alone are two, and no known word overwrites one', async (t) => {
  const { service, token } = await withAda(t);
  const ask = async <T>(method: string, path: string, json?: object) =>
    (await service.call<T>(method, path, { token, ...(json && { json }) })).body;
  const id = await service.settled(token);
  const text = 'हमें बहुत काम करना है। মোট কাল। หมู ภาษา。ガスがある。パンを買う。जरूर मां';
  await ask('PATCH', `/recordings/${id}/utterances/1`, { text });
  const count = async (q: string) =>
    (await ask<Found>('GET', `/search?q=${encodeURIComponent(q)}`)).hits.length;
  for (const q of ['काम', 'কাল', 'หมู', 'ガス', 'パン', 'ज़रूर', 'माँ'])
    assert.equal(await count(q), 1, q);
  for (const q of ['कम', 'কল', 'หม', 'カス', 'ハン']) assert.equal(await count(`${q} है`), 0, q);
  const word = { write: 'कमल', heard: ['कम'] };
  const { id: wordId } = await ask<{ id: string }>('POST', '/words', word);
  const found = await ask<{ recordings: object[] }>('GET', `/words/${wordId}/find`);
  assert.deepEqual(found.recordings, []);
});

test('a Burmese word is found within a phrase', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  const json = { text: 'ကျွန်တော်တို့အစည်းအဝေး' };
  await service.call('PATCH', `/recordings/${id}/utterances/1`, { token, json });
  const path = `/search?q=${encodeURIComponent('အစည်းအဝေး')}`;
  assert.equal((await service.call<Found>('GET', path, { token })).body.hits.length, 1);
});

test('questions that are none are told so; words that mean something to nobody find nothing', async (t) => {
  const { service, token } = await withAda(t);
  for (const query of [
    '',
    '?q=',
    `?q=${'x'.repeat(401)}`,
    '?q=a&limit=0',
    '?q=a&limit=101',
    '?q=a&p=1',
  ]) {
    const { status } = await service.call('GET', `/search${query}`, { token });
    assert.equal(status, 422, query);
  }
  const { body } = await service.call<ProblemAnswer>('GET', '/search', { token });
  assert.deepEqual(body.errors, [
    {
      path: 'q',
      message: 'must contain what to search for, such as /search?q=budget',
      code: 'search-empty',
    },
  ]);
  for (const q of ['"', '*:*', '(((', '%00', '..%2f', '\\', '+-&&||!', '💣']) {
    const path = `/search?q=${q.startsWith('%') || q.includes('%') ? q : encodeURIComponent(q)}`;
    const { status } = await service.call<Found>('GET', path, { token });
    assert.equal(status, 200, q);
  }
  assert.equal((await service.call<ProblemAnswer>('GET', '/search?q=a')).status, 401);
});

type Passage = { start: number; speaker: string | null; text: string; marks: [number, number][] };
type Notes = {
  notes: { recording_id: string; title: string; passages: Passage[]; more: number }[];
  passages: number;
  notes_found: number;
  next_cursor: string | null;
  complete: boolean;
};

test('GET /search?group=note answers passages, narrowed and a page after the other', async (t) => {
  const { service, token } = await withAda(t);
  const ids: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    ids.push(await service.settled(token));
  }
  const ask = async (query: string) =>
    await service.call<Notes>('GET', `/search?group=note&q=secret${query}`, { token });
  const { body: all } = await ask('');
  assert.deepEqual([all.notes_found, all.passages, all.next_cursor], [3, 3, null]);
  const { text, marks, start } = all.notes[0]!.passages[0]!;
  assert.deepEqual([text, start], ['This is the secret plan.', 1]);
  assert.deepEqual(
    marks.map(([from, to]) => text.slice(from, to)),
    ['secret'],
  );

  const read: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: { body: Notes } = await ask(
      `&limit=2&order=newest${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    read.push(...body.notes.map(({ recording_id }) => recording_id));
    cursor = body.next_cursor;
  }
  assert.deepEqual(read, ids.toReversed());

  const count = async (query: string) => (await ask(query)).body.notes_found;
  assert.equal(await count('&kind=solo'), 3);
  assert.equal(await count('&kind=meeting'), 0);
  assert.equal(await count('&to=2020-01-01T00:00:00Z'), 0);
  assert.equal(await count('&from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z'), 3);
  assert.equal(await count('&speaker=Nobody'), 0);
  assert.equal(await count(`&recording_id=${ids[0]}&passages=100`), 1);
  const flat = await service.call<Found>('GET', '/search?q=secret&kind=meeting', { token });
  assert.deepEqual(flat.body.hits, []);
  assert.equal((await ask('&cursor=nonsense')).status, 422);
  const alone = await service.call('GET', `/search?q=secret&cursor=${read[0]}`, { token });
  assert.equal(alone.status, 422);

  const first = (await ask('&limit=2&order=newest')).body;
  assert.equal(first.notes.at(-1)!.recording_id, ids[1]);
  assert.equal((await service.call('DELETE', `/recordings/${ids[1]}`, { token })).status, 204);
  const second = (await ask(`&limit=2&order=newest&cursor=${first.next_cursor}`)).body;
  assert.deepEqual(
    second.notes.map(({ recording_id }) => recording_id),
    [ids[0]],
    'the page behind a note that is gone leaves none out',
  );
  assert.equal(await count(''), 2);
});

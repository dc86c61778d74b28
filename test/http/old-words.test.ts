import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ProblemAnswer, withAda } from '../support/http-client.ts';

type Suggestion = {
  write: string;
  heard: string;
  word: string | null;
  recordings: number;
  examples: { recording_id: string; title: string | null; block: string | null }[];
};
type Found = {
  recordings: {
    recording_id: string;
    edits: { block: string; revision: string; text: string; before: string; count: number }[];
    more: number;
  }[];
  next_cursor: string | null;
  complete: boolean;
};
type Said = { utterances: { block: string; revision: string; text: string }[] };

/** A service in which ada has recordings, each of which says the same. */
async function withTalks(t: TestContext, count: number) {
  const { service, token } = await withAda(t);
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    ids.push(await service.settled(token, { title: `Talk ${at}` }));
  }
  const read = async (id: string) =>
    (await service.call<Said>('GET', `/recordings/${id}`, { token })).body.utterances;
  const correct = async (id: string, from: string, to: string) => {
    const { block, revision, text } = (await read(id)).find((one) => one.text.includes(from))!;
    const edits = [{ block, revision, text: text.replace(from, to) }];
    const path = `/recordings/${id}/utterances`;
    const { status } = await service.call('PATCH', path, { token, json: { edits } });
    assert.equal(status, 200);
  };
  const suggested = async (as = token) =>
    (await service.call<{ suggestions: Suggestion[] }>('GET', '/words/suggestions', { token: as }))
      .body.suggestions;
  const pairs = async () =>
    (await suggested()).map(({ heard, write, recordings }) => [heard, write, recordings]);
  const find = async (id: string, query = '', as = token) =>
    await service.call<Found & ProblemAnswer>('GET', `/words/${id}/find${query}`, { token: as });
  const word = async (json: object) =>
    (await service.call<{ id: string }>('POST', '/words', { token, json })).body.id;
  return { service, token, ids, read, correct, suggested, pairs, find, word };
}

test('what was corrected the same way in two recordings is suggested, until a word says it or one is erased', async (t) => {
  const { service, token, ids, correct, suggested, pairs, word } = await withTalks(t, 3);
  const [first, second, third] = ids as [string, string, string];
  await correct(first, 'plan', 'Plahn');
  await correct(first, 'Plahn', 'Plaan');
  await correct(first, 'Plaan', 'plan');
  assert.deepEqual(await pairs(), []);
  await correct(first, 'Hello', 'Hallo Büro');
  await correct(second, 'Hello', 'Hallo Büro');
  await correct(second, 'plan', 'Plahn');
  await correct(third, 'plan', 'Plahn');
  assert.deepEqual(await pairs(), [
    ['plan', 'Plahn', 2],
    ['Hello', 'Hallo Büro', 2],
  ]);
  const [one] = await suggested();
  assert.deepEqual(
    one?.examples.map(({ recording_id: id, title }) => [id, title]),
    [
      [third, 'A plan'],
      [second, 'A plan'],
    ],
  );
  assert.deepEqual(await suggested(await service.addUser('ben')), []);
  // Taken back, it counts no more.
  await correct(second, 'Hallo Büro', 'Hello');
  assert.deepEqual(await pairs(), [['plan', 'Plahn', 2]]);
  const id = await word({ write: 'plahn' });
  assert.equal((await suggested())[0]?.word, id);
  const path = `/words/${id}`;
  await service.call('PUT', path, { token, json: { write: 'Plahn', heard: ['plan'] } });
  assert.deepEqual(await pairs(), []);
  await service.call('DELETE', path, { token });
  assert.deepEqual(await pairs(), [['plan', 'Plahn', 2]]);
  await service.call('DELETE', `/recordings/${third}`, { token });
  assert.deepEqual(await pairs(), []);
});

test('a word is found where it stands misheard, a page after the other, and the edits correct it', async (t) => {
  const { service, token, ids, read, find, word } = await withTalks(t, 3);
  const id = await word({ write: 'Plahn', heard: ['plan', 'nowhere said'] });
  const ben = await service.addUser('ben');
  assert.equal((await find(id, '', ben)).status, 404);
  assert.equal((await find(id, '?cursor=x')).status, 422);
  const whole = (await find(id)).body;
  assert.deepEqual(
    whole.recordings.map(({ recording_id: one }) => one),
    ids.toReversed(),
  );
  assert.deepEqual([whole.next_cursor, whole.complete], [null, true]);
  const paged: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '?limit=1' : `?limit=1&cursor=${cursor}`;
    const { body } = await find(id, query);
    paged.push(...body.recordings.map(({ recording_id: one }) => one));
    cursor = body.next_cursor;
  }
  assert.deepEqual(paged, ids.toReversed());
  const [newest] = whole.recordings;
  const edits = newest!.edits.map(({ block, revision, text }) => ({ block, revision, text }));
  const path = `/recordings/${newest!.recording_id}/utterances`;
  assert.equal((await service.call('PATCH', path, { token, json: { edits } })).status, 200);
  const said = (await read(newest!.recording_id)).map(({ text }) => text).join(' ');
  assert.match(said, /Plahn/u);
  assert.doesNotMatch(said, /plan/u);
  assert.equal((await find(id)).body.recordings.length, 2);
  const house = await service.call<{ id: string }>('POST', '/words?of=house', {
    token,
    json: { write: 'Plahn', heard: ['plan'] },
  });
  assert.deepEqual((await find(house.body.id, '?of=house', ben)).body.recordings, []);
  assert.equal((await find(house.body.id, '?of=house')).body.recordings.length, 2);
});

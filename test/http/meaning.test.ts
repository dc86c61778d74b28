import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-servers.ts';
import { eventually } from '../support/eventually.ts';
import { type ProblemAnswer, type TestService, withAda } from '../support/http-client.ts';

type Part = { complete: boolean; fraction: number };
type Hit = { recording_id: string; why: string; snippet: string; start: number };
type Found = Part & { hits: Hit[]; meaning: Part | null };
type Notes = {
  notes: { recording_id: string; why: string; passages: { text: string; marks: unknown[] }[] }[];
  notes_found: number;
};

async function meaningful(t: TestContext) {
  const server = await startEmbeddingServer();
  t.after(server.close);
  const { service, token } = await withAda(t, {
    env: { MITSCHRIFT_EMBEDDINGS_BASE_URL: server.url },
    trial: { passageMaking: { pauseMs: 50, lookEveryMs: 100 } },
  });
  const find = async (q: string, as = token, more = '') =>
    (await service.call<Found>('GET', `/search?q=${encodeURIComponent(q)}${more}`, { token: as }))
      .body;
  return { server, service, token, find };
}

/** Resolves when all that a user may find is found by its meaning too. */
const known = async (find: (q: string) => Promise<Found>) =>
  await eventually(
    'known by meaning',
    async () => (await find('anything')).meaning?.complete === true,
  );

test('notes are found by what they mean, without a word of the question, and say so', async (t) => {
  const { service, token, find, server } = await meaningful(t);
  const id = await service.settled(token);
  await known(find);
  const words = await find('confidential intention', token, '&mode=words');
  assert.deepEqual([words.hits, words.meaning], [[], null]);
  const { hits } = await find('confidential intention');
  assert.equal(hits.length, 1);
  assert.deepEqual([hits[0]!.recording_id, hits[0]!.why, hits[0]!.start], [id, 'meaning', 0]);
  assert.match(hits[0]!.snippet, /^Hello there\. This is the secret plan\.$/u);
  assert.deepEqual(
    (await find('secret plan')).hits.map(({ why }) => why),
    ['both'],
  );
  assert.deepEqual((await find('marmalade on toast')).hits, [], 'what is not about it is not near');
  const grouped = await service.call<Notes>(
    'GET',
    '/search?group=note&q=confidential%20intention',
    { token },
  );
  assert.deepEqual(
    grouped.body.notes.map(({ why, passages }) => [why, passages.map(({ marks }) => marks)]),
    [['meaning', [[]]]],
  );
  assert.equal(grouped.body.notes_found, 1);
  const narrowed = await find('confidential intention', token, '&kind=meeting');
  assert.deepEqual(narrowed.hits, []);
  // What is not changed is not sent again.
  const sent = server.asked.length;
  await service.call('PATCH', `/recordings/${id}`, { token, json: { kind: 'solo' } });
  await known(find);
  assert.equal(
    server.asked.flatMap(({ input }) => input).filter((one) => one.includes('Hello there')).length,
    1,
  );
  assert.ok(server.asked.length >= sent);
});

test('what is corrected is found as it is now; what is erased not at all, within a second', async (t) => {
  const { service, token, find } = await meaningful(t);
  const id = await service.settled(token);
  await known(find);
  await service.call('PATCH', `/recordings/${id}/utterances/1`, {
    token,
    json: { text: 'The automobile is at the surgeon.' },
  });
  await eventually('found as it is now', async () =>
    (await find('vehicle doctor')).hits.some(({ why }) => why === 'meaning'),
  );
  assert.deepEqual((await find('confidential intention')).hits, []);
  assert.equal((await service.call('DELETE', `/recordings/${id}`, { token })).status, 204);
  const began = performance.now();
  assert.deepEqual((await find('vehicle doctor')).hits, []);
  assert.ok(performance.now() - began < 1000);
});

test('what others share is found by its meaning until that is taken back', async (t) => {
  const { service, token, find } = await meaningful(t);
  const id = await service.settled(token);
  const ben = await service.addUser('ben');
  assert.deepEqual((await find('confidential intention', ben)).hits, []);
  const grant = await service.call('PUT', `/recordings/${id}/access`, {
    token,
    json: { user: 'ben' },
  });
  assert.ok(grant.status < 300, JSON.stringify(grant.body));
  await eventually('found by ben', async () =>
    (await find('confidential intention', ben)).hits.some(({ why }) => why === 'meaning'),
  );
  type Access = { grants: { to: string }[] };
  const { body } = await service.call<Access>('GET', `/recordings/${id}/access`, { token });
  const back = await service.call('DELETE', `/recordings/${id}/access/${body.grants[0]!.to}`, {
    token,
  });
  assert.ok(back.status < 300, JSON.stringify(back.body));
  assert.deepEqual((await find('confidential intention', ben)).hits, []);
});

test('while the server is away words answer, and it is waited for', async (t) => {
  const { service, server, token, find } = await meaningful(t);
  server.faults.status = { status: 503, body: 'loading' };
  await service.settled(token);
  await eventually('found by its words', async () => {
    const { hits, meaning } = await find('secret plan');
    assert.equal(meaning, null);
    return hits.map(({ why }) => why).join() === 'words';
  });
  const alone = await service.call<ProblemAnswer>('GET', '/search?q=plan&mode=meaning', { token });
  assert.equal(alone.status, 503);
  await waiting(service, token, 1);
  delete server.faults.status;
  await waiting(service, token, 0);
  await eventually(
    'asked again',
    async () => (await find('confidential intention', token, '&mode=meaning')).hits?.length === 1,
  );
});

for (const [fault, what] of [
  ['refuses', 'that the server refuses'],
  ['fells', 'at which the server ends'],
] as const) {
  test(`a recording ${what} harms only itself`, async (t) => {
    const { service, server, token, find } = await meaningful(t);
    server.faults[fault] = 'secret';
    await service.settled(token);
    const other = await service.settled(token);
    await service.call('PATCH', `/recordings/${other}/utterances/1`, {
      token,
      json: { text: 'The automobile is at the surgeon.' },
    });
    await eventually('found', async () =>
      (await find('vehicle doctor')).hits.some(({ why }) => why !== 'words'),
    );
    await eventually('given up', async () => {
      type Checks = { checks: { id: string; status: string; detail: string }[] };
      const { body } = await service.call<Checks>('GET', '/doctor', { token });
      const found = body.checks.find(({ id }) => id === 'meaning');
      return found?.status === 'limited' && found.detail.includes('1 note can’t be found');
    });
  });
}

test('with another model all is made again; without a server nothing is found by meaning', async (t) => {
  const server = await startEmbeddingServer({ models: ['first-embed', 'second-embed'] });
  t.after(server.close);
  const { service, token } = await withAda(t, {
    trial: { passageMaking: { pauseMs: 50, lookEveryMs: 100 } },
  });
  await service.settled(token);
  const none = await service.call<ProblemAnswer>('GET', '/search?q=plan&mode=meaning', { token });
  assert.deepEqual([none.status, none.body.type], [409, '/problems/no-embeddings']);
  const find = async (q: string) =>
    (await service.call<Found>('GET', `/search?q=${encodeURIComponent(q)}`, { token })).body;
  assert.equal((await find('plan')).meaning, null);
  const set = async (embeddings: object) =>
    await service.call('PUT', '/config', { token, json: { embeddings } });
  await set({ base_url: server.url });
  await known(find);
  assert.equal((await find('confidential intention')).hits.length, 1);
  assert.deepEqual(modelsOf(server), ['first-embed']);
  server.dimensions = 64;
  await set({ model: 'second-embed' });
  await eventually('made again', async () => modelsOf(server).length === 2);
  await known(find);
  assert.equal((await find('confidential intention')).hits.length, 1);
  await set({ base_url: null });
  assert.deepEqual((await find('confidential intention')).hits, []);
});

async function withListedModel(t: TestContext) {
  const models = ['first-embed'];
  const server = await startEmbeddingServer({ models, faults: { isStrict: true } });
  t.after(server.close);
  const { service, token } = await withAda(t, {
    env: { MITSCHRIFT_EMBEDDINGS_BASE_URL: server.url },
    trial: { passageMaking: { pauseMs: 50, lookEveryMs: 100 } },
  });
  return { models, server, service, token };
}

test('a server that was started with another model is asked for that one, though nobody searches', async (t) => {
  const { models, server, service, token } = await withListedModel(t);
  await service.settled(token);
  await eventually('made', async () => modelsOf(server).length === 1);
  models[0] = 'second-embed';
  await service.settled(token);
  await eventually('made with the other', async () => modelsOf(server).includes('second-embed'));
  await waiting(service, token, 0);
});

test('what is being made when the server has another model is made with that one, once', async (t) => {
  const { models, server, service, token } = await withListedModel(t);
  let go = () => {};
  server.faults.until = new Promise((resolve) => (go = resolve));
  await service.settled(token);
  await eventually('asked for its passages', async () => server.keys.length === 2);
  await service.settled(token);
  models[0] = 'second-embed';
  delete server.faults.until;
  const search = async () =>
    (await service.call<Found>('GET', '/search?q=intention&mode=meaning', { token })).status;
  assert.notEqual(await search(), 200, 'the model it knew is gone');
  assert.equal(await search(), 200);
  go();
  await waiting(service, token, 0);
  const made = server.asked.filter(({ input }) => input.some((one) => one.includes('secret')));
  assert.deepEqual(
    made.map(({ model }) => model),
    ['first-embed', 'second-embed', 'second-embed'],
  );
});

const modelsOf = ({ asked }: EmbeddingServer) => [
  ...new Set(
    asked
      .filter(({ input }) => input.some((one) => one.includes('secret')))
      .map(({ model }) => model),
  ),
];

const waiting = async (service: TestService, token: string, count: number) =>
  await eventually(`${count} wait`, async () => {
    const { body } = await service.call<string>('GET', '/metrics', { token });
    return body.includes(`mitschrift_passages_waiting ${count}`);
  });

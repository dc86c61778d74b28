import assert from 'node:assert/strict';
import { readdir, realpath } from 'node:fs/promises';
import { test } from 'node:test';
import { startEmbeddingServer } from '../support/embedding-servers.ts';
import { eventually } from '../support/eventually.ts';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  password,
  startService,
} from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

const path = '/recordings';

test('what is done at one node with users, settings, commands and guesses holds at another', async (t) => {
  const dataDir = await realpath(await tempDir(t));
  const a = await startService(t, { dataDir, node: { name: 'a', role: 'all' } });
  const ada = await a.setUp();
  const b = await startService(t, { dataDir, node: { name: 'b', role: 'serve' } });
  assert.equal((await b.call('GET', '/users/me/sessions', { token: ada })).status, 200);
  const ben = await a.addUser('ben');

  // One key at both at once: one recording, and both get its answer.
  const client = await followed(b, ben);
  a.engines.hold('transcribe');
  const headers = { 'Idempotency-Key': 'both-at-once' };
  const both = await Promise.all([a, b].map((node) => node.upload(ben, {}, { headers })));
  assert.deepEqual(
    both.map(({ status }) => status),
    [202, 202],
  );
  const [id, same] = both.map(({ body }) => body.recording_id);
  assert.equal(same, id);
  // B does no work: what it says of the stage is what A told.
  const now = await client.until(
    // At first it is only known that it goes on.
    ({ type, stage, fraction }) =>
      type === 'progress' && stage === 'transcribe' && fraction !== null,
  );
  assert.deepEqual([now['recording_id'], now['fraction']], [id, 0.5]);
  const status = await b.call<{ processing: object[] }>('GET', '/status', { token: ben });
  const [atWork] = status.body.processing as { fraction: number; attempt: number }[];
  assert.deepEqual([atWork!.fraction, atWork!.attempt], [0.5, 1]);
  a.engines.release('transcribe');
  await b.reaches(id!, 'idle.saved');
  const list = await b.call<{ recordings: { recording_id: string }[] }>('GET', path, {
    token: ben,
  });
  assert.deepEqual(
    list.body.recordings.map((one) => one.recording_id),
    [id],
  );

  // A ticket of one node plays at the other, and not once its session has ended.
  const { body } = await a.call('POST', `${path}/${id}/ticket`, { token: ben });
  const audio = `${path}/${id}/audio?ticket=${String(body['ticket'])}`;
  assert.equal((await fetch(b.url + audio)).status, 200);
  await a.call('POST', '/logout', { token: ben });
  assert.equal(await client.closed, 1008, 'the logout at A closes the socket at B');
  assert.equal((await b.call('GET', '/users/me/sessions', { token: ben })).status, 401);
  assert.equal((await fetch(b.url + audio)).status, 401);

  const again = await b.login('ben');
  const second = await followed(b, again);
  await a.call('PATCH', '/users/ben', { token: ada, json: { disabled: true } });
  assert.equal(await second.closed, 1008);
  assert.equal((await b.call('GET', '/users/me/sessions', { token: again })).status, 401);
  assert.equal((await loginAt(b, 'ben', password)).status, 403);

  const set = { stt: { model: 'large-of-a' } };
  const changed = await a.call('PUT', '/config', { token: ada, json: set });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  await eventually('the setting holds at B', async () => {
    const answer = await b.call('GET', '/config', { token: ada });
    return JSON.stringify(answer.body).includes(set.stt.model);
  });

  // Guesses at both count together.
  const guesses: number[] = [];
  for (const node of [a, b, a, b, a]) guesses.push((await loginAt(node, 'ada', 'wrong')).status);
  assert.deepEqual(guesses.slice(0, 3), [401, 401, 401]);
  assert.ok(guesses.slice(3).includes(429), `guesses were answered ${guesses.join(', ')}`);
});

test('nodes have no notes folder for all: none is set, copied into or left behind', async (t) => {
  const dataDir = await realpath(await tempDir(t));
  const vault = await tempDir(t);
  const env = { MITSCHRIFT_NOTES_VAULT: vault };
  const a = await startService(t, { dataDir, node: { name: 'a', role: 'all' } });
  const b = await startService(t, { dataDir, node: { name: 'b', role: 'serve' }, env });
  const token = await a.setUp();
  const json = { notes: { vault } };
  const { status, body } = await a.call<ProblemAnswer>('PUT', '/config', { token, json });
  assert.equal(status, 422);
  assert.deepEqual(
    body.errors?.map(({ path, code }) => [path, code]),
    [['notes.vault', 'setting-not-on-nodes']],
  );
  const id = await a.settled(token);
  const found = await a.call<{ documents: { index: string } }>('GET', `/recordings/${id}`, {
    token,
  });
  for (const node of [a, b]) {
    const own = await node.call('GET', '/users/me/vault', { token });
    assert.equal(own.body['copies'], 'nowhere');
    const open = { mode: 'notes', paths: [found.body.documents.index] };
    assert.equal((await node.call('POST', '/open', { token, json: open })).status, 503);
  }
  assert.deepEqual(await readdir(vault), []);
});

test('what passages mean is found at a node that did not make them, as it is corrected, and no more when it is erased', async (t) => {
  const server = await startEmbeddingServer();
  t.after(server.close);
  const dataDir = await realpath(await tempDir(t));
  const options = {
    dataDir,
    env: { MITSCHRIFT_EMBEDDINGS_BASE_URL: server.url },
    trial: { passageMaking: { pauseMs: 50, lookEveryMs: 100 } },
  };
  const a = await startService(t, { ...options, node: { name: 'a', role: 'all' } });
  const ada = await a.setUp();
  // It serves only: passages are made at the other.
  const b = await startService(t, { ...options, node: { name: 'b', role: 'serve' } });
  type Found = { hits: { recording_id: string; why: string }[] };
  const found = async (q: string) =>
    (await b.call<Found>('GET', `/search?q=${encodeURIComponent(q)}`, { token: ada })).body.hits;
  // Its index is there before them.
  assert.deepEqual(await found('confidential intention'), []);
  const { recording_id: id } = (await a.upload(ada)).body;
  await b.reaches(id, 'idle.saved');
  const foundAlone = async (q: string) =>
    await eventually(`${q} is found at B`, async () => {
      const [hit] = await found(q);
      return hit?.recording_id === id && hit.why === 'meaning';
    });
  await foundAlone('confidential intention');
  const corrected = await b.call('PATCH', `${path}/${id}/utterances/1`, {
    token: ada,
    json: { text: 'The automobile is at the surgeon.' },
  });
  assert.ok(corrected.status < 300, JSON.stringify(corrected.body));
  await foundAlone('vehicle doctor');
  assert.deepEqual(await found('confidential intention'), []);
  assert.equal((await a.call('DELETE', `${path}/${id}`, { token: ada })).status, 204);
  await eventually('it is gone at B', async () => (await found('vehicle doctor')).length === 0);
});

const loginAt = (node: TestService, username: string, guess: string) =>
  node.call('POST', '/login', { json: { username, password: guess } });

/** A socket that hears. */
async function followed(node: TestService, token: string) {
  const client = connect(node.url, token);
  await client.until(({ type }) => type === 'status');
  return client;
}

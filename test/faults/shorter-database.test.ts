import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { realpath, rename } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { CheckAnswer } from '../../src/doctor/check.ts';
import { eventually } from '../support/eventually.ts';
import { type TestService, password, startService } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';
import { serverOfNodes } from '../support/test-store.ts';

const run = promisify(execFile);
/** What a node says when it answers but cannot do it now. */
const notNow: ReadonlySet<number> = new Set([503]);

test('a database that comes back shorter under running nodes: they drop what they remember and go on by themselves', async (t) => {
  const server = await serverOfNodes();
  const dataDir = await realpath(await tempDir(t));
  const nodes = await Promise.all(
    ['a', 'b'].map((name) => startService(t, { dataDir, node: { name, role: 'all' } })),
  );
  const [a, b] = nodes as [TestService, TestService];
  const ada = await a.setUp();
  const kept = await saved(a, ada);
  const erased = await saved(a, ada);
  await a.addUser('ben');
  assert.equal((await named(a, ada, kept, 'The title that is kept')).status, 200);

  const copy = `${server.directory}.before`;
  await server.kill();
  await run('cp', ['-a', server.directory, copy]);
  await server.start();

  const lost = await saved(b, ada);
  assert.equal((await done(() => named(b, ada, kept, 'A title that is lost'))).status, 200);
  await done(() => a.call('DELETE', `/recordings/${erased}`, { token: ada }));
  await done(() => a.call('DELETE', '/users/ben', { token: ada }));
  const cleo = { username: 'cleo', password };
  await done(() => a.call('POST', '/users', { token: ada, json: { ...cleo, is_admin: false } }));
  const theirs = await Promise.all(nodes.map((node) => node.login('cleo')));

  const states = new Set<unknown>();
  await server.kill();
  await rename(server.directory, `${server.directory}.after`);
  await rename(copy, server.directory);
  await server.start();
  for (const [index, node] of nodes.entries()) {
    await eventually('the node says that the database is shorter, and goes on', async () => {
      const { body } = await node.call('GET', '/health');
      states.add(body['status']);
      if (body['status'] !== 'ok') return false;
      const seen = await node.call<{ checks: CheckAnswer[] }>('GET', '/doctor', { token: ada });
      if (seen.status !== 200) return false;
      const database = seen.body.checks.find(({ id }) => id === 'database');
      return /^The database came back without its last (?:\d+ events|event): /.test(
        database?.detail ?? '',
      );
    });
    // The user whose facts are gone is nobody here.
    const me = await done(() => node.call('GET', '/users/me/sessions', { token: theirs[index]! }));
    assert.equal(me.status, 401);
    assert.equal((await done(() => node.call('POST', '/login', { json: cleo }))).status, 401);
    const status = await node.call<{ health: { advice: string[] } }>('GET', '/status', {
      token: ada,
    });
    assert.match(status.body.health.advice[0]!, /without its last \d+ events/);
    const there = await done(() => node.call('GET', `/recordings/${kept}`, { token: ada }));
    assert.equal(there.body['title'], 'The title that is kept');
    // Deleted in lost facts: the key is gone, and with it the name and the password.
    const ben = { username: 'ben', password };
    assert.equal((await done(() => node.call('POST', '/login', { json: ben }))).status, 401);
  }
  assert.ok(!states.has('damaged'), [...states].join(', '));

  for (const node of nodes) {
    assert.equal((await node.call('GET', `/recordings/${lost}`, { token: ada })).status, 404);
    const title = `A title given at ${node === a ? 'a' : 'b'}`;
    assert.equal((await done(() => named(node, ada, kept, title))).status, 200);
    const added = { username: `new-${node === a ? 'a' : 'b'}`, password, is_admin: false };
    assert.equal((await node.call('POST', '/users', { token: ada, json: added })).status, 201);
    await saved(node, ada);
  }
  // Its key went with the first erasure: what the log does not know any more is done once more.
  await eventually('what was erased in lost facts is erased', async () => {
    const { status } = await b.call('GET', `/recordings/${erased}`, { token: ada });
    return status === 404;
  });
  for (const { logged } of nodes) {
    const said = logged.filter((line) => /damaged|restore a backup/.test(line));
    assert.deepEqual(said, []);
  }
});

/** Until a node that is without its database, or begins anew, does it. */
async function done<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  return await eventually('it is done', async () => {
    const answer = await ask();
    return !notNow.has(answer.status) && answer;
  });
}

const named = (node: TestService, token: string, id: string, title: string) =>
  node.call('PATCH', `/recordings/${id}`, { token, json: { title } });

/** A recording with its documents. */
async function saved(node: TestService, token: string): Promise<string> {
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const { body } = await done(() => node.upload(token, {}, { headers }));
  const id = body.recording_id;
  await eventually(`${id} has documents`, async () => {
    const { status, body: seen } = await node.call('GET', `/recordings/${id}`, { token });
    return status === 200 && seen['state'] === 'idle.saved';
  });
  return id;
}

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { once } from 'node:events';
import type { CheckAnswer } from '../../src/doctor/check.ts';
import type { ClusterNode } from '../../src/storage/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type TestService, startService, withAda } from '../support/http-client.ts';
import { localTime } from '../../src/shared/time.ts';
import { resetHandshakes } from '../support/reset-handshakes.ts';
import { program } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';
import { nodeVariables } from '../support/test-store.ts';

test('what is uploaded at a node that serves becomes documents at one that works, and is read at the first', async (t) => {
  const dataDir = await realpath(await tempDir(t));
  const { service: serving, token } = await withAda(t, {
    dataDir,
    node: { name: 'one', role: 'serve' },
  });
  const { body: uploaded } = await serving.upload(token);
  await serving.reaches(uploaded.recording_id, 'transcribing');
  const unworked = await look(serving, token, 'en');
  assert.equal(unworked.get('nodes')!.status, 'missing');
  assert.match(unworked.get('nodes')!.detail, /^No node processes recordings; running: /);

  const working = await startService(t, { dataDir, node: { name: 'two', role: 'work' } });
  await serving.reaches(uploaded.recording_id, 'idle.saved');
  const path = `/recordings/${uploaded.recording_id}`;
  assert.equal((await serving.call('GET', path, { token })).status, 200);

  const refused = await working.call('GET', path, { token });
  assert.deepEqual([refused.status, refused.body['type']], [404, '/problems/not-found']);
  assert.match(String(refused.body['detail']), /role serve or all/);
  assert.equal((await working.call('GET', '/health')).status, 200);
  const socket = new WebSocket(`${working.url.replace('http', 'ws')}/ws?token=${token}`);
  socket.on('error', () => {});
  const [, answer] = (await once(socket, 'unexpected-response')) as [
    unknown,
    { statusCode: number },
  ];
  assert.equal(answer.statusCode, 404);
  await resetHandshakes(working.port);
  assert.equal((await working.call('GET', '/health')).status, 200);

  const devices = await serving.call('GET', '/audio/devices', { token });
  assert.notEqual(devices.status, 200);
  assert.match(String(devices.body['detail']), /mitschrift record --server/);

  await seenByOperators({ serving, working, token, dataDir });

  // The rows were kept up by the first of them; another goes on when it ends.
  await serving.close();
  const again = await startService(t, { dataDir, node: { name: 'three', role: 'serve' } });
  const { body: second } = await again.upload(token);
  await again.reaches(second.recording_id, 'idle.saved');
  // What has ended by itself is not missed; a node writes down a moment later that it is there.
  const expected = [
    ['work', true, working.url],
    ['serve', true, again.url],
  ];
  await eventually('the nodes that are left are listed', async () => {
    const left = await nodesOf(again, token);
    const listed = left.map(({ role, there, address }) => [role, there, address]);
    return isDeepStrictEqual(listed, expected);
  });
});

/** Lists, figures and checks while a recording is worked on. */
async function seenByOperators(parts: {
  serving: TestService;
  working: TestService;
  token: string;
  dataDir: string;
}): Promise<void> {
  const { serving, working, token, dataDir } = parts;
  const before = Date.now();
  working.engines.hold('transcribe');
  const { body } = await serving.upload(token);
  const name = `recording:${body.recording_id}`;
  const nodes = await eventually('it is written down who works on it', async () => {
    const known = await nodesOf(serving, token);
    return known.some(({ holds }) => holds.some((held) => held.name === name)) && known;
  });
  assert.deepEqual(
    nodes.map(({ role, slots, there, address }) => [role, slots, there, address]),
    [
      ['serve', 0, true, serving.url],
      ['work', 2, true, working.url],
    ],
  );
  const held = nodes[1]!.holds.find((one) => one.name === name)!;
  // PostgreSQL has this machine's clock.
  assert.ok(Date.parse(held.since) >= before - 1 && Date.parse(held.since) <= Date.now());
  const projectors = nodes.filter(({ holds }) =>
    holds.some((one) => one.name.startsWith('projector')),
  );
  assert.equal(projectors.length, 1);

  const figures = await Promise.all([serving, working].map((node) => figuresOf(node, token)));
  for (const [index, role] of ['serve', 'work'].entries()) {
    const told = figures[index]!;
    assert.match(told, new RegExp(`mitschrift_node_info{.*role="${role}",.*} 1`));
    assert.match(told, /^mitschrift_followed_behind \d+$/m);
    assert.match(told, /^mitschrift_database_connections{state="used"} \d$/m);
    const isProjector = nodes[index] === projectors[0] ? 1 : 0;
    assert.match(told, new RegExp(`^mitschrift_projector ${isProjector}$`, 'm'));
    assert.match(told, new RegExp(`^mitschrift_work_slots_used ${index}$`, 'm'));
    assert.match(told, new RegExp(`^mitschrift_claims_held{kind="recording"} ${index}$`, 'm'));
  }

  const [english, german] = [await look(serving, token, 'en'), await look(serving, token, 'de')];
  for (const id of ['database', 'database-clock', 'files', 'projector', 'nodes']) {
    const { status, detail, link } = english.get(id)!;
    assert.deepEqual([id, status], [id, 'ok'], detail);
    assert.notEqual(german.get(id)!.detail, detail);
    const shown = await serving.call<string>('GET', link.split('#')[0]!);
    assert.ok(shown.body.includes(` id="${link.split('#')[1]}"`), link);
  }

  // The command asks the database, whatever becomes of nodes.
  const env = { ...process.env, ...(await nodeVariables(dataDir, 'desk')) };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [program, 'nodes'], { env });
  assert.ok(
    stdout.includes(`recording ${body.recording_id}  since ${localTime(new Date(held.since))}`),
    stdout,
  );
  working.engines.release('transcribe');
  await serving.reaches(body.recording_id, 'idle.saved');
  await eventually('it is let go', async () => {
    const known = await nodesOf(serving, token);
    return known.every(({ holds }) => holds.every((one) => one.name !== name));
  });
}

async function nodesOf(service: TestService, token: string): Promise<ClusterNode[]> {
  const { status, body } = await service.call<{ nodes: ClusterNode[] }>('GET', '/nodes', { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body.nodes;
}

async function figuresOf(service: TestService, token: string): Promise<string> {
  return (await service.call<string>('GET', '/metrics', { token })).body;
}

async function look(
  service: TestService,
  token: string,
  language: string,
): Promise<Map<string, CheckAnswer>> {
  const headers = { 'Accept-Language': language };
  const { body } = await service.call<{ checks: CheckAnswer[] }>('GET', '/doctor', {
    token,
    headers,
  });
  return new Map(body.checks.map((check) => [check.id, check]));
}

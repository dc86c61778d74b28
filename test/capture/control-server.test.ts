import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type Socket, connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CaptureStatus, captureSocket } from '../../src/capture/process/protocol.ts';
import { serveControl } from '../../src/capture/process/control-server.ts';
import { emptyLedger } from '../../src/capture/file/ledger.ts';
import { writeClaim } from '../../src/capture/file/capture-files.ts';
import { adoptCapture } from '../../src/capture/process/client.ts';
import { eventually, within } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';

const status: CaptureStatus = {
  type: 'status',
  claim: 'c',
  pid: 1,
  state: 'capturing',
  ledger: emptyLedger,
  level: null,
  flatSeconds: 0,
  quietSeconds: 0,
  problem: null,
};

async function serve(t: TestContext, orphanMs = 60_000) {
  const path = join(await tempDir(t), 'c.sock');
  const commands: string[] = [];
  let orphaned = 0;
  const server = await serveControl(path, {
    orphanMs,
    status: () => status,
    onCommand: (op) => commands.push(op),
    onOrphaned: () => (orphaned += 1),
  });
  const ended = { type: 'ended', claim: 'c', reason: 'stopped', ledger: emptyLedger } as const;
  return { path, server, commands, ended, orphaned: () => orphaned };
}

/** A client and the lines it has received. */
async function client(path: string) {
  const socket = connect(path);
  const lines: string[] = [];
  let closed = false;
  socket.on('error', () => undefined).once('close', () => (closed = true));
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
  });
  await once(socket, 'connect');
  return { socket, lines, closed: () => closed };
}

test('only its owner can connect; who does is greeted, kept informed and told the end', async (t) => {
  const { path, server, commands, ended } = await serve(t);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const one = await client(path);
  await eventually('several statuses', () => one.lines.length >= 3);
  assert.deepEqual(JSON.parse(one.lines[0]!), status);
  one.socket.write('{"op":"pause"}\n{"op":"res');
  one.socket.write('ume"}\n');
  await eventually('the commands', () => commands.length === 2);
  assert.deepEqual(commands, ['pause', 'resume']);
  await server.close(ended);
  await eventually('it is closed', one.closed);
  assert.deepEqual(JSON.parse(one.lines.at(-1)!), ended);
  await assert.rejects(stat(path), { code: 'ENOENT' });
});

test('whoever does not speak the protocol is cut off, and nobody else with them', async (t) => {
  const { path, server, commands } = await serve(t);
  t.after(() => server.close(null));
  const good = await client(path);
  for (const nonsense of ['hello\n', '{"op":"format"}\n', 'null\n', 'x'.repeat(300_000)]) {
    const bad = await client(path);
    bad.socket.write(nonsense);
    await eventually('it is cut off', bad.closed);
  }
  assert.equal(good.closed(), false);
  assert.deepEqual(commands, []);
  const many = await Promise.all(Array.from({ length: 8 }, () => client(path)));
  await eventually('the ninth is refused', () => many.some((one) => one.closed()));
  assert.equal(many.filter((one) => one.closed()).length, 1);
  for (const one of [good, ...many]) one.socket.destroy();
});

test('nobody connected for long enough is an orphan; a client in between starts the time anew', async (t) => {
  const { path, server, orphaned } = await serve(t, 300);
  t.after(() => server.close(null));
  const one = await client(path);
  await eventually('more than the time of an orphan', () => one.lines.length > 5);
  assert.equal(orphaned(), 0);
  one.socket.destroy();
  await eventually('it is an orphan', () => orphaned() === 1);
});

test('a server that was closed calls nothing an orphan', async (t) => {
  const { path, server, ended, orphaned } = await serve(t, 20);
  const one = await client(path);
  await server.close(ended);
  await eventually('it is closed', one.closed);
  const from = performance.now();
  await eventually('more than the time of an orphan', () => performance.now() - from > 100);
  assert.equal(orphaned(), 0);
});

test('a path too long for a socket gets the same short one from everybody', async (t) => {
  const deep = join(await tempDir(t), 'a'.repeat(120));
  const env = { XDG_RUNTIME_DIR: '/run/user/1' };
  const path = captureSocket(deep, '01ABCDEFGH', env);
  assert.equal(dirname(path), '/run/user/1');
  assert.equal(captureSocket(deep, '01ABCDEFGH', env), path);
  assert.notEqual(captureSocket(deep, '01ABCDEFGX', env), path);
  assert.equal(captureSocket('/data/r', '01ABCDEFGH', env), '/data/r/capture-ABCDEFGH.sock');
  // Without a runtime directory: one that only we can enter.
  const fallback = dirname(captureSocket(deep, '01ABCDEFGH', {}));
  assert.equal((await stat(fallback)).mode & 0o077, 0);
});

test('a capture that accepts and says nothing is none after a while', async (t) => {
  const folder = await tempDir(t);
  const socketPath = join(folder, 'c.sock');
  const sockets: Socket[] = [];
  const mute = createServer((socket) => void sockets.push(socket)).listen(socketPath);
  await once(mute, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
  const claim = { claim: 'c', socketPath, device: 'Desk Mic', channels: 1, at: 0 } as const;
  await writeClaim(folder, claim);
  assert.equal(await within('it is given up', adoptCapture(folder), 60_000), null);
  assert.equal(sockets.length, 1);
});

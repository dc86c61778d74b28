import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { adoptCapture } from '../../src/capture/process/client.ts';
import { isRunning } from '../../src/shared/machine.ts';
import { command, deskAndService, deskAudio, logIn, nowhere } from '../support/desk.ts';
import { eventually, within } from '../support/eventually.ts';
import { apiOf } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a recording that is paused stays so where another recorder takes it up without a network', async (t) => {
  const { pulse, desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  const first = run(['record', ...from, '--device', 'Desk Mic']);
  const audio = await deskAudio(desk);
  const id = await audio.recordingId();
  const api = apiOf(service.url(), service.token);
  await eventually('the service knows it', async () => (await service.facts(id)).length > 0);
  await api.post(`/recordings/${id}/pause`);
  const listens = async () => /ALSA plug-in/.test(await pulse.pactl('list', 'source-outputs'));
  await eventually('the device is let go', async () => !(await listens()));
  first.child.kill('SIGKILL');
  await first.code;
  const pausedAt = await audio.samples();
  network.lead(nowhere);
  network.cut();
  const second = run(['record', ...from]);
  await eventually('it says how it is', () => /^\w+, .*saved here$/m.test(second.err()));
  const lines = () => second.err().trim().split('\n');
  await eventually('it is paused', () => lines().at(-1)!.startsWith('paused'), 10_000);
  assert.equal(await listens(), false);
  assert.equal(await audio.samples(), pausedAt);
  network.lead(service.url());
  await api.post(`/recordings/${id}/resume`);
  await eventually('it goes on', async () => (await audio.samples()) > pausedAt + 8000);
});

test('audio whose capture left no record that can be read is sent, not deleted', async (t) => {
  const { desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  network.lead(nowhere);
  const recording = run(['record', ...from, '--device', 'Desk Mic']);
  const audio = await deskAudio(desk);
  await eventually('it is recorded', async () => (await audio.samples()) > 8000);
  const capture = await adoptCapture(audio.folder);
  capture!.release();
  recording.child.kill('SIGKILL');
  process.kill(capture!.pid, 'SIGKILL');
  await recording.code;
  const recorded = await audio.pcm();
  await writeFile(join(audio.folder, 'capture.json'), '');
  network.lead(service.url());
  const rest = run(['record', ...from, '--rest']);
  assert.equal(await rest.code, 0, rest.err());
  const id = rest.out().trim();
  const kept = await readFile(join(service.dataDir, 'recordings', id, 'audio.wav'));
  assert.ok(kept.subarray(44).equals(recorded), rest.err());
});

test('a recording begins also where a proxy answers for a server that is just restarting', async (t) => {
  const { desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  const proxy = createServer((_request, answer) => answer.writeHead(502).end());
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => proxy.close());
  network.lead(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  const recording = run(['record', ...from, '--device', 'Desk Mic']);
  const ended = recording.code.then((code) => assert.fail(`${code}: ${recording.err()}`));
  const audio = await Promise.race([deskAudio(desk), ended]);
  await eventually('it is recorded', async () => (await audio.samples()) > 8000);
  assert.match(recording.err(), /HTTP 502.*saved here/);
  network.lead(service.url());
  const id = await audio.recordingId();
  recording.child.kill('SIGTERM');
  assert.equal(await recording.code, 0, recording.err());
  const kept = await readFile(join(service.dataDir, 'recordings', id, 'audio.wav'));
  assert.ok(kept.length > 44 + 8000 * 2);
});

test('title and start of a recording are not lost where the network goes as soon as its audio is sent', async (t) => {
  const { desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  network.lead(nowhere);
  const recording = run(['record', ...from, '--device', 'Desk Mic', '--title', 'Plans']);
  const audio = await deskAudio(desk);
  await eventually('it is recorded', async () => (await audio.samples()) > 8000);
  recording.child.kill('SIGTERM');
  await eventually('it is over', () => /sending the rest/.test(recording.err()));
  recording.child.kill('SIGTERM');
  assert.equal(await recording.code, 3, recording.err());
  // As if an hour had passed since.
  const path = join(audio.folder, 'recorder.json');
  const note = JSON.parse(await readFile(path, 'utf8')) as { startedAt: string };
  const startedAt = new Date(Date.parse(note.startedAt) - 3_600_000);
  await writeFile(path, JSON.stringify({ ...note, startedAt }));

  network.lead(await socketsOnly(t, service.url(), 'hangs'));
  const hung = run(['record', ...from, '--rest']);
  await eventually('all is sent', async () => /"isSent":true/.test(await readFile(path, 'utf8')));
  assert.doesNotMatch(hung.err(), /Everything was sent/, 'known before it is told');
  assert.equal(await hung.code, 3, hung.err());
  assert.doesNotMatch(hung.err(), /Not everything was sent/);
  assert.match(hung.err(), /^Everything was sent, but/m);
  network.lead(await socketsOnly(t, service.url()));
  const sent = run(['record', ...from, '--rest']);
  const code = await sent.code;
  assert.doesNotMatch(sent.err(), /rejected/);
  assert.equal(code, 3, sent.err());
  network.lead(service.url());
  const rest = run(['record', ...from, '--rest']);
  assert.equal(await rest.code, 0, rest.err());
  const { title, started_at: began } = await service.done(rest.out().trim());
  assert.equal(title, 'Plans');
  assert.ok(Math.abs(Date.parse(began) - startedAt.getTime()) < 1000, began);
  assert.deepEqual(await readdir(join(audio.folder, '..')), []);

  const long = run(['record', ...from, '--title', 'x'.repeat(201)]);
  assert.equal(await long.code, 2, long.err());
  assert.match(long.err(), /--title .*200/);
});

test('a recording begun with a network is over when its audio is sent, also where the server is gone then', async (t) => {
  const { desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  network.lead(await socketsOnly(t, service.url()));
  const recording = run(['record', ...from, '--device', 'Desk Mic']);
  const audio = await deskAudio(desk);
  const id = await audio.recordingId();
  recording.child.kill('SIGTERM');
  assert.equal(await recording.code, 0, recording.err());
  assert.equal(recording.out().trim(), id);
  assert.deepEqual(await readdir(join(audio.folder, '..')), []);
});

/** The address of a proxy that carries WebSockets, and breaks every other connection, or leaves it without an answer. */
async function socketsOnly(t: TestContext, to: string, others?: 'hangs'): Promise<string> {
  const proxy = createServer((request) => {
    if (others !== 'hangs') request.socket.destroy();
  });
  proxy.on('upgrade', ({ rawHeaders, url }, client, head) => {
    const service = connect(Number(new URL(to).port), '127.0.0.1');
    const headers = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    service.write(`GET ${url} HTTP/1.1\r\n${headers.join('')}\r\n`);
    service.write(head);
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      socket.on('error', () => undefined); // as its other side is closed
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test('a recording is not called ended where the server has only left it', async (t) => {
  const folder = await tempDir(t);
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const session = JSON.stringify({ token: 't', username: 'anna' });
  const server = createServer((_request, answer) => answer.end(session));
  const sockets = new WebSocketServer({ server, path: '/ws' });
  t.after(() => {
    sockets.close();
    server.close();
  });
  const id = '01J0000000000000000000000A';
  let reason = 'left';
  sockets.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      const { type } = JSON.parse(data.toString('utf8')) as { type: string };
      const say = (frame: object) => socket.send(JSON.stringify({ ...frame, samples: 16_000 }));
      if (type === 'audio.start') return say({ type: 'audio.ready', recording_id: id });
      say({ type: 'audio.ended', recording_id: id, reason });
      // As the service does: the sender is to come back.
      if (reason === 'left') socket.close();
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const from = ['--server', `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  const login = command(t, env, ['login', ...from, '--user', 'anna', '--password-stdin'], 'x\n');
  assert.equal(await login.code, 0, login.err());
  const left = command(t, env, ['record', ...from, '--finish', id]);
  assert.equal(await left.code, 1, left.err());
  assert.doesNotMatch(left.err(), /was ended/);
  reason = 'stopped';
  const stopped = command(t, env, ['record', ...from, '--finish', id]);
  assert.equal(await stopped.code, 0, stopped.err());
  assert.match(stopped.err(), /was ended with 00:00:01/);
});

test('a stop ends the capture also where the note of it cannot be written', async (t) => {
  const { desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  network.lead(nowhere);
  const recording = run(['record', ...from, '--device', 'Desk Mic']);
  const audio = await deskAudio(desk);
  await eventually('it is recorded', async () => (await audio.samples()) > 8000);
  const capture = await adoptCapture(audio.folder);
  capture!.release();
  // Where the next note is written there is a folder.
  const inTheWay = join(audio.folder, 'recorder.json.tmp');
  await mkdir(inTheWay);
  recording.child.kill('SIGINT');
  assert.equal(await recording.code, 3, recording.err());
  await eventually('its capture is over', () => !isRunning(capture!.pid), 20_000);
  await rm(inTheWay, { recursive: true });
  network.lead(service.url());
  const rest = run(['record', ...from, '--rest']);
  assert.equal(await rest.code, 0, rest.err());
});

test('a recorder that is stopped is not waited for', async (t) => {
  const { desk, network, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  const first = run(['record', ...from, '--device', 'Desk Mic']);
  await deskAudio(desk);
  first.child.kill('SIGSTOP');
  const second = run(['record', ...from]);
  assert.equal(await within('it ends', second.code, 20_000), 1);
  assert.match(second.err(), /already running on this computer, but doesn’t respond/);
});

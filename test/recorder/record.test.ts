import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { adoptCapture } from '../../src/capture/process/client.ts';
import { selfSigned } from '../support/certificates.ts';
import { wordErrorRate } from '../support/espeak.ts';
import {
  type Detail,
  command,
  deskAndService,
  deskAudio,
  logIn,
  loginFile,
  nowhere,
  xdgOf,
} from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { type PrivatePulse, privatePulse } from '../support/pulse.ts';
import { speech } from '../support/pulse-speech.ts';
import { seed, seeded } from '../support/seeded.ts';
import { apiOf } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const said =
  'good morning everyone and welcome to the weekly planning meeting ' +
  'the server was down for twenty minutes last night';
const errorRateMax = 0.4;
const password = 'correct horse battery';

const textOf = ({ utterances }: Detail): string => utterances.map(({ text }) => text).join(' ');

test(`what a desk records is on the service’s disk, in order, once, whatever is cut or killed (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const { pulse, desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  const wrong = run(['login', ...from, '--user', 'anna', '--password-stdin'], 'not it\n');
  assert.equal(await wrong.code, 1);
  const unknown = run(['record', ...from]);
  assert.equal(await unknown.code, 1);
  assert.match(unknown.err(), /mitschrift\S* login --server/);
  await logIn(run, network.url);
  const { mode } = await stat(await loginFile(desk));
  assert.equal(mode & 0o777, 0o600);

  // It begins without a network, and keeps what it hears.
  network.lead(nowhere);
  const first = run(['record', ...from, '--device', 'Desk Mic', '--title', 'Plans']);
  const audio = await deskAudio(desk);
  await eventually('it is recorded', async () => (await audio.samples()) > 8000);
  assert.match(first.err(), /saved here/);
  const { path } = await speech(desk, 'mic', said);
  const playing = pulse.play(path, 'mic');
  network.lead(service.url());
  const id = await audio.recordingId();
  const server = join(service.dataDir, 'recordings', id, 'audio.wav');
  const there = async () => (await stat(server).catch(() => null))?.size ?? 0;
  await eventually('the service has some', async () => (await there()) > 44);
  for (let round = 0; round < 3; round += 1) await network.cutAfter(random.below(20_000));
  await network.cutAfter(random.below(20_000));
  await service.killAndRestart();
  network.lead(service.url());
  const before = await there();
  await eventually('it goes on', async () => (await there()) > before + 16_000);

  // The recorder is killed; its capture goes on, and the next one with both.
  first.child.kill('SIGKILL');
  await first.code;
  const killedAt = await audio.samples();
  await eventually('it is still recorded', async () => (await audio.samples()) > killedAt + 8000);
  const second = run(['record', ...from]);
  await eventually('it goes on', () => /Continuing the recording/.test(second.err()));
  assert.equal(await run(['record', ...from]).code, 1, 'one recorder a desk');
  await eventually('nothing is kept back', async () => (await there()) > 44 + killedAt * 2);
  await playing;

  // Without a network it is stopped, and what is not sent stays.
  network.lead(nowhere);
  network.cut();
  const cutAt = await audio.samples();
  await eventually('more is recorded', async () => (await audio.samples()) > cutAt + 16_000);
  const capture = await adoptCapture(audio.folder);
  assert.ok(capture !== null);
  second.child.kill('SIGTERM');
  // Its process is gone: nothing more comes into the file.
  await capture.ended;
  second.child.kill('SIGTERM');
  assert.equal(await second.code, 3, second.err());
  const recorded = await audio.pcm();
  network.lead(service.url());
  const rest = run(['record', ...from, '--rest']);
  assert.equal(await rest.code, 0, rest.err());
  assert.equal(rest.out().trim(), id);
  assert.deepEqual(await readdir(join(desk, 'state', 'mitschrift', 'recorder', 'recordings')), []);

  const kept = (await readFile(server)).subarray(44);
  assert.equal(kept.length, recorded.length);
  assert.ok(kept.equals(recorded));
  const detail = await service.done(id);
  assert.equal(detail.title, 'Plans');
  const heard = textOf(detail);
  if (wordErrorRate(said, heard) > errorRateMax) {
    // A busy machine loses sound before it is recorded: then all of it at once is heard no better.
    await apiOf(service.url(), service.token).post(`/recordings/${id}/reprocess`, {
      from: 'speech-to-text',
    });
    await eventually('it is heard again', async () => {
      const facts = await service.facts(id);
      return facts.filter(({ type }) => type === 'documents.saved').length === 2;
    });
    const again = textOf(await service.done(id));
    assert.ok(wordErrorRate(again, heard) <= errorRateMax, `${heard}\n${again}`);
  }
  const facts = await service.facts(id);
  assert.equal(facts[0]!.data['trigger'], 'recorder');
  assert.ok(facts.some(({ type }) => type === 'audio.captured'));
});

test('a recording follows what is done with it at the service, and a session that has ended', async (t) => {
  const { pulse, desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  const nowhereThere = run(['record', ...from, '--folder', 'Clients']);
  assert.equal(await nowhereThere.code, 1);
  assert.match(nowhereThere.err(), /There is no folder “Clients”/);
  const { id: folder } = await apiOf(service.url(), service.token).post<{ id: string }>(
    '/folders',
    {
      name: 'Clients',
      kind: 'meeting',
    },
  );
  const named = ['--loudspeakers', '--folder', 'clients', '--people', 'Anna,Ben'];
  const recording = run(['record', ...from, ...named]);
  const audio = await deskAudio(desk);
  const api = () => apiOf(service.url(), service.token);
  const id = await audio.recordingId();
  const state = async () => (await api().get<Detail>(`/recordings/${id}`)).status;
  await eventually('the service knows it', () =>
    state().then(
      (now) => now === 'RECORDING',
      () => false,
    ),
  );
  const begun = await api().get<Detail & { folder: string }>(`/recordings/${id}`);
  assert.deepEqual([begun.folder, begun.kind], [folder, 'meeting']);
  await api().post(`/recordings/${id}/pause`);
  await eventually('it is paused', () => /Paused on the server/.test(recording.err()));
  await eventually('the device is let go', async () => {
    const listed = await pulse.pactl('list', 'source-outputs');
    return !/ALSA plug-in/.test(listed);
  });
  const pausedAt = await audio.samples();
  await api().post(`/recordings/${id}/resume`);
  await eventually('it goes on', async () => (await audio.samples()) > pausedAt + 8000);

  // Its session is ended at the service: it goes on as long as this connection, then here, and there after another login.
  const login = await loginFile(desk);
  const session = JSON.parse(await readFile(login, 'utf8')) as { token: string };
  await chmod(login, 0o644);
  await apiOf(service.url(), session.token).post('/logout');
  network.cut();
  await eventually('it says so', () => /not logged in.*saved here/.test(recording.err()));
  assert.equal((await stat(login)).mode & 0o777, 0o600, 'others may not read it any more');
  const server = join(service.dataDir, 'recordings', id, 'audio.wav');
  const there = async () => (await stat(server)).size;
  const [endedAt, sentAt] = [await audio.samples(), await there()];
  await eventually('it is recorded', async () => (await audio.samples()) > endedAt + 8000);
  await logIn(run, network.url);
  await eventually('it is sent again', async () => (await there()) > sentAt + 16_000);
  assert.equal(await state(), 'RECORDING');
  // Whoever paused it need not resume it for that.
  await api().post(`/recordings/${id}/pause`);
  const finished = run(['record', ...from, '--finish', id]);
  assert.equal(await finished.code, 0, finished.err());
  assert.equal(await recording.code, 0, recording.err());
  assert.match(recording.err(), /Stopped on the server/);
  const facts = await service.facts(id);
  assert.equal(facts[0]!.data['kind'], 'meeting');
  const { data } = facts.find(({ type }) => type === 'audio.captured')!;
  assert.equal(data['split'], true, 'microphone and loudspeakers have a channel each');
  // What joined both sides is taken down again.
  assert.doesNotMatch(await pulse.pactl('list', 'short', 'modules'), /mitschrift_combined/);

  // One that is stopped while it has no network ends when it is back, with all of it.
  const cutOff = run(['record', ...from, '--device', 'Desk Mic']);
  const third = await deskAudio(desk);
  const thirdId = await third.recordingId();
  await eventually('the service knows it', async () => (await service.facts(thirdId)).length > 0);
  network.lead(nowhere);
  network.cut();
  const cutAt = await third.samples();
  await eventually('it is recorded', async () => (await third.samples()) > cutAt + 8000);
  await api().post(`/recordings/${thirdId}/stop`);
  network.lead(service.url());
  assert.equal(await cutOff.code, 0, cutOff.err());
  assert.match(cutOff.err(), /Stopped on the server/);
  const extended = (await service.facts(thirdId)).find(({ type }) => type === 'audio.extended');
  assert.ok(Number(extended!.data['duration']) * 16_000 > cutAt + 8000);

  // A discarded one is not sent again and again: its audio stays on the desk, and is named.
  const discarded = run(['record', ...from, '--device', 'Desk Mic']);
  const second = await deskAudio(desk);
  const secondId = await second.recordingId();
  await eventually('the service knows it', async () => (await service.facts(secondId)).length > 0);
  await api().post(`/recordings/${secondId}/discard`);
  assert.equal(await discarded.code, 1, discarded.err());
  assert.match(discarded.err(), /no longer accepts the recording/);
  assert.ok((await second.samples()) > 0);

  const out = run(['logout', ...from]);
  assert.equal(await out.code, 0, out.err());
  const after = run(['record', ...from]);
  assert.equal(await after.code, 1);
  assert.match(after.err(), /not logged in/);
});

test('a pause outlives the connection, the recorder and the recording at the service', async (t) => {
  const { desk, network, run } = await deskAndService(t);
  const server = await serviceThatComesBackLate(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  network.lead(server.url);
  const first = run(['record', ...from, '--device', 'Desk Mic']);
  const audio = await deskAudio(desk);
  await eventually('it is paused', () => /Paused on the server/.test(first.err()));

  // Without a network, and in another process.
  network.lead(nowhere);
  network.cut();
  await eventually('it says so', () => /^paused, .*saved here/m.test(first.err()));
  first.child.kill('SIGKILL');
  await first.code;
  const second = run(['record', ...from]);
  await eventually('it is shown', () => /^\w+, .*saved here/m.test(second.err()));
  assert.match(second.err(), /^paused, /m);
  const pausedAt = await audio.samples();

  // It has ended there since.
  network.lead(server.url);
  assert.equal(await second.code, 0, second.err());
  assert.match(second.err(), /Stopped on the server/);
  assert.doesNotMatch(second.err(), /Resumed|^recording/m);
  assert.equal(server.samples(), pausedAt);
});

test('what another computer with the same home records is left to it', async (t) => {
  const desk = await tempDir(t);
  const path = join(desk, 'mitschrift', 'recorder', 'recordings', '01J0000000000000000000000A');
  await mkdir(path, { recursive: true });
  const note = {
    id: '01J0000000000000000000000A',
    recordingId: null,
    server: nowhere,
    username: 'anna',
    kind: 'solo',
    title: null,
    people: [],
    device: 'Desk Mic',
    startedAt: '2026-11-30T09:00:00.000Z',
    isOver: false,
    refused: null,
    host: 'the-other-desk',
  };
  const written = JSON.stringify(note);
  await writeFile(join(path, 'recorder.json'), written);
  const env = { ...process.env, XDG_CONFIG_HOME: desk, XDG_STATE_HOME: desk };
  const rest = command(t, env, ['record', '--server', nowhere, '--rest']);
  assert.equal(await rest.code, 0, rest.err());
  assert.match(rest.err(), /2026-11-30T09:00:00.*“the-other-desk”/);
  assert.equal(await readFile(join(path, 'recorder.json'), 'utf8'), written);
});

test('a certificate that is not trusted is named, with what to do about it', async (t) => {
  const folder = await tempDir(t);
  const { cert, key } = await selfSigned(folder, 'own');
  const [c, k] = [await readFile(cert), await readFile(key)];
  const server = createServer({ cert: c, key: k }, (_request, answer) => answer.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const login = ['login', '--server', url, '--user', 'anna', '--password-stdin'];
  const refused = command(t, env, login, `${password}\n`);
  assert.equal(await refused.code, 1);
  assert.match(
    refused.err(),
    /certificate of the Mitschrift server isn’t trusted\. .*NODE_EXTRA_CA_CERTS/,
  );
  const trusted = command(t, { ...env, NODE_EXTRA_CA_CERTS: cert }, login, `${password}\n`);
  assert.equal(await trusted.code, 1);
  assert.match(trusted.err(), /isn’t Mitschrift/);
  const address = command(t, env, ['login', '--server', 'https://anna:x@example.org'], '');
  assert.equal(await address.code, 2);
  assert.doesNotMatch(address.err(), /anna:x/);
  for (const server of ['anna:x@example.org', 'https://notes.example.org/app', 'nonsense']) {
    const refused = command(t, env, ['record', '--server', server]);
    assert.equal(await refused.code, 2, server);
    assert.doesNotMatch(refused.err(), /anna:x/);
  }
});

test('another server than a Mitschrift is named as such, and gets nothing it could lead elsewhere', async (t) => {
  const folder = await tempDir(t);
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const asked: string[] = [];
  let leads: string | undefined;
  let session: object = { ok: true };
  const server = createHttpServer((request, answer) => {
    asked.push(`${request.method} ${request.url}`);
    if (leads !== undefined) answer.writeHead(307, { location: leads });
    answer.end(JSON.stringify(request.url === '/login' ? session : {}));
  });
  const sockets = new WebSocketServer({ server, path: '/ws' });
  sockets.on('connection', (socket) => socket.send('hello, I am a chat'));
  const other = createHttpServer((request) => asked.push(`other: ${request.url}`));
  const urls: string[] = [];
  for (const one of [server, other]) {
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
    t.after(() => one.close());
    urls.push(`http://127.0.0.1:${(one.address() as AddressInfo).port}`);
  }
  t.after(() => sockets.close());
  const [url, elsewhere] = urls as [string, string];
  const login = ['login', '--server', url, '--user', 'anna', '--password-stdin'];
  leads = `${elsewhere}/login`;
  const led = command(t, env, login, `${password}\n`);
  assert.equal(await led.code, 1);
  assert.match(led.err(), /answered with HTTP 307/);
  leads = undefined;
  const odd = command(t, env, login, `${password}\n`);
  assert.equal(await odd.code, 1);
  assert.match(odd.err(), /^[^\n]*isn’t Mitschrift\.[^\n]*\n$/);
  session = { token: 't', username: 'anna' };
  const loggedIn = command(t, env, login, `${password}\n`);
  assert.equal(await loggedIn.code, 0, loggedIn.err());

  // It takes a login and a socket, and says there what no service says.
  const finish = ['record', '--server', url, '--finish', '01J0000000000000000000000A'];
  const finished = command(t, env, finish);
  assert.equal(await finished.code, 1);
  assert.match(finished.err(), /isn’t Mitschrift/);
  assert.doesNotMatch(finished.err(), /SyntaxError|at JSON/);
  assert.deepEqual(asked, ['POST /login', 'POST /login', 'POST /login', 'GET /status']);
});

test('a capture that cannot be started again leaves what was recorded, which is sent', async (t) => {
  const { desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  network.lead(nowhere);
  const recording = run(['record', ...from, '--device', 'Desk Mic']);
  const audio = await deskAudio(desk);
  await eventually('it is recorded', async () => (await audio.samples()) > 8000);
  const capture = await adoptCapture(audio.folder);
  assert.ok(capture !== null);
  capture.release();
  // Where the next claim is written there is a folder: no trouble of a device or of the system.
  await mkdir(join(audio.folder, 'capture.json.tmp'));
  process.kill(capture.pid, 'SIGKILL');
  await eventually('it is over', () => /recording has ended/.test(recording.err()));
  network.lead(service.url());
  assert.equal(await recording.code, 0, recording.err());
  assert.ok((await service.facts(recording.out().trim())).length > 0);
});

test('a recording whose terminal has gone is ended and sent all the same', async (t) => {
  const { desk, network, service, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  const recording = run(['record', ...from, '--device', 'Desk Mic']);
  const audio = await deskAudio(desk);
  const id = await audio.recordingId();
  await eventually('the service knows it', async () => (await service.facts(id)).length > 0);
  recording.child.stderr.destroy();
  recording.child.kill('SIGTERM');
  assert.equal(await recording.code, 0);
  assert.equal(recording.out().trim(), id);
  const facts = await service.facts(id);
  assert.ok(facts.some(({ type }) => type === 'audio.captured'));
});

test('loudspeakers are not left joined with the microphone where a recording ends before it has begun', async (t) => {
  const { pulse, desk, network, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  const modules = () => pulse.pactl('list', 'short', 'modules');
  const stopped = run(['record', ...from, '--loudspeakers']);
  await eventually('they are being joined', async () =>
    /mitschrift_combined/.test(await modules()),
  );
  stopped.child.kill('SIGINT');
  assert.equal(await stopped.code, 0, stopped.err());
  assert.match(stopped.err(), /No audio was recorded/);
  assert.doesNotMatch(await modules(), /mitschrift_/);

  const failed = run(['record', ...from, '--loudspeakers']);
  const { folder } = await deskAudio(desk);
  // Where the claim is written there is a folder.
  await mkdir(join(folder, 'capture.json.tmp'));
  assert.equal(await failed.code, 1, failed.err());
  assert.doesNotMatch(await modules(), /mitschrift_/);
});

test('two computers with the same home each join their own microphone and loudspeakers', async (t) => {
  const { pulse, desk, network, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  const first = run(['record', ...from, '--loudspeakers']);
  const audio = await deskAudio(desk);
  await eventually('it is recorded', async () => (await audio.samples()) > 8000);
  const whole = await chainOf(pulse);

  const elsewhere = await privatePulse(t);
  await elsewhere.pactl('load-module', 'module-null-sink', 'sink_name=elsewhere');
  await elsewhere.pactl('set-default-sink', 'elsewhere');
  const env = { ...elsewhere.env, ...xdgOf(desk) };
  const asOther = ['unshare', '--uts', 'sh', '-c', 'hostname elsewhere && exec "$0" "$@"'];
  const second = command(t, env, ['record', ...from, '--loudspeakers'], '', asOther);
  const other = await deskAudio(desk);
  await eventually('it is recorded', async () => (await other.samples()) > 8000);

  await pulse.pactl('unload-module', whole.find((line) => /loopback/.test(line))!.split('\t')[0]!);
  await eventually(
    'it is joined again',
    async () => (await chainOf(pulse)).length === whole.length,
  );
  for (const one of [first, second]) {
    one.child.kill('SIGTERM');
    assert.equal(await one.code, 0, one.err());
  }
});

test('what an earlier release has joined is mended and taken apart when its recording goes on', async (t) => {
  const { pulse, desk, network, run } = await deskAndService(t);
  const from = ['--server', network.url];
  await logIn(run, network.url);
  const first = run(['record', ...from, '--loudspeakers']);
  const audio = await deskAudio(desk);
  await eventually('it is recorded', async () => (await audio.samples()) > 8000);
  const whole = await chainOf(pulse);
  first.child.kill('SIGKILL');
  await first.code;
  const root = join(desk, 'state', 'mitschrift', 'recorder');
  // As earlier releases called it.
  await rename(join(root, `combined-${hostname()}.json`), join(root, 'combined.json'));

  const second = run(['record', ...from]);
  await eventually('it goes on', () => /Continuing the recording/.test(second.err()));
  await pulse.pactl('unload-module', whole.find((line) => /loopback/.test(line))!.split('\t')[0]!);
  await eventually(
    'it is joined again',
    async () => (await chainOf(pulse)).length === whole.length,
  );
  second.child.kill('SIGTERM');
  assert.equal(await second.code, 0, second.err());
  assert.deepEqual(await chainOf(pulse), []);
});

/** What microphone and loudspeakers are joined by. */
const chainOf = async (pulse: Pick<PrivatePulse, 'pactl'>): Promise<string[]> =>
  (await pulse.pactl('list', 'short', 'modules'))
    .split('\n')
    .filter((line) => line.includes('mitschrift_combined'));

/** It pauses a recording on its first connection, and has ended it by the next, as after a week: said as a service says it. */
async function serviceThatComesBackLate(t: TestContext) {
  const http = createHttpServer((_request, answer) => answer.end('{}'));
  const sockets = new WebSocketServer({ server: http, path: '/ws' });
  let samples = 0;
  let starts = 0;
  sockets.on('connection', (socket) => {
    const say = (frame: object) => socket.send(JSON.stringify(frame));
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        samples += data.length / 2;
        say({ type: 'audio.ack', samples });
        if (starts === 1) say({ type: 'audio.ended', samples, reason: 'paused' });
        return;
      }
      const { type } = JSON.parse(data.toString()) as { type: string };
      if (type === 'audio.stop') say({ type: 'audio.ended', samples, reason: 'stopped' });
      if (type !== 'audio.start') return;
      starts += 1;
      const recording_id = '01J0000000000000000000000A';
      say({ type: 'audio.ready', recording_id, samples, ...(starts > 1 && { ended: true }) });
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { url, samples: () => samples };
}

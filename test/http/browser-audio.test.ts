import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ulid } from 'ulid';
import { headerLast } from '../support/header-last.ts';
import { connect } from '../support/http-client.ts';
import { wholeService } from '../support/whole-service.ts';

const rate = 48_000;
type Service = Awaited<ReturnType<typeof wholeService>>;
type Client = ReturnType<typeof connect>;
type Fact = { type: string; data: Record<string, unknown>; content?: unknown };

async function open(service: Service, token = service.token): Promise<Client> {
  const client = connect(service.url(), token);
  await client.until(({ type }) => type === 'position');
  return client;
}

const say = (client: Client, message: object) => client.socket.send(JSON.stringify(message));

/** Starts a recording, or goes on with one; resolves with its id and the samples that are there. */
async function start(client: Client, more: object = {}) {
  const before = client.frames.length;
  say(client, { type: 'audio.start', kind: 'solo', sample_rate: rate, ...more });
  const frame = await after(client, before, ({ type }) => type === 'audio.ready');
  return { id: frame['recording_id'] as string, samples: frame['samples'] as number };
}

/** The first frame of that kind among those that came after the first `count`. */
const after = (client: Client, count: number, is: (frame: Client['frames'][number]) => boolean) =>
  client.until((frame) => client.frames.indexOf(frame) >= count && is(frame));

const acknowledged = (client: Client, samples: number) =>
  client.until((frame) => frame.type === 'audio.ack' && (frame['samples'] as number) >= samples);

/** What is refused with, by its code. */
async function refusal(client: Client, message: object): Promise<string> {
  const before = client.frames.length;
  say(client, message);
  return (await after(client, before, ({ type }) => type === 'warning'))['code'] as string;
}

const audioOf = async (service: Service, id: string) =>
  (await readFile(join(service.folder(id), 'audio.wav'))).subarray(44);

const factsOf = async (service: Service, id: string) =>
  (await service.api().get<{ events: Fact[] }>(`/recordings/${id}/events`)).events;

test('the status lists all that run, by what records them, and each is ended from anywhere', async (t) => {
  const service = await wholeService(t);
  const [browser, desk] = [await open(service), await open(service)];
  const first = await start(browser, { name: 'Firefox, Android', title: 'Budget talk' });
  const second = await start(desk, { sender: 'recorder' });
  type Running = {
    recording_id: string;
    title: string | null;
    source: { kind: string; name: string | null; mine: boolean };
  };
  type Status = { recording: Running | null; recordings: Running[] };
  const status = async () => await service.api().get<Status>('/status');
  const { recording, recordings } = await status();
  const sourceOf = (id: string) => recordings.find((one) => one.recording_id === id)?.source;
  assert.equal(recordings.length, 2);
  assert.ok(recordings.some(({ recording_id: id }) => id === recording?.recording_id));
  assert.deepEqual(sourceOf(first.id), { kind: 'browser', name: 'Firefox, Android', mine: true });
  assert.deepEqual(sourceOf(second.id), { kind: 'desk', name: null, mine: true });
  assert.equal(recordings.find((one) => one.recording_id === first.id)?.title, 'Budget talk');
  // By another connection: who records is told, and keeps what it had sent.
  browser.socket.send(randomBytes(rate));
  await acknowledged(browser, rate / 2);
  await service.api().post(`/recordings/${first.id}/stop`, {});
  const ended = await browser.until(({ type }) => type === 'audio.ended');
  assert.deepEqual([ended['reason'], ended['samples']], ['stopped', rate / 2]);
  assert.deepEqual(
    (await status()).recordings.map(({ recording_id: id }) => id),
    [second.id],
  );
  await service.api().post(`/recordings/${second.id}/discard`, {});
});

test('what a browser sends becomes the audio of a recording, sample by sample', async (t) => {
  const service = await wholeService(t);
  const client = await open(service);
  const { id, samples } = await start(client, {
    language: 'de',
    people: ['Ada', ' Ada ', 'Ben'],
  });
  assert.equal(samples, 0);
  const pcm = randomBytes(rate * 2);
  for (let at = 0; at < pcm.length; at += 9600) client.socket.send(pcm.subarray(at, at + 9600));
  await acknowledged(client, rate);
  const { recording } = await service.api().get<{ recording: Record<string, unknown> }>('/status');
  assert.deepEqual(
    { ...recording },
    { ...recording, recording_id: id, device: null, duration: 1, warnings: [] },
  );
  assert.deepEqual(await audioOf(service, id), pcm);
  say(client, { type: 'audio.stop' });
  const ended = await client.until(({ type }) => type === 'audio.ended');
  assert.deepEqual(ended, {
    type: 'audio.ended',
    recording_id: id,
    samples: rate,
    reason: 'stopped',
  });
  // It is said when it is in the log.
  const facts = await factsOf(service, id);
  const started = facts[0];
  const captured = facts.find(({ type }) => type === 'audio.captured');
  assert.deepEqual(
    { ...started!.data },
    { ...started!.data, device: null, trigger: 'browser', language: 'de' },
  );
  assert.deepEqual(started!.content, { people: ['Ada', 'Ben'] });
  const file = await readFile(join(service.folder(id), 'audio.wav'));
  assert.equal(captured!.data['sha256'], headerLast(file));
  // Peaks that are kept under that hash are found by it.
  await writeFile(
    join(service.folder(id), 'peaks'),
    headerLast(file) + '\xff'.repeat(10),
    'latin1',
  );
  const kept = `/recordings/${id}/peaks?per_second=10`;
  assert.deepEqual((await service.api().get<{ peaks: number[] }>(kept)).peaks, [1]);
  assert.equal(captured!.data['duration'], 1);
  assert.equal((captured!.data['ledger'] as { samples: number }).samples, 16_000);
  assert.equal(file.readUInt32LE(24), rate);
  assert.equal(await refusal(client, { type: 'audio.stop' }), 'not-recording');
});

test('two channels are kept as they are sent, counted in one, whoever goes on with them', async (t) => {
  const service = await wholeService(t);
  const [first, second] = [await open(service), await open(service)];
  const pcm = randomBytes(8000);
  const { id } = await start(first, { channels: 2 });
  first.socket.send(pcm.subarray(0, 4000));
  await acknowledged(first, 1000);
  // Half of a sample in two channels is refused; a gap and a microphone alone keep the layout.
  first.socket.send(pcm.subarray(0, 2));
  await first.until(({ code }) => code === 'not-understood');
  assert.deepEqual(await start(first, { recording_id: id, channels: 2 }), { id, samples: 1000 });
  first.socket.send(pcm.subarray(4000));
  say(first, { type: 'audio.gap', samples: 10 });
  await acknowledged(first, 2010);
  assert.deepEqual(await start(second, { recording_id: id }), { id, samples: 2010 });
  second.socket.send(Buffer.from(Int16Array.of(7, -7).buffer));
  await acknowledged(second, 2012);
  say(second, { type: 'audio.stop' });
  const ended = await second.until(({ type }) => type === 'audio.ended');
  assert.equal(ended['samples'], 2012);
  const alone = Buffer.from(Int16Array.of(7, 0, -7, 0).buffer);
  assert.deepEqual(await audioOf(service, id), Buffer.concat([pcm, Buffer.alloc(40), alone]));
  const file = await readFile(join(service.folder(id), 'audio.wav'));
  assert.deepEqual([file.readUInt16LE(22), file.readUInt32LE(24)], [2, rate]);
  const { data } = (await factsOf(service, id)).find(({ type }) => type === 'audio.captured')!;
  assert.deepEqual([data['split'], data['duration']], [true, 2012 / rate]);
  assert.equal((data['ledger'] as { samples: number }).samples, Math.round(2012 / 3));
});

test('two channels become one where the house keeps one', async (t) => {
  const service = await wholeService(t, { env: { MITSCHRIFT_AUDIO_COMBINED_CHANNELS: 'mix' } });
  const client = await open(service);
  const { id } = await start(client, { channels: 2 });
  const sent = Int16Array.of(1000, -200, 30_000, 30_000, -30_000, -30_000, 5, 0);
  client.socket.send(Buffer.from(sent.buffer));
  await acknowledged(client, 4);
  const mixed = Int16Array.of(800, 32_767, -32_768, 5);
  assert.deepEqual(await audioOf(service, id), Buffer.from(mixed.buffer));
});

test('another connection of the same user goes on, and the first one adds nothing more', async (t) => {
  const service = await wholeService(t);
  const [first, second] = [await open(service), await open(service)];
  const pcm = randomBytes(8000);
  const { id } = await start(first);
  first.socket.send(pcm.subarray(0, 4000));
  await acknowledged(first, 2000);
  const taken = await start(second, { recording_id: id });
  assert.deepEqual(taken, { id, samples: 2000 });
  assert.equal((await first.until(({ type }) => type === 'audio.ended'))['reason'], 'taken-over');
  first.socket.send(randomBytes(1000));
  await first.until(({ code }) => code === 'not-recording');
  second.socket.send(pcm.subarray(4000));
  await acknowledged(second, 4000);
  assert.deepEqual(await audioOf(service, id), pcm);
});

test('a browser that was gone before the answer goes on with the recording it began', async (t) => {
  const service = await wholeService(t);
  const key = ulid();
  const [first, second] = [await open(service), await open(service)];
  const begin = { type: 'audio.start', kind: 'solo', sample_rate: rate, id: key };
  // Twice at once, and once more when there is something.
  const both = await Promise.all([first, second].map((client) => start(client, { id: key })));
  const { id } = both[0]!;
  assert.notEqual(id, key, 'the service makes the id');
  assert.deepEqual(both, [
    { id, samples: 0 },
    { id, samples: 0 },
  ]);
  const third = await open(service);
  assert.deepEqual(await start(third, { id: key }), { id, samples: 0 });
  third.socket.send(randomBytes(2000));
  await acknowledged(third, 1000);
  assert.deepEqual(await start(first, { id: key }), { id, samples: 1000 });
  // Recorders of 0.1 take their key for the id.
  assert.deepEqual(await start(second, { recording_id: key }), { id, samples: 1000 });
  type List = { recordings: { recording_id: string }[] };
  const { recordings } = await service.api().get<List>('/recordings');
  assert.deepEqual(
    recordings.map(({ recording_id }) => recording_id),
    [id],
  );
  // The same word of another user, or the id itself, begins a recording of theirs: nothing tells whether there is one.
  const ben = await open(service, await service.login('ben'));
  const his = [await start(ben, { id: key }), await start(ben, { id })];
  assert.equal(new Set([id, key, ...his.map((one) => one.id)]).size, 4);
  assert.deepEqual(
    his.map(({ samples }) => samples),
    [0, 0],
  );
  assert.equal(await refusal(ben, { ...begin, id: '../..' }), 'not-understood');
});

test('only the owner goes on with a recording, at its rate', async (t) => {
  const service = await wholeService(t);
  const client = await open(service);
  const { id } = await start(client);
  const again = { type: 'audio.start', kind: 'solo', sample_rate: rate, recording_id: id };
  const ben = await open(service, await service.login('ben'));
  assert.equal(await refusal(ben, again), 'not-found');
  assert.equal(await refusal(ben, { ...again, recording_id: '../..' }), 'not-found');
  const other = await open(service);
  assert.equal(await refusal(other, { ...again, sample_rate: 16_000 }), 'rate-differs');
  client.socket.send(randomBytes(3));
  assert.equal((await client.until(({ type }) => type === 'audio.ended'))['reason'], 'refused');
  assert.deepEqual(await start(client, { recording_id: id }), { id, samples: 0 });
  client.socket.send(randomBytes(100));
  say(client, { type: 'audio.stop' });
  await client.until(({ reason }) => reason === 'stopped');
  // What it still holds is taken after the end, too (`late-audio.test.ts`), but no other rate.
  assert.equal(await refusal(other, { ...again, sample_rate: 16_000 }), 'rate-differs');
});

test('rates, kinds and the number of recordings have limits', async (t) => {
  const service = await wholeService(t);
  const client = await open(service);
  const message = { type: 'audio.start', kind: 'solo', sample_rate: rate };
  for (const wrong of [
    { sample_rate: 7999 },
    { sample_rate: 192_001 },
    { sample_rate: '48000' },
    { kind: 'choir' },
  ]) {
    assert.equal(await refusal(client, { ...message, ...wrong }), 'not-understood');
  }
  client.socket.send(randomBytes(100));
  await client.until(({ code }) => code === 'not-recording');
  for (let running = 0; running < 4; running += 1) await start(await open(service));
  assert.equal(await refusal(client, message), 'already-recording');
});

test('nothing is taken while a recording is paused, and it goes on behind that', async (t) => {
  const service = await wholeService(t);
  const client = await open(service);
  const { id } = await start(client);
  const [before, during, behind] = [randomBytes(2000), randomBytes(2000), randomBytes(2000)];
  client.socket.send(before);
  await acknowledged(client, 1000);
  await service.api().post(`/recordings/${id}/pause`, {});
  const ended = await client.until(({ type }) => type === 'audio.ended');
  assert.deepEqual([ended['reason'], ended['samples']], ['paused', 1000]);
  client.socket.send(during);
  const message = { type: 'audio.start', kind: 'solo', sample_rate: rate, recording_id: id };
  assert.equal(await refusal(client, message), 'recording-paused');
  await service.api().post(`/recordings/${id}/resume`, {});
  assert.deepEqual(await resumed(client, id), { id, samples: 1000 });
  client.socket.send(behind);
  await acknowledged(client, 2000);
  assert.deepEqual(await audioOf(service, id), Buffer.concat([before, behind]));
  // Also while it is paused it can be stopped.
  await service.api().post(`/recordings/${id}/pause`, {});
  say(client, { type: 'audio.stop' });
  assert.equal((await client.until(({ reason }) => reason === 'stopped'))['samples'], 2000);
});

test('a recording whose browser stays away is finished with what is there', async (t) => {
  const service = await wholeService(t, { browserLimits: { graceMs: 300 } });
  const watching = await open(service);
  const recorder = await open(service);
  const kept = await start(recorder, { sender: 'recorder' });
  recorder.socket.send(Buffer.alloc(2000));
  await acknowledged(recorder, 1000);
  recorder.socket.terminate();
  const away = await watching.until(({ code }) => code === 'browser-away');
  assert.equal(away['recording_id'], kept.id);
  assert.match(String(away['detail']), /^The recorder has been offline since/);
  const client = await open(service);
  const { id } = await start(client);
  client.socket.send(Buffer.alloc(rate));
  await acknowledged(client, rate / 2);
  client.socket.terminate();
  await watching.until((frame) => frame.code === 'browser-away' && frame['recording_id'] === id);
  await watching.until(({ event }) => event === 'capture.interrupted');
  const interrupted = (await factsOf(service, id)).find(
    ({ type }) => type === 'capture.interrupted',
  );
  assert.equal(interrupted!.data['reason'], 'browser-gone');
  assert.equal(interrupted!.data['duration'], 0.5);
  assert.equal((interrupted!.data['ledger'] as { silent_seconds: number }).silent_seconds, 0.5);
  // Nobody stopped it: who comes back goes on, behind what there is.
  const again = await open(service);
  await start(again, { recording_id: id });
  const ready = again.frames.find(({ type }) => type === 'audio.ready')!;
  assert.deepEqual([ready['samples'], ready['stopped']], [rate / 2, undefined]);
  again.socket.terminate();
  // `mitschrift record` was away before that, is still waited for, also by the next life of the service, and goes on.
  await service.restart();
  const back = await open(service);
  assert.deepEqual(await start(back, { recording_id: kept.id }), { ...kept, samples: 1000 });
  say(back, { type: 'audio.stop' });
  await back.until(({ reason }) => reason === 'stopped');
  const [began] = await factsOf(service, kept.id);
  assert.equal(began!.data['trigger'], 'recorder');
});

test('who comes back to a paused recording that has ended without it hears that it has ended', async (t) => {
  const service = await wholeService(t, { browserLimits: { graceMs: 300 } });
  const [watching, client] = [await open(service), await open(service)];
  const { id } = await start(client);
  client.socket.send(Buffer.alloc(2000));
  await acknowledged(client, 1000);
  assert.equal(client.frames.find(({ type }) => type === 'audio.ready')!['ended'], undefined);
  await service.api().post(`/recordings/${id}/pause`, {});
  await client.until(({ type }) => type === 'audio.ended');
  client.socket.terminate();
  await watching.until(({ event }) => event === 'capture.interrupted');
  const back = await open(service);
  await start(back, { recording_id: id });
  const ready = back.frames.find(({ type }) => type === 'audio.ready')!;
  assert.deepEqual([ready['ended'], ready['stopped']], [true, undefined]);
});

test('who has paused hears at once of a stop elsewhere', async (t) => {
  const service = await wholeService(t);
  const client = await open(service);
  const { id } = await start(client);
  client.socket.send(Buffer.alloc(2000));
  await acknowledged(client, 1000);
  await service.api().post(`/recordings/${id}/pause`, {});
  await client.until(({ type }) => type === 'audio.ended');
  const before = client.frames.length;
  await service.api().post(`/recordings/${id}/stop`, {});
  const ended = await after(client, before, ({ type }) => type === 'audio.ended');
  assert.deepEqual([ended['reason'], ended['samples']], ['stopped', 1000]);
  assert.equal(client.frames.filter(({ reason }) => reason === 'stopped').length, 1);
});

test('a service that starts again waits for the browser, and then finishes', async (t) => {
  const service = await wholeService(t, { browserLimits: { graceMs: 60_000, restartGraceMs: 0 } });
  const client = await open(service);
  const { id } = await start(client);
  client.socket.send(Buffer.alloc(2000, 1));
  await acknowledged(client, 1000);
  await service.restart();
  assert.equal(await client.closed, 1001);
  const back = await open(service);
  assert.deepEqual(await start(back, { recording_id: id }), { id, samples: 1000 });
  back.socket.send(Buffer.alloc(2000, 2));
  say(back, { type: 'audio.stop' });
  await back.until(({ reason }) => reason === 'stopped');
  assert.deepEqual(
    await audioOf(service, id),
    Buffer.concat([Buffer.alloc(2000, 1), Buffer.alloc(2000, 2)]),
  );
});

test('a night of sleep is not filled up: a gap without room ends a recording, and is not added to a note', async (t) => {
  const service = await wholeService(t, { browserLimits: { secondsMax: 2 } });
  const client = await open(service);
  const { id } = await start(client, { sample_rate: 8000 });
  client.socket.send(Buffer.alloc(8000, 1));
  say(client, { type: 'audio.gap', samples: 12_001 });
  client.socket.send(Buffer.alloc(8000, 1));
  const ended = await client.until(({ type }) => type === 'audio.ended');
  assert.deepEqual([ended['reason'], ended['samples']], ['limit-hours', 4000]);
  assert.deepEqual(await audioOf(service, id), Buffer.alloc(8000, 1));

  const back = await open(service);
  await start(back, { sample_rate: 8000, recording_id: id });
  // `limits.recording_hours`, of which half a second is there.
  say(back, { type: 'audio.gap', samples: 8 * 3600 * 8000 });
  const again = await back.until(({ type }) => type === 'audio.ended');
  assert.deepEqual([again['reason'], again['samples']], ['limit-hours', 4000]);
  const facts = await factsOf(service, id);
  assert.ok(!facts.some(({ type }) => type === 'audio.extended'));
});

test('beyond its hours a recording ends with what fits', async (t) => {
  const service = await wholeService(t, { browserLimits: { secondsMax: 1 } });
  const client = await open(service);
  const { id } = await start(client, { sample_rate: 8000 });
  const pcm = randomBytes(20_000);
  client.socket.send(pcm);
  const ended = await client.until(({ type }) => type === 'audio.ended');
  assert.deepEqual([ended['reason'], ended['samples']], ['limit-hours', 8000]);
  assert.deepEqual(await audioOf(service, id), pcm.subarray(0, 16_000));
});

test('a discarded recording leaves nothing, and its browser is told, then and whenever it comes back', async (t) => {
  const service = await wholeService(t);
  const client = await open(service);
  const { id } = await start(client);
  client.socket.send(randomBytes(2000));
  await acknowledged(client, 1000);
  await service.api().post(`/recordings/${id}/discard`, {});
  assert.equal((await client.until(({ type }) => type === 'audio.ended'))['reason'], 'discarded');
  await assert.rejects(service.api().get(`/recordings/${id}`), /404/);
  say(client, { type: 'audio.start', kind: 'solo', sample_rate: rate, recording_id: id });
  const { code, reason } = await client.until(({ type }) => type === 'warning');
  assert.deepEqual([code, reason], ['not-recording', 'recording-erased']);
});

test('what a browser holds of a recording that only ended without audio is not said to be deleted', async (t) => {
  const service = await wholeService(t);
  const client = await open(service);
  const { id } = await start(client);
  say(client, { type: 'audio.stop' });
  await client.until(({ type }) => type === 'audio.ended');
  await client.until((frame) => frame['event'] === 'stage.failed');
  await service.api().post(`/recordings/${id}/clear`, {});
  await assert.rejects(service.api().get(`/recordings/${id}`), /404/);
  say(client, { type: 'audio.start', kind: 'solo', sample_rate: rate, recording_id: id });
  const { code, reason } = await client.until(({ type }) => type === 'warning');
  assert.deepEqual([code, reason], ['not-recording', 'browser-recording-over']);
});

test('a deleted user’s browser is stopped with everything it sent, and the recording is kept', async (t) => {
  const service = await wholeService(t);
  const ben = await service.login('ben');
  const client = await open(service, ben);
  const { id } = await start(client);
  const pcm = randomBytes(4000);
  client.socket.send(pcm);
  await acknowledged(client, 2000);
  const answer = await fetch(`${service.url()}/users/ben`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${service.token}` },
  });
  assert.equal(answer.status, 204);
  assert.equal((await client.until(({ type }) => type === 'audio.ended'))['reason'], 'stopped');
  assert.equal(await client.closed, 1008);
  assert.deepEqual(await audioOf(service, id), pcm);
  type Page = { events: { stream: string; type: string; to: string; by: string }[] };
  const { events } = await service.api().get<Page>('/events?limit=200');
  const facts = events.filter(({ stream }) => stream.endsWith(id));
  const captured = facts.find(({ type }) => type === 'audio.captured');
  assert.ok(captured && captured.by !== 'system', 'it says who ended it');
  // There is no engine here: it may have failed before it was cancelled.
  assert.match(facts.at(-1)!.to, /^(idle\.kept|error)$/);
});

test('who logs out keeps only the audio of the connection that carries some', async (t) => {
  const service = await wholeService(t);
  const ben = await service.login('ben');
  const [carries, idle] = [await open(service, ben), await open(service, ben)];
  const { id } = await start(carries);
  await service.api(ben).post('/logout');
  assert.equal(await idle.closed, 1008);
  const before = carries.frames.length;
  carries.socket.send(randomBytes(2000));
  await acknowledged(carries, 1000);
  assert.equal(
    await refusal(carries, { type: 'audio.start', kind: 'solo', sample_rate: rate }),
    'not-authenticated',
  );
  carries.socket.send(randomBytes(2000));
  await acknowledged(carries, 2000);
  say(carries, { type: 'audio.stop' });
  assert.equal(await carries.closed, 1008);
  const types = new Set(carries.frames.slice(before).map(({ type }) => type));
  assert.deepEqual([...types].toSorted(), ['audio.ack', 'audio.ended', 'warning']);
  assert.equal((await audioOf(service, id)).length, 4000);
});

/** The pause is over when the log tells so; until then starting is refused. */
async function resumed(client: Client, id: string) {
  for (let tries = 0; ; tries += 1) {
    const before = client.frames.length;
    say(client, { type: 'audio.start', kind: 'solo', sample_rate: rate, recording_id: id });
    const frame = await after(client, before, ({ type }) => /^(audio.ready|warning)$/.test(type));
    if (frame.type === 'audio.ready') return { id, samples: frame['samples'] };
    assert.ok(tries < 50 && frame['code'] === 'recording-paused', JSON.stringify(frame));
  }
}

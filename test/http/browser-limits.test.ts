import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/http-client.ts';
import { wholeService } from '../support/whole-service.ts';

type Service = Awaited<ReturnType<typeof wholeService>>;
type Client = ReturnType<typeof connect>;
type Fact = { type: string; data: Record<string, unknown> };

const say = (client: Client, message: object) => client.socket.send(JSON.stringify(message));

async function start(service: Service, rate: number, token = service.token) {
  const client = connect(service.url(), token);
  await client.until(({ type }) => type === 'position');
  say(client, { type: 'audio.start', kind: 'solo', sample_rate: rate });
  const ready = await client.until(({ type }) => type === 'audio.ready');
  return { client, id: ready['recording_id'] as string };
}

const acknowledged = (client: Client, samples: number) =>
  client.until((frame) => frame.type === 'audio.ack' && (frame['samples'] as number) >= samples);

const factsOf = async (service: Service, id: string) =>
  (await service.api().get<{ events: Fact[] }>(`/recordings/${id}/events`)).events;

const audioOf = async (service: Service, id: string) =>
  (await readFile(join(service.folder(id), 'audio.wav'))).subarray(44);

for (const setting of ['user_gb', 'spaces_gb'] as const) {
  test(`limits.${setting} ends a browser’s recording with everything acknowledged, and is warned of before`, async (t) => {
    const env = { [`MITSCHRIFT_LIMITS_${setting.toUpperCase()}`]: '0.002' };
    const service = await wholeService(t, {
      browserLimits: { upkeepMs: 0, acknowledgeEveryMs: 1 },
      env,
    });
    const { client, id } = await start(service, 16_000);
    const piece = randomBytes(32_000);
    client.socket.send(piece);
    await acknowledged(client, 16_000);
    type Status = { recording: { warnings: { code: string; message: string }[] } };
    await eventually('it is warned of', async () => {
      const { recording } = await service.api().get<Status>('/status');
      return recording.warnings.some(({ code }) => code === 'space-nearly-full');
    });
    let sent = 1;
    let ended: { [member: string]: unknown } | undefined;
    const over = client
      .until(({ type }) => type === 'audio.ended')
      .then((frame) => (ended = frame));
    while (ended === undefined) {
      client.socket.send(piece);
      sent += 1;
      assert.ok(sent < 200, 'it is ended at the limit');
      await Promise.race([acknowledged(client, sent * 16_000), over]);
    }
    assert.equal(ended['reason'], 'space-limit');
    const samples = ended['samples'] as number;
    assert.ok(samples > 16_000 && samples * 2 < 0.002 * 2 ** 30, `${samples} samples`);
    const told = client.frames.filter(({ type }) => type === 'audio.ack');
    assert.ok((told.at(-1)!['samples'] as number) <= samples);
    const whole = Buffer.concat(Array.from({ length: sent }, () => piece));
    assert.deepEqual(await audioOf(service, id), whole.subarray(0, samples * 2));
    const interrupted = (await factsOf(service, id)).find(
      ({ type }) => type === 'capture.interrupted',
    );
    assert.equal(interrupted?.data['reason'], 'space-limit');
  });
}

test('what a browser did not hear is silence of that length, and said to be missing', async (t) => {
  const service = await wholeService(t);
  const { client, id } = await start(service, 16_000);
  const [before, behind] = [randomBytes(3200), randomBytes(6400)];
  client.socket.send(before);
  say(client, { type: 'audio.gap', samples: 240_000 });
  client.socket.send(behind);
  await acknowledged(client, 1600 + 240_000 + 3200);
  // The gap outlives the service.
  await service.restart();
  const again = connect(service.url(), service.token);
  await again.until(({ type }) => type === 'position');
  say(again, { type: 'audio.start', sample_rate: 16_000, recording_id: id });
  const ready = await again.until(({ type }) => type === 'audio.ready');
  assert.equal(ready['samples'], 1600 + 240_000 + 3200);
  say(again, { type: 'audio.stop' });
  await again.until(({ reason }) => reason === 'stopped');
  assert.deepEqual(
    await audioOf(service, id),
    Buffer.concat([before, Buffer.alloc(480_000), behind]),
  );
  const captured = (await factsOf(service, id)).find(({ type }) => type === 'audio.captured');
  const { gaps, silent_seconds: silent } = captured!.data['ledger'] as {
    gaps: unknown;
    silent_seconds: number;
  };
  assert.deepEqual(gaps, [[0.1, 15]]);
  assert.equal(silent, 0, 'it is not called silence, too');
  type Note = { notes: { code: string }[] };
  const { notes } = await service.api().get<Note>(`/recordings/${id}`);
  assert.ok(
    notes.some(({ code }) => code === 'gaps'),
    JSON.stringify(notes),
  );
});

test('a recording of a browser can be stopped from anywhere, and its browser is told', async (t) => {
  const service = await wholeService(t);
  const { client, id } = await start(service, 16_000);
  const pcm = randomBytes(3200);
  client.socket.send(pcm);
  await acknowledged(client, 1600);
  const ben = await service.login('ben');
  await assert.rejects(service.api(ben).post(`/recordings/${id}/stop`, {}), /404/);
  const stop = async () => {
    const headers = { authorization: `Bearer ${service.token}`, 'idempotency-key': 'stop-once' };
    const answer = await fetch(`${service.url()}/recordings/${id}/stop`, {
      method: 'POST',
      headers,
    });
    return {
      status: answer.status,
      of: ((await answer.json()) as { recording_id: string }).recording_id,
    };
  };
  assert.deepEqual(await stop(), { status: 200, of: id });
  const ended = await client.until(({ type }) => type === 'audio.ended');
  assert.deepEqual([ended['reason'], ended['samples']], ['stopped', 1600]);
  assert.deepEqual(await audioOf(service, id), pcm);
  await assert.rejects(service.api().post(`/recordings/${id}/stop`, {}), /409/);
  await service.restart();
  assert.deepEqual(await stop(), { status: 200, of: id }, 'repeated after a restart');
});

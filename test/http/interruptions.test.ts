import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/http-client.ts';
import { wholeService } from '../support/whole-service.ts';

const rate = 16_000;
type Service = Awaited<ReturnType<typeof wholeService>>;
type Client = ReturnType<typeof connect>;
type Interruption = { at: number; from: string; to: string; reason: string | null };
type Recording = { status: string; interruptions: Interruption[] };
type Event = { type: string };

const say = (client: Client, message: object) => client.socket.send(JSON.stringify(message));

/** A connection that records, or goes on with a recording. */
async function opened(service: Service, more: object = {}) {
  const client = connect(service.url(), service.token);
  await client.until(({ type }) => type === 'position');
  say(client, { type: 'audio.start', kind: 'solo', sample_rate: rate, ...more });
  const ready = await client.until(({ type }) => type === 'audio.ready');
  return { client, id: ready['recording_id'] as string };
}

async function recordsOneSecond(service: Service) {
  const { client, id } = await opened(service);
  client.socket.send(randomBytes(2 * rate));
  await client.until(({ type, samples }) => type === 'audio.ack' && samples === rate);
  return { client, id };
}

async function stops(service: Service, client: Client, id: string): Promise<void> {
  say(client, { type: 'audio.stop' });
  await client.until(({ type }) => type === 'audio.ended');
  await eventually('it is over', async () => (await read(service, id)).status !== 'RECORDING');
}

const call = {
  type: 'audio.interrupted',
  samples: rate,
  from: '2026-03-01T13:03:00.000Z',
  to: '2026-03-01T13:07:00.000Z',
  reason: 'call',
};

/** Waits until the service has answered what began there so often. */
const settled = (client: Client, samples: number, times = 1) =>
  client.until(
    () =>
      client.frames.filter(
        (frame) => frame.type === 'audio.interrupted' && frame['samples'] === samples,
      ).length >= times,
  );

const read = async (service: Service, id: string) =>
  await service.api().get<Recording>(`/recordings/${id}`);
const placesIn = ({ interruptions }: Recording) =>
  interruptions.map(({ at, reason }) => [at, reason]);
const headOf = async (service: Service, id: string) =>
  (await service.api().get<{ events: Event[] }>(`/recordings/${id}/events`)).events.filter(
    ({ type }) => type === 'audio.interrupted',
  ).length;

test('what kept a browser from recording is a fact, once however often it is told, and stays', async (t) => {
  const service = await wholeService(t);
  const first = await recordsOneSecond(service);
  const { id } = first;
  say(first.client, call);
  await settled(first.client, rate);
  // Its answer was lost, and the service began anew: it is told again.
  first.client.socket.terminate();
  await service.restart();
  const { client } = await opened(service, { recording_id: id });
  say(client, call);
  say(client, { ...call, samples: 0, reason: undefined });
  await settled(client, rate);
  await settled(client, 0);
  const expected = [
    [0, null],
    [1, 'call'],
  ];
  await eventually('it is read', async () => (await read(service, id)).interruptions.length > 1);
  const { interruptions } = await read(service, id);
  assert.deepEqual(placesIn({ status: '', interruptions }), expected);
  assert.deepEqual(
    [interruptions[1]!.from, interruptions[1]!.to].map((time) => new Date(time).toISOString()),
    [call.from, call.to],
  );
  assert.equal(await headOf(service, id), 2);
  say(client, { ...call, from: 'just now' });
  await client.until(({ type, code }) => type === 'warning' && code === 'not-understood');

  // Also while a person has paused it: it was before that.
  await service.api().post(`/recordings/${id}/pause`, {});
  await client.until(({ reason }) => reason === 'paused');
  say(client, { ...call, samples: 8000, reason: 'gone' });
  await settled(client, 8000);
  await service.api().post(`/recordings/${id}/resume`, {});
  await stops(service, client, id);
  assert.deepEqual(placesIn(await read(service, id)), [
    [0, null],
    [0.5, 'gone'],
    [1, 'call'],
  ]);
});

test('what interrupted a recording that has ended meanwhile is answered, and no fact', async (t) => {
  const service = await wholeService(t);
  const { client, id } = await recordsOneSecond(service);
  await stops(service, client, id);
  const late = await opened(service, { recording_id: id });
  say(late.client, call);
  await settled(late.client, rate);
  assert.equal(await headOf(service, id), 0);
});

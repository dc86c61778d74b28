import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { connect, type Frame, type TestService, withAda } from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';
import { fc } from '../support/properties.ts';

const durable = new Set(['transition', 'utterance', 'saved', 'sidenote']);
const isDurable = ({ type }: Frame) => durable.has(type);
/** Who has seen a `transition` or `utterance` has seen its whole position. */
const endsPosition = ({ type }: Frame) =>
  type === 'transition' || type === 'utterance' || type === 'position';

test('a client sees status first, then moves, words and documents as they happen', async (t) => {
  const { service, token } = await withAda(t);
  const client = connect(service.url, token);
  const first = await client.until(() => true);
  assert.equal(first.type, 'status');
  assert.equal(first['status'], 'IDLE');
  assert.equal(first['username'], 'ada');
  assert.equal(typeof first.position, 'number');
  await client.until(({ type }) => type === 'position');

  const { recording_id: id } = (await service.upload(token)).body;
  const saved = await client.until(({ type }) => type === 'saved');
  assert.equal(saved['recording_id'], id);
  assert.deepEqual(Object.keys(saved['paths'] as object).toSorted(), [
    'index',
    'summary',
    'transcript',
  ]);
  await client.until(({ to }) => to === 'idle.saved');
  await client.until(
    ({ type, status, position }) =>
      type === 'status' && status === 'IDLE' && position! >= saved.position!,
  );
  const moves = client.frames.filter(({ type }) => type === 'transition');
  assert.deepEqual(
    { ...moves[0], at: '', position: 0 },
    {
      type: 'transition',
      recording_id: id,
      event: 'audio.imported',
      from: 'idle.new',
      to: 'transcribing.recognising',
      at: '',
      position: 0,
    },
  );
  for (const [index, move] of moves.slice(1).entries()) {
    assert.equal(move['from'], moves[index]!['to'], 'each move begins where the last one ended');
  }
  assert.deepEqual(
    client.frames
      .filter(({ type }) => type === 'utterance')
      .map(({ text, index, language }) => [index, text, language]),
    [
      [0, 'Hello there.', 'en'],
      [1, 'This is the secret plan.', 'en'],
    ],
  );
  const statuses = client.frames.filter(({ type }) => type === 'status');
  assert.ok(statuses.some(({ status }) => status === 'TRANSCRIBING'));
  assert.ok(statuses.length < moves.length + 3, 'status is told once for what came together');
});

test('with `after` everything durable since then comes before what happens next', async (t) => {
  const { service, token } = await withAda(t);
  const live = connect(service.url, token);
  await live.until(({ type }) => type === 'position');
  await service.settled(token);
  await live.until(({ to }) => to === 'idle.saved');
  const expected = live.frames.filter(isDurable);

  const late = connect(service.url, token, { after: 0 });
  await late.until(({ type }) => type === 'position');
  assert.equal(late.frames[0]?.type, 'status');
  assert.deepEqual(late.frames.filter(isDurable), expected);
  const half = expected[Math.floor(expected.length / 2)]!.position!;
  const resumed = connect(service.url, token, { after: half });
  await resumed.until(({ type }) => type === 'position');
  assert.deepEqual(
    resumed.frames.filter(isDurable),
    expected.filter(({ position }) => position! > half),
  );
});

test('whenever a client comes back, it has seen every durable frame once and in order', async (t) => {
  const { service, token } = await withAda(t);
  const witness = connect(service.url, token);
  await witness.until(({ type }) => type === 'position');

  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 14 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      async (cuts, uploads) => {
        const start = await service.store.head();
        const seen: Frame[] = [];
        let after = start;
        const work = Promise.all(Array.from({ length: uploads }, () => service.settled(token)));
        for (const frames of cuts) {
          // Some lives end while the client still catches up, some when it has followed for a while.
          after = take(await life(service, token, after, frames, work), seen, after);
        }
        await work;
        after = take(await life(service, token, after, Infinity, work), seen, after);

        const head = await service.store.head();
        await witness.until(({ position }) => (position ?? 0) >= head);
        const expected = witness.frames.filter(
          (frame) => isDurable(frame) && frame.position! > start,
        );
        assert.ok(expected.length > 0);
        assert.deepEqual(seen, expected);
      },
    ),
    { numRuns: process.env['MITSCHRIFT_LONG'] ? 100 : 6 },
  );
});

/** Connects until so many durable frames have come, or the work is done and all of it was told. */
async function life(
  service: TestService,
  token: string,
  after: number,
  framesMax: number,
  work: Promise<unknown>,
): Promise<Frame[]> {
  const { socket, frames, closed } = connect(service.url, token, { after });
  /** Of the last fact of the work, when it is done. */
  let end = Infinity;
  const look = (): void => {
    const told = frames.filter(endsPosition).at(-1)?.position ?? 0;
    const enough = frames.filter(isDurable).length > framesMax;
    if (enough || told >= end) socket.terminate();
  };
  socket.on('message', look);
  // A frame that never comes must fail the comparison, not hang the test.
  const limit = setTimeout(() => socket.terminate(), 5000);
  const finish = async (): Promise<void> => {
    await work;
    end = await service.store.head();
    look();
  };
  await Promise.race([closed, finish()]);
  await closed;
  clearTimeout(limit);
  return frames;
}

/** Keeps the frames of whole positions; returns the position to resume from. */
function take(frames: readonly Frame[], seen: Frame[], after: number): number {
  const whole = Math.max(after, ...frames.filter(endsPosition).map(({ position }) => position!));
  seen.push(...frames.filter((frame) => isDurable(frame) && frame.position! <= whole));
  return whole;
}

test('a client sees its own user’s recordings only; an administrator may watch all moves, without content', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const [own, all, bens] = [
    connect(service.url, ada),
    connect(service.url, ada, { query: '&scope=all' }),
    connect(service.url, ben),
  ];
  for (const client of [own, all, bens]) await client.until(({ type }) => type === 'position');
  const id = await service.settled(ben);
  await bens.until(({ to }) => to === 'idle.saved');
  await all.until(({ to }) => to === 'idle.saved');
  assert.ok(all.frames.every(({ type }) => type !== 'utterance' && type !== 'saved'));
  assert.ok(!JSON.stringify(all.frames).includes('plan'));
  // What ben's recording did was told before this: had it come to ada, it would be here by now.
  const adas = await service.settled(ada);
  await own.until(({ to }) => to === 'idle.saved');
  const ids = new Set(own.frames.flatMap((frame) => (frame['recording_id'] as string) ?? []));
  assert.deepEqual([...ids], [adas]);
  assert.ok(!JSON.stringify(own.frames).includes(id));
  const refused = connect(service.url, ben, { query: '&scope=all' });
  assert.equal((await refused.refusal).status, 403);
  const replay = connect(service.url, ada, { query: '&scope=all', after: 0 });
  await replay.until(({ type }) => type === 'position');
  const bensReplayed = replay.frames.filter((frame) => frame['recording_id'] === id);
  assert.ok(bensReplayed.length > 0 && bensReplayed.every(({ type }) => type === 'transition'));
});

test('four clients read the log for what they missed at the same time, the others after them', async (t) => {
  const { service, token } = await withAda(t);
  await service.settled(token);
  const { store } = service;
  const readAll = store.readAll.bind(store);
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  let reading = 0;
  let most = 0;
  t.mock.method(store, 'readAll', async function* (...asked: Parameters<typeof readAll>) {
    reading += 1;
    most = Math.max(most, reading);
    try {
      await opened;
      yield* readAll(...asked);
    } finally {
      reading -= 1;
    }
  });
  const clients = Array.from({ length: 7 }, () => connect(service.url, token, { after: 0 }));
  // With its status a client has been let in, or waits.
  for (const { until } of clients) await until(({ type }) => type === 'status');
  assert.equal(reading, 4);
  // One that leaves while it waits does not take a place with it.
  clients.at(-1)!.socket.terminate();
  gate.emit('open');
  for (const { until } of clients.slice(0, -1)) await until(({ type }) => type === 'position');
  assert.equal(most, 4);
  const late = connect(service.url, token, { after: 0 });
  await late.until(({ type }) => type === 'position');
  const first = clients[0]!.frames.filter(isDurable);
  assert.ok(first.length > 0);
  for (const { frames } of [...clients.slice(1, -1), late]) {
    assert.deepEqual(frames.filter(isDurable), first);
  }
});

test('a reader who connects while a fact is being published hears of it', async (t) => {
  const { service } = await withAda(t);
  const [owen, ben, cleo] = [
    await service.addUser('owen'),
    await service.addUser('ben'),
    await service.addUser('cleo'),
  ];
  const id = await runningRecording(service, owen);
  const asOwner = (method: string, path: string, json: unknown) =>
    service.call(method, `/recordings/${id}${path}`, { token: owen, json });
  await asOwner('PUT', '/access', { user: 'ben' });
  // Because of her the feed asks whose the recording is, and who may read it.
  const witness = connect(service.url, cleo);
  await witness.until(({ type }) => type === 'position');

  const { storage } = service;
  const getMany = storage.getMany.bind(storage);
  const gate = new EventEmitter();
  const mocked = t.mock.method(storage, 'getMany', async (name: string, keys: string[]) => {
    // The line alone: requests read the digest with it.
    if (keys.length === 1 && keys[0] === `r/${id}` && gate.listenerCount('open') === 0) {
      const opened = once(gate, 'open');
      gate.emit('asked');
      await opened;
    }
    return await getMany(name, keys);
  });
  const start = await service.store.head();
  const asked = once(gate, 'asked');
  const paused = asOwner('POST', '/pause', {});
  await asked;
  const readers = [connect(service.url, ben), connect(service.url, ben, { after: start })];
  for (const { until } of readers) await until(({ type }) => type === 'status');
  mocked.mock.restore();
  gate.emit('open');
  await paused;
  await asOwner('POST', '/resume', {});
  for (const { until, frames } of readers) {
    await until(({ event }) => event === 'recording.resumed');
    const moves = frames.filter(({ type }) => type === 'transition');
    assert.deepEqual(
      moves.map(({ event }) => event),
      ['recording.paused', 'recording.resumed'],
    );
  }
});

test('progress is told while a stage runs', async (t) => {
  const { service, token } = await withAda(t);
  const client = connect(service.url, token);
  await client.until(({ type }) => type === 'position');
  service.engines.hold('transcribe');
  const { recording_id: id } = (await service.upload(token)).body;
  const progress = await client.until(
    ({ type, fraction }) => type === 'progress' && fraction === 0.5,
  );
  assert.deepEqual([progress['recording_id'], progress['stage']], [id, 'transcribe']);
  assert.equal(progress.position, undefined);
});

test('what a recording waits for is told to its owner, and not to readers', async (t) => {
  const asked = new EventEmitter();
  const transcribe: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'transcribe', concurrency: 8 });
    await once(asked, 'wait');
    job.waiting({ since: new Date().toISOString() });
    await once(asked, 'go on');
    job.progress(0.7);
    await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
  };
  const { service, token } = await withAda(t, { stages: { transcribe } });
  const bens = await service.addUser('ben');
  const { recording_id: id } = (await service.upload(token)).body;
  const share = { token, json: { user: 'ben' } };
  assert.equal((await service.call('PUT', `/recordings/${id}/access`, share)).status, 200);
  const [ada, ben] = [token, bens].map((one) => connect(service.url, one)) as [
    ReturnType<typeof connect>,
    ReturnType<typeof connect>,
  ];
  for (const client of [ada, ben]) await client.until(({ type }) => type === 'position');
  asked.emit('wait');
  await ada.until(({ type, waiting }) => type === 'progress' && waiting !== null);
  asked.emit('go on');
  await ben.until(({ type, fraction }) => type === 'progress' && fraction === 0.7);
  const heard = ben.frames.filter(({ type }) => type === 'progress');
  assert.deepEqual(
    heard.filter(({ waiting }) => waiting !== null),
    [],
  );
});

test('who resumes after a position that the log does not have, as after a restored backup, is told and hears again', async (t) => {
  const { service, token } = await withAda(t);
  const head = await service.store.head();
  const client = connect(service.url, token, { after: head + 1000 });
  const told = await client.until(({ type }) => type === 'position');
  assert.deepEqual([told['position'], told['skipped']], [client.frames[0]?.position, true]);
  assert.deepEqual(
    client.frames.map(({ type }) => type),
    ['status', 'access', 'position'],
  );
  const { recording_id: id } = (await service.upload(token)).body;
  await client.until(({ type, recording_id }) => type === 'transition' && recording_id === id);
  // At the end of the log nothing is missing.
  const same = connect(service.url, token, { after: await service.store.head() });
  assert.ok(!('skipped' in (await same.until(({ type }) => type === 'position'))));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordings, statusOf } from '../../projections/recordings.ts';
import { type FactTeller, joined, tellFinish, tellImport } from '../support/fact-teller.ts';
import { projected } from '../support/projected.ts';

test('a user without recordings is idle', async (t) => {
  const { storage } = projected(t, recordings);
  assert.deepEqual(await statusOf(storage, 'anna'), {
    status: 'IDLE',
    recording: null,
    recordings: [],
    processing: [],
    speakersPending: [],
    errors: [],
    position: 0,
  });
});

test('what is most urgent is the status, and everything is told', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  const seen: string[] = [];
  const look = async (position: number) => {
    await settled(position);
    seen.push((await statusOf(storage, 'anna')).status);
  };
  await look((await tellImport(teller, 'r1')).position);
  await tellImport(teller, 'r2', { kind: 'meeting', title: 'Planning' });
  await look((await teller.of('r2', joined('SPEAKER_1'), 'awaiting-speakers')).position);
  await tellImport(teller, 'r3');
  const failed = await teller.of(
    'r3',
    {
      type: 'stage.failed',
      data: { stage: 'transcribe', code: 'engine-away', retriable: true },
      content: { message: 'away' },
    },
    'error',
  );
  await look(failed.position);
  await look((await start(teller, 'r4', null)).position);
  const device = await start(teller, 'r5', 'Mic');
  await look(device.position);
  await tellImport(teller, 'foreign', { owner: 'bert' });
  const ours = await teller.of(
    'r1',
    { type: 'stage.started', data: { stage: 'transcribe' } },
    'transcribing.recognising',
    { attempt: 3 },
  );
  await settled(ours.position);
  assert.deepEqual(seen, ['TRANSCRIBING', 'AWAITING_SPEAKERS', 'ERROR', 'RECORDING', 'RECORDING']);

  const view = await statusOf(storage, 'anna');
  assert.equal(view.recording?.recordingId, 'r5', 'the one from a device');
  assert.equal(view.recordings.length, 2);
  assert.deepEqual(
    view.processing.map(({ recordingId, running }) => [recordingId, running[0]?.attempt]),
    [['r1', 3]],
  );
  assert.deepEqual(
    view.speakersPending.map(({ recordingId, title, speakers }) => [
      recordingId,
      title,
      speakers[0]?.suggestedName,
    ]),
    [['r2', 'Planning', 'maybe SPEAKER_1']],
  );
  assert.deepEqual(view.errors, [
    {
      recordingId: 'r3',
      title: null,
      source: 'talk.wav',
      startedAt: '2026-03-01T10:00:00.000Z',
      stage: 'transcribe',
      code: 'engine-away',
      message: 'away',
      reason: null,
      retriable: true,
      at: failed.at,
    },
  ]);
  assert.equal(view.position, ours.position);
  assert.equal((await statusOf(storage, 'bert')).position, ours.position - 1);
});

test('pauses do not count as recorded', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await start(teller, 'r1', 'Mic', '2026-03-01T10:00:00Z');
  const paused = await teller.of('r1', { type: 'recording.paused', data: {} }, 'recording.paused', {
    at: '2026-03-01T10:00:10Z',
  });
  await settled(paused.position);
  const now = (at: string) => statusOf(storage, 'anna', new Date(at));
  const pausing = (await now('2026-03-01T10:05:00Z')).recording;
  assert.deepEqual([pausing?.duration, pausing?.paused], [10, true]);
  const resumed = await teller.of(
    'r1',
    { type: 'recording.resumed', data: {} },
    'recording.active',
    { at: '2026-03-01T11:00:00Z' },
  );
  await settled(resumed.position);
  const going = (await now('2026-03-01T11:00:05Z')).recording;
  assert.deepEqual([going?.duration, going?.paused], [15, false]);
});

test('a finished recording is not told any more', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1');
  await tellFinish(teller, 'r1', 'done');
  await settled(5);
  const view = await statusOf(storage, 'anna');
  assert.equal(view.status, 'IDLE');
  assert.deepEqual(view.processing, []);
  assert.equal(view.position, 5);
});

test('a meeting that was put off is asked about again when it waits anew', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  const asked = async ({ position }: { position: number }) => {
    await settled(position);
    return (await statusOf(storage, 'anna')).speakersPending.length;
  };
  const waits = () => teller.of('r1', joined('SPEAKER_1'), 'awaiting-speakers');
  await tellImport(teller, 'r1', { kind: 'meeting' });
  assert.equal(await asked(await waits()), 1);
  const postponed = { type: 'speakers.postponed', data: {} } as const;
  assert.equal(await asked(await teller.of('r1', postponed, 'awaiting-speakers')), 0);
  const again = { type: 'reprocessing.requested', data: { from: 'speech-to-text' } } as const;
  await teller.of('r1', again, 'transcribing.recognising');
  assert.equal(await asked(await waits()), 1);
});

test('handing a recording over changes the status of both', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1');
  const handOver = { type: 'recording.handed_over', data: { owner: 'bert' } } as const;
  const { position } = await teller.of('r1', handOver, 'transcribing.recognising');
  await settled(position);
  const [anna, bert] = await Promise.all(['anna', 'bert'].map((one) => statusOf(storage, one)));
  assert.deepEqual([anna!.status, anna!.position], ['IDLE', position]);
  assert.deepEqual([bert!.status, bert!.position], ['TRANSCRIBING', position]);
});

const start = (teller: FactTeller, id: string, device: string | null, at?: string) =>
  teller.of(
    id,
    {
      type: 'recording.started',
      data: {
        owner: 'anna',
        kind: 'solo',
        language: null,
        speakers: null,
        device,
        trigger: 'http',
      },
    },
    'recording.active',
    at === undefined ? {} : { at },
  );

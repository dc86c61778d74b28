import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  recordingById,
  recordings,
  recordingsOf,
  unsettledRecordings,
} from '../../projections/recordings.ts';
import {
  completed,
  joined,
  pathsOf,
  saved,
  tellFinish,
  tellImport,
  tellSpeech,
} from '../support/fact-teller.ts';
import { rowsOf } from '../support/memory-projection-storage.ts';
import { projected } from '../support/projected.ts';
import { noteOf } from '../../src/words/notes.ts';

test('a recording from the microphone to its documents', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  const started = await teller.of(
    'r1',
    {
      type: 'recording.started',
      data: {
        owner: 'anna',
        kind: 'solo',
        language: 'de',
        speakers: null,
        device: 'Mic',
        trigger: 'http',
      },
      content: { title: 'Asked for' },
    },
    'recording.active',
  );
  await settled(started.position);
  const recording = await recordingById(storage, 'r1');
  assert.equal(recording?.status, 'recording');
  assert.equal(recording?.title, 'Asked for');
  assert.equal(recording?.device, 'Mic');
  assert.deepEqual(await unsettled(storage), ['r1']);

  const gaps: [number, number][] = [[3, 1]];
  const ledger = { samples: 1, gaps, silent_seconds: 0, clipped_samples: 0 };
  await teller.of(
    'r1',
    {
      type: 'capture.interrupted',
      data: {
        path: 'audio.wav',
        bytes: 5,
        sha256: 'x',
        duration: 9,
        reason: 'browser-gone',
        ledger,
      },
    },
    'transcribing.recognising',
  );
  await tellSpeech(teller, 'r1', ['eins']);
  const spoken = await teller.of(
    'r1',
    { type: 'stage.started', data: { stage: 'transcribe' } },
    'transcribing.recognising',
    { attempt: 2 },
  );
  await settled(spoken.position);
  const transcribing = await recordingById(storage, 'r1');
  assert.deepEqual(transcribing?.running, [{ stage: 'transcribe', attempt: 2, since: spoken.at }]);
  assert.deepEqual(transcribing?.audio, { path: 'audio.wav', bytes: 5, sha256: 'x' });
  assert.deepEqual(transcribing?.ledger, ledger);
  assert.equal(transcribing?.position, 2, 'of the fact that led into this state');

  await teller.of(
    'r1',
    completed('en'),
    'transcribing.finishing(punctuate.running,summarise.running)',
  );
  await tellFinish(teller, 'r1', 'first');
  await settled(11);
  const done = await recordingById(storage, 'r1');
  assert.equal(done?.state, 'idle.saved');
  assert.equal(done?.status, 'idle');
  assert.equal(done?.title, 'first title');
  assert.equal(done?.abstract, 'first abstract');
  assert.equal(done?.language, 'en');
  assert.equal(done?.version, 1);
  assert.deepEqual(done?.documents, pathsOf('r1'));
  assert.deepEqual(done?.documentHashes, { index: 'i1', transcript: 't1', summary: 's1' });
  assert.deepEqual(done?.notes, [
    noteOf('capture-interrupted', { reason: 'browser-gone' }),
    noteOf('gaps', { missing: 1 }),
  ]);
  assert.deepEqual(done?.running, []);
  assert.deepEqual(await unsettled(storage), []);
});

test('what is asked while speakers are awaited, and the names given', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1', { kind: 'meeting' });
  const asked = await teller.of(
    'r1',
    joined('SPEAKER_1', 'SPEAKER_2', '__proto__'),
    'awaiting-speakers',
  );
  await settled(asked.position);
  const awaiting = await recordingById(storage, 'r1');
  assert.equal(awaiting?.status, 'awaiting-speakers');
  assert.deepEqual(awaiting?.suggestions[0], {
    label: 'SPEAKER_1',
    suggestedName: 'maybe SPEAKER_1',
    confidence: 0.5,
    reason: 'was greeted',
    seconds: 2,
    share: 0.333,
    sample: { start: 0, end: 1, text: 'Guten Tag' },
    samples: [],
  });
  const named = await teller.of(
    'r1',
    {
      type: 'speakers.named',
      data: { labels: ['SPEAKER_1', 'SPEAKER_2'] },
      content: { names: { SPEAKER_1: ' Anna ', SPEAKER_2: '' } },
    },
    'transcribing.finishing(punctuate.running,summarise.running)',
  );
  await settled(named.position);
  const row = await recordingById(storage, 'r1');
  assert.deepEqual(
    row?.speakers.map(({ label, name }) => [label, name]),
    [
      ['SPEAKER_1', 'Anna'],
      ['SPEAKER_2', null],
      ['__proto__', null],
    ],
  );
  assert.deepEqual(row?.suggestions, []);
});

test('a failure is shown until it is cleared or tried again, and results survive the retry', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1');
  await tellFinish(teller, 'r1', 'old');
  await teller.of(
    'r1',
    { type: 'reprocessing.requested', data: { from: 'language-model' } },
    'transcribing.finishing(punctuate.running,summarise.running)',
  );
  await teller.of(
    'r1',
    {
      type: 'title.chosen',
      data: { engine: 'x', model: null },
      content: { title: 'new', abstract: 'new' },
    },
    'transcribing.writing',
  );
  const failed = await teller.of(
    'r1',
    {
      type: 'stage.failed',
      data: { stage: 'write', code: 'disk-full', retriable: true },
      content: { message: 'The disk is full', traceback: 'at …' },
    },
    'error',
  );
  await settled(failed.position);
  const row = await recordingById(storage, 'r1');
  assert.deepEqual(row?.error, {
    stage: 'write',
    code: 'disk-full',
    message: 'The disk is full',
    reason: null,
    retriable: true,
    at: failed.at,
  });
  assert.equal(row?.title, 'old title');
  await teller.of('r1', { type: 'retry.requested', data: {} }, 'transcribing.writing');
  const again = await teller.of('r1', saved(2, 'r1'), 'idle.saved');
  await settled(again.position);
  const done = await recordingById(storage, 'r1');
  assert.equal(done?.error, null);
  assert.equal(done?.title, 'new');
  assert.equal(done?.version, 2);
  assert.equal(done?.run, 2);
});

test('a cancelled reprocessing leaves what belongs to the documents', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1', { kind: 'meeting' });
  await teller.of('r1', joined('SPEAKER_1'), 'awaiting-speakers');
  await teller.of('r1', { type: 'speakers.skipped', data: {} }, 'transcribing.finishing');
  await tellFinish(teller, 'r1', 'old');
  const before = await teller.of(
    'r1',
    { type: 'reprocessing.requested', data: { from: 'speech-to-text', language: 'fr' } },
    'transcribing.recognising',
  );
  await teller.of('r1', joined('SPEAKER_7'), 'awaiting-speakers');
  await settled(before.position + 1);
  const during = await recordingById(storage, 'r1');
  assert.deepEqual(
    during?.speakers.map(({ label }) => label),
    ['SPEAKER_1'],
  );
  assert.deepEqual(
    during?.suggestions.map(({ label }) => label),
    ['SPEAKER_7'],
    'asked for the new turns',
  );
  const cancelled = await teller.of('r1', { type: 'processing.cancelled', data: {} }, 'idle.saved');
  await settled(cancelled.position);
  const row = await recordingById(storage, 'r1');
  assert.deepEqual(
    row?.speakers.map(({ label }) => label),
    ['SPEAKER_1'],
  );
  assert.equal(row?.language, null);
  assert.deepEqual(row?.notes, [noteOf('speakers-skipped')]);
});

test('names given during a cancelled reprocessing of the same turns stay', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1', { kind: 'meeting' });
  await teller.of('r1', joined('SPEAKER_1'), 'awaiting-speakers');
  await teller.of('r1', { type: 'speakers.skipped', data: {} }, 'transcribing.finishing');
  await tellFinish(teller, 'r1', 'old');
  await teller.of(
    'r1',
    { type: 'reprocessing.requested', data: { from: 'language-model' } },
    'awaiting-speakers',
  );
  const asked = await teller.of(
    'r1',
    { type: 'stage.started', data: { stage: 'punctuate' } },
    'awaiting-speakers',
  );
  await settled(asked.position);
  assert.equal((await recordingById(storage, 'r1'))?.suggestions.length, 1, 'asked again');
  await teller.of(
    'r1',
    {
      type: 'speakers.named',
      data: { labels: ['SPEAKER_1'] },
      content: { names: { SPEAKER_1: 'Anna' } },
    },
    'transcribing.finishing',
  );
  const cancelled = await teller.of('r1', { type: 'processing.cancelled', data: {} }, 'idle.saved');
  await settled(cancelled.position);
  assert.equal((await recordingById(storage, 'r1'))?.speakers[0]?.name, 'Anna');
});

test('lists are newest first, by owner and status, a page at a time', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  for (let day = 1; day <= 7; day += 1) {
    await tellImport(teller, `r${day}`, { startedAt: `2026-03-0${day}T11:00:00+02:00` });
  }
  await tellImport(teller, 'other', { owner: 'bert' });
  const last = await teller.of(
    'r4',
    { type: 'stage.failed', data: { stage: 'transcribe', code: 'x', retriable: true } },
    'error',
  );
  await settled(last.position);

  const ids: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await recordingsOf(storage, 'anna', { limit: 3, cursor });
    ids.push(page.rows.map((row) => row.recordingId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(ids, [['r7', 'r6', 'r5'], ['r4', 'r3', 'r2'], ['r1']]);

  const failed = await recordingsOf(storage, 'anna', { status: 'error' });
  assert.deepEqual(
    failed.rows.map((row) => row.recordingId),
    ['r4'],
  );
  assert.equal((await recordingsOf(storage, 'anna', { status: 'transcribing' })).rows.length, 6);
  assert.deepEqual(await recordingsOf(storage, 'nobody'), { rows: [], nextCursor: null });
});

test('a cursor that no list handed out is refused, and so is a page of no size', async (t) => {
  const { storage } = projected(t, recordings);
  const sound = Buffer.from('2026-03-01T00:00:00.000Z/r1').toString('base64url');
  assert.deepEqual((await recordingsOf(storage, 'anna', { cursor: sound })).rows, []);
  const made = Buffer.from('2026-03-01T00:00:00.000Z/../../s/bert').toString('base64url');
  for (const cursor of [
    '',
    'x',
    made,
    `${sound}!`,
    ` ${sound}`,
    'ä'.repeat(500),
    Buffer.from('zzz/r1').toString('base64url'),
  ]) {
    await assert.rejects(recordingsOf(storage, 'anna', { cursor }), { code: 'INVALID_CURSOR' });
  }
  for (const limit of [0, 201, 1.5, Number.NaN]) {
    await assert.rejects(recordingsOf(storage, 'anna', { limit }), RangeError);
  }
});

test('nothing of what was said is left after an erasure, live or replayed without the key', async (t) => {
  const { teller, storage, settled, keys, replayed } = projected(t, recordings);
  await tellImport(teller, 'r1', { kind: 'meeting', title: 'words of a person' });
  await teller.of('r1', joined('SPEAKER_1'), 'awaiting-speakers');
  await teller.of(
    'r1',
    {
      type: 'speakers.named',
      data: { labels: ['SPEAKER_1'] },
      content: { names: { SPEAKER_1: 'words' } },
    },
    'transcribing.finishing',
  );
  await tellFinish(teller, 'r1', 'words');
  await keys.forget('r1');
  // Replayed after a crash between the key's end and the fact: no text, and nothing breaks.
  const between = await replayed();
  assert.equal((await recordingById(between, 'r1'))?.title, null);
  assert.equal((await recordingById(between, 'r1'))?.documents, null);
  assert.doesNotMatch(JSON.stringify(await rowsOf(between, 'recordings')), /words|maybe|Guten/);

  const erased = await teller.of('r1', { type: 'recording.erased', data: {} }, 'idle.erased');
  await settled(erased.position);
  const rows = await rowsOf(storage, 'recordings');
  assert.deepEqual(Object.keys(rows), ['d/r1', 'p/anna', 'r/r1']);
  assert.doesNotMatch(JSON.stringify(rows), /words|maybe|Guten|wav/);
  assert.equal((await recordingById(storage, 'r1'))?.state, 'idle.erased');
  assert.deepEqual((await recordingsOf(storage, 'anna')).rows, []);
  assert.deepEqual(await rowsOf(await replayed(), 'recordings'), rows);
});

test('clearing an error without audio erases as well', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1', { title: 'words' });
  await teller.of(
    'r1',
    {
      type: 'stage.failed',
      data: { stage: 'capture', code: 'x', retriable: false },
      content: { message: 'words' },
    },
    'error',
  );
  const cleared = await teller.of('r1', { type: 'error.cleared', data: {} }, 'idle.erased');
  await settled(cleared.position);
  assert.doesNotMatch(JSON.stringify(await rowsOf(storage, 'recordings')), /words/);
  assert.deepEqual((await recordingsOf(storage, 'anna')).rows, []);
});

async function unsettled(storage: Parameters<typeof unsettledRecordings>[0]): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of unsettledRecordings(storage)) ids.push(id);
  return ids;
}

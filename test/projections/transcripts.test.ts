import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { recordings } from '../../projections/recordings.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { libraryOf, recordingByFilename } from '../../projections/library.ts';
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

test('words can be read as they are recognised, then blocks and summary', async (t) => {
  const { teller, storage, settled, runner } = projected(t, recordings);
  await tellImport(teller, 'r1');
  await tellSpeech(teller, 'r1', ['eins', 'zwei']);
  await settled(5);
  const live = await transcriptOf(storage, 'r1');
  assert.deepEqual(spoken(live), ['eins', 'zwei']);
  assert.deepEqual(
    live?.blocks.map(({ text }) => text),
    ['eins zwei'],
  );
  assert.equal(live?.summary, null);

  await teller.of('r1', completed(), 'transcribing.finishing');
  await tellFinish(teller, 'r1', 'first');
  await settled(10);
  const done = await transcriptOf(storage, 'r1');
  assert.deepEqual(spoken(done), [], 'there are blocks made of it');
  assert.equal(done?.blocks[0]?.text, 'first block');
  assert.equal(done?.summary, 'first summary');
  assert.equal(await transcriptOf(storage, 'unknown'), undefined);
  assert.equal(runner.states()[0]?.state, 'live');
});

test('the old text stays until the documents of a further pass are saved', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1');
  await tellSpeech(teller, 'r1', ['alt', 'und', 'länger']);
  await tellFinish(teller, 'r1', 'old');
  await teller.of(
    'r1',
    { type: 'reprocessing.requested', data: { from: 'speech-to-text' } },
    'transcribing.recognising',
  );
  await tellSpeech(teller, 'r1', ['neu']);
  const last = await teller.of('r1', completed('en'), 'transcribing.finishing');
  await settled(last.position);
  const during = await transcriptOf(storage, 'r1');
  assert.equal(during?.blocks[0]?.text, 'old block');
  assert.equal((await libraryOf(storage, 'anna')).rows[0]?.title, 'old title');

  await tellFinish(teller, 'r1', 'new', 2);
  await settled(last.position + 4);
  const after = await transcriptOf(storage, 'r1');
  assert.equal(after?.blocks[0]?.text, 'new block');
  assert.equal(after?.summary, 'new summary');
  const { rows } = await libraryOf(storage, 'anna');
  assert.deepEqual(
    rows.map(({ title, language }) => [title, language]),
    [['new title', 'en']],
  );
  const rowsLeft = JSON.stringify(await rowsOf(storage, 'recordings'));
  assert.doesNotMatch(rowsLeft, /alt|länger/);
  assert.match(rowsLeft, /old block/, 'the first version can be restored');
});

test('a cancelled pass leaves nothing behind', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1');
  await tellSpeech(teller, 'r1', ['alt']);
  await tellFinish(teller, 'r1', 'old');
  await teller.of(
    'r1',
    { type: 'reprocessing.requested', data: { from: 'speech-to-text' } },
    'transcribing.recognising',
  );
  await tellSpeech(teller, 'r1', ['neu', 'neu']);
  await teller.of('r1', joined('neu'), 'awaiting-speakers');
  const cancelled = await teller.of('r1', { type: 'processing.cancelled', data: {} }, 'idle.saved');
  await settled(cancelled.position);
  assert.equal((await transcriptOf(storage, 'r1'))?.blocks[0]?.text, 'old block');
  assert.doesNotMatch(JSON.stringify(await rowsOf(storage, 'recordings')), /neu/);
});

test('the language model again: the words stay, what it wrote is replaced at once', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1');
  await tellSpeech(teller, 'r1', ['wort']);
  await tellFinish(teller, 'r1', 'old');
  await teller.of(
    'r1',
    { type: 'reprocessing.requested', data: { from: 'language-model' } },
    'transcribing.finishing',
  );
  await tellFinish(teller, 'r1', 'new', 2);
  await settled(13);
  const row = await transcriptOf(storage, 'r1');
  assert.equal(row?.summary, 'new summary');
  assert.equal(row?.blocks[0]?.text, 'new block');
});

test('the library has recordings with documents only, newest first, by kind and by file name', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  for (let day = 1; day <= 4; day += 1) {
    const kind = day % 2 === 0 ? 'meeting' : 'solo';
    await tellImport(teller, `r${day}`, { kind, startedAt: `2026-03-0${day}T10:00:00Z` });
  }
  await teller.of('r2', joined('SPEAKER_1', 'SPEAKER_2', 'SPEAKER_3'), 'awaiting-speakers');
  await teller.of(
    'r2',
    {
      type: 'speakers.named',
      data: { labels: [] },
      content: { names: { SPEAKER_1: 'Anna', SPEAKER_2: 'Anna' } },
    },
    'transcribing.finishing',
  );
  for (const id of ['r1', 'r2', 'r3']) await tellFinish(teller, id, id);
  await tellImport(teller, 'other', { owner: 'bert' });
  await tellFinish(teller, 'other', 'foreign');
  const last = await teller.of('r3', saved(2, 'Grüße'), 'idle.saved');
  await settled(last.position);

  const all = await libraryOf(storage, 'anna', { limit: 2 });
  assert.deepEqual(
    all.rows.map(({ documents }) => documents.index),
    ['Grüße.md', 'r2.md'],
  );
  const rest = await libraryOf(storage, 'anna', { limit: 2, cursor: all.nextCursor ?? '' });
  assert.deepEqual(
    rest.rows.map(({ documents }) => documents.index),
    ['r1.md'],
  );
  assert.equal(rest.nextCursor, null);
  const meetings = await libraryOf(storage, 'anna', { kind: 'meeting' });
  const meeting = meetings.rows[0]!;
  const { recordingId, owner, title, source, abstract, startedAt, speakers, documents } = meeting;
  assert.equal(meetings.rows.length, 1);
  assert.deepEqual(
    { recordingId, owner, title, source, abstract, startedAt, speakers, documents },
    {
      recordingId: 'r2',
      owner: 'anna',
      title: 'r2 title',
      source: 'talk.wav',
      abstract: 'r2 abstract',
      startedAt: '2026-03-02T10:00:00.000Z',
      speakers: [
        { label: 'SPEAKER_1', name: 'Anna', seconds: 2 },
        { label: 'SPEAKER_2', name: 'Anna', seconds: 2 },
        { label: 'SPEAKER_3', name: null, seconds: 2 },
      ],
      documents: pathsOf('r2'),
    },
  );

  const names = async (request: Parameters<typeof libraryOf>[2]) =>
    (await libraryOf(storage, 'anna', request)).rows.map(({ recordingId }) => recordingId);
  assert.deepEqual(
    await names({ from: '2026-03-02T11:00:00+01:00' }),
    ['r3', 'r2'],
    'that moment is in',
  );
  assert.deepEqual(await names({ to: '2026-03-02T10:00:00Z' }), ['r2', 'r1'], 'that moment is in');
  const { nextCursor } = await libraryOf(storage, 'anna', {
    limit: 1,
    to: '2026-03-02T10:00:00Z',
  });
  assert.deepEqual(await names({ to: '2026-03-03T00:00:00Z', cursor: nextCursor! }), ['r1']);
  assert.equal(await recordingByFilename(storage, 'anna', 'r2/zusammenfassung.md'), 'r2');
  assert.equal(await recordingByFilename(storage, 'anna', 'Grüße.md'.normalize('NFD')), 'r3');
  assert.equal(
    await recordingByFilename(storage, 'anna', 'r3.md'),
    undefined,
    'not its name any more',
  );
  assert.equal(await recordingByFilename(storage, 'bert', 'r2.md'), undefined);
});

test('a page of the library opens the small rows of its recordings alone, not their facts', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  await tellImport(teller, 'r1');
  await tellSpeech(teller, 'r1', ['eins']);
  await tellFinish(teller, 'r1', 'first');
  await settled(8);
  const page = await libraryOf(storage, 'anna');
  assert.equal(page.rows[0]?.title, 'first title');
  const withoutFacts = {
    ...storage,
    getMany<T>(name: string, keys: readonly string[]) {
      for (const key of keys) assert.match(key, /^r\//);
      return storage.getMany<T>(name, keys);
    },
  };
  assert.deepEqual(await libraryOf(withoutFacts, 'anna'), page);
});

test('a document is found by its name, also while its key is away, and no row would confirm a guess of it', async (t) => {
  const { teller, storage, settled } = projected(t, recordings);
  const bases = ['2026-03-01 10.00 Grüße', '2026-03-01 10.00 Pläne', '2026-03-01 10.01 Pläne'];
  let position = 0;
  for (const [at, base] of bases.entries()) {
    await tellImport(teller, `r${at}`);
    await tellFinish(teller, `r${at}`, `r${at}`);
    ({ position } = await teller.of(`r${at}`, saved(2, base), 'idle.saved'));
  }
  await settled(position);
  const found = (rows = storage) =>
    Promise.all(
      [...bases, '2026-03-01 10.00 Ziele'].map((base) =>
        recordingByFilename(rows, 'anna', `${base.normalize('NFD')}.md`),
      ),
    );
  assert.deepEqual(await found(), ['r0', 'r1', 'r2', undefined]);
  // As rows are without their key: what is sealed is missing.
  const away = (id: string): typeof storage => ({
    ...storage,
    async get<T>(projection: string, key: string) {
      const row = await storage.get<object>(projection, key);
      const left = { ...row, texts: undefined, facts: undefined, unreadable: true };
      return (key === `r/${id}` ? left : row) as T;
    },
  });
  assert.deepEqual(await found(away('r2')), ['r0', 'r1', 'r2', undefined]);
  assert.deepEqual((await found(away('r1'))).slice(0, 3), ['r0', 'r1', 'r2']);

  for await (const [key, row] of storage.range(recordings.name, { gte: '', lt: '\uffff' })) {
    for (const path of Object.values(pathsOf(bases[0]!)).flatMap((one) => [one, bases[0]!])) {
      const hash = createHash('sha256').update(path.normalize('NFC')).digest();
      for (const form of ['hex', 'base64', 'base64url'] as const)
        assert.ok(!`${key} ${JSON.stringify(row)}`.includes(hash.toString(form)), key);
    }
  }
});

test('nothing is left of an erased recording, live or replayed without the key', async (t) => {
  const { teller, storage, settled, keys, replayed } = projected(t, recordings);
  await tellImport(teller, 'r1');
  await tellSpeech(teller, 'r1', ['geheim']);
  await tellFinish(teller, 'r1', 'old');
  await teller.of(
    'r1',
    { type: 'reprocessing.requested', data: { from: 'speech-to-text' } },
    'transcribing.recognising',
  );
  await tellSpeech(teller, 'r1', ['geheim', 'geheim']);
  await keys.forget('r1');
  assert.doesNotMatch(
    JSON.stringify(await rowsOf(await replayed(), 'recordings')),
    /geheim|\bold\b/,
  );
  const erased = await teller.of('r1', { type: 'recording.erased', data: {} }, 'idle.erased');
  await settled(erased.position);
  for (const rows of [storage, await replayed()]) {
    const left = await rowsOf(rows, 'recordings');
    assert.deepEqual(Object.keys(left), ['d/r1', 'p/anna', 'r/r1']);
    assert.doesNotMatch(JSON.stringify(left), /geheim|\bold\b/);
  }
  assert.equal(await transcriptOf(storage, 'r1'), undefined);
});

const spoken = (row: Awaited<ReturnType<typeof transcriptOf>>): string[] | undefined =>
  row?.utterances.map(({ segments }) => segments.map(({ text }) => text).join(' '));

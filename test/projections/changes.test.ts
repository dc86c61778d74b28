import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { recordingById, recordings, recordingsOf, statusOf } from '../../projections/recordings.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { libraryOf, recordingByFilename } from '../../projections/library.ts';
import {
  block,
  pathsOf,
  saved,
  tellFinish,
  tellImport,
  tellSpeech,
} from '../support/fact-teller.ts';
import { rowsOf } from '../support/memory-projection-storage.ts';
import { projected } from '../support/projected.ts';
import { noteOf } from '../../src/words/notes.ts';

const id = '01M7YB8DQZG1E7K5Q61TP77TYM';
const writing = 'transcribing.writing';
/** Version of the fact whose blocks are corrected, after one utterance. */
const punctuated = 5;

test('a title and a language that a person gave stay through later passes', async (t) => {
  const { teller, storage, settled } = await told(t);
  await teller.of(
    id,
    { type: 'title.changed', data: {}, content: { title: 'Mine', previous: 'x' } },
    writing,
  );
  await teller.of(id, { type: 'language.set', data: { language: 'fr' } }, writing);
  await teller.of(id, saved(2, 'base'), 'idle.saved');
  await teller.of(
    id,
    { type: 'reprocessing.requested', data: { from: 'language-model' } },
    'transcribing.finishing',
  );
  await tellFinish(teller, id, 'second', 3);
  await settled();
  const row = await recordingById(storage, id);
  assert.deepEqual([row?.title, row?.language, row?.version], ['Mine', 'fr', 3]);
  const { rows } = await libraryOf(storage, 'anna');
  assert.equal(rows[0]?.title, 'Mine');
});

test('a corrected block is shown at once; the pass that replaces it brings its own', async (t) => {
  const { teller, storage, settled } = await told(t);
  const edit: RecordingFact = {
    type: 'turn.edited',
    data: { basis: punctuated, block: 't-0001', speaker: null },
    content: { text: 'corrected', words: [] },
  };
  await teller.of(id, edit, writing);
  await teller.of(id, saved(2, 'base'), 'idle.saved');
  await settled();
  assert.deepEqual(
    (await transcriptOf(storage, id))?.blocks.map(({ text }) => text),
    ['corrected'],
  );

  await teller.of(
    id,
    { type: 'reprocessing.requested', data: { from: 'language-model' } },
    'transcribing.finishing',
  );
  await tellFinish(teller, id, 'second', 3);
  await settled();
  assert.deepEqual(
    (await transcriptOf(storage, id))?.blocks.map(({ text }) => text),
    ['second block'],
  );
  assert.deepEqual(
    Object.keys(await rowsOf(storage, recordings.name)).filter((key) => key.includes('/e/')),
    [],
  );
});

test('corrections without a place are noted and listed', async (t) => {
  const { teller, storage, settled } = await told(t);
  const lost = { start: 0, end: 1, before: 'a', after: 'b' };
  await teller.of(
    id,
    { type: 'reprocessing.requested', data: { from: 'language-model' } },
    'transcribing.finishing',
  );
  await teller.of(
    id,
    {
      type: 'transcript.punctuated',
      data: { engine: 'local', model: null, parts: 1, kept: [] },
      content: { blocks: [block('t-0001', 'new', null)] },
    },
    writing,
  );
  await teller.of(
    id,
    {
      type: 'corrections.carried_over',
      data: { placed: 1, unplaced: 1, labels: ['SPEAKER_2'] },
      content: {
        blocks: [block('t-0001', 'newer', null)],
        unplaced: [lost],
        names: { SPEAKER_2: 'Ada' },
      },
    },
    writing,
  );
  await settled();
  assert.deepEqual((await recordingById(storage, id))?.notes, [], 'not shown before it is saved');
  await teller.of(id, saved(2, 'base'), 'idle.saved');
  await settled();
  const row = await recordingById(storage, id);
  assert.deepEqual(row?.notes, [noteOf('corrections-unplaced', { count: 1 })]);
  assert.deepEqual(row?.speakers, [{ label: 'SPEAKER_2', name: 'Ada', seconds: 0 }]);
  const shown = await transcriptOf(storage, id);
  assert.deepEqual([shown?.blocks[0]?.text, shown?.unplaced], ['newer', [lost]]);
});

test('a recording that is handed over is in the other’s lists, library and status, and in nobody else’s', async (t) => {
  const { teller, storage, settled } = await told(t);
  const handOver = { type: 'recording.handed_over', data: { owner: 'ben' } } as const;
  await teller.of(id, handOver, writing);
  await settled();
  assert.equal((await statusOf(storage, 'ben')).status, 'TRANSCRIBING');
  assert.equal((await statusOf(storage, 'anna')).status, 'IDLE');
  const position = (await teller.of(id, saved(2, 'other base'), 'idle.saved')).position;
  await settled();
  assert.deepEqual((await recordingsOf(storage, 'anna')).rows, []);
  assert.deepEqual((await libraryOf(storage, 'anna')).rows, []);
  assert.equal((await recordingsOf(storage, 'ben', { status: 'idle' })).rows[0]?.recordingId, id);
  const { index } = pathsOf('other base');
  assert.equal((await libraryOf(storage, 'ben')).rows[0]?.documents.index, index);
  assert.equal(await recordingByFilename(storage, 'ben', index), id);
  assert.equal(await recordingByFilename(storage, 'anna', index), undefined);
  assert.equal(await recordingByFilename(storage, 'anna', pathsOf(id).index), undefined);
  assert.ok((await statusOf(storage, 'anna')).position < position);
});

test('a restored version is shown when it is saved, not before, and not when it is given up', async (t) => {
  const { teller, storage, settled } = await told(t);
  const restored = {
    type: 'version.restored',
    data: {
      version: 1,
      material: { kind: 'solo', results: {}, labels: [], stretches: 1, utterances: 1 },
      speakers: [],
      language: 'en',
    },
    content: {
      blocks: [block('t-0001', 'of before', null)],
      title: 'Of before',
      abstract: 'a',
      summary: 's',
      names: {},
    },
  } as const;
  const texts = async () => {
    await settled();
    const [row, shown] = [await recordingById(storage, id), await transcriptOf(storage, id)];
    return [row?.title, shown?.blocks[0]?.text, shown?.summary];
  };
  const first = ['first title', 'first block', 'first summary'];
  await teller.of(id, structuredClone(restored) as never, writing);
  assert.deepEqual(await texts(), first);
  await teller.of(id, { type: 'processing.cancelled', data: {} }, 'idle.saved');
  assert.deepEqual(await texts(), first);
  await teller.of(id, structuredClone(restored) as never, writing);
  await teller.of(id, saved(2, 'base'), 'idle.saved');
  assert.deepEqual(await texts(), ['Of before', 'of before', 's']);
});

test('no key of any row holds words, and after an erasure no row does', async (t) => {
  const { teller, storage, settled } = await told(t);
  const word = 'Zwetschge';
  const facts = [
    { type: 'title.changed', data: {}, content: { title: word, previous: word } },
    {
      type: 'turn.edited',
      data: { basis: punctuated, block: 't-0001', speaker: null },
      content: { text: word, words: [] },
    },
  ] as const;
  for (const fact of facts) await teller.of(id, structuredClone(fact) as never, writing);
  await teller.of(id, saved(2, word), 'idle.saved');
  await settled();
  const rows = async () => Object.entries(await rowsOf(storage, recordings.name));
  assert.ok(JSON.stringify(await rows()).includes(word));
  for (const [key] of await rows()) assert.ok(!key.includes(word), key);
  await teller.of(id, { type: 'recording.erased', data: {} }, 'idle.erased');
  await settled();
  assert.ok(!JSON.stringify(await rows()).includes(word));
});

/** A saved recording, live and folded anew. */
async function told(t: Parameters<typeof projected>[0]) {
  const world = projected(t, recordings);
  const { teller } = world;
  await tellImport(teller, id);
  await tellSpeech(teller, id, ['first']);
  await tellFinish(teller, id, 'first');
  let last = 0;
  const of: typeof teller.of = async (...fact) => {
    const stored = await teller.of(...fact);
    last = stored.position;
    return stored;
  };
  const telling = { ...teller, of };
  return {
    storage: world.storage,
    teller: telling,
    async settled() {
      if (last > 0) await world.settled(last);
      // Folded from the beginning they are the same.
      const replayed = await world.replayed();
      const { name } = recordings;
      assert.deepEqual(await rowsOf(replayed, name), await rowsOf(world.storage, name));
    },
  };
}

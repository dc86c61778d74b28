import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { recordings } from '../../projections/recordings.ts';
import { type Search, openSearch } from '../../src/search/search.ts';
import {
  type FactTeller,
  completed,
  saved,
  tellImport,
  tellSpeech,
} from '../support/fact-teller.ts';
import { wordsAlone } from '../support/words-alone.ts';
import { projected } from '../support/projected.ts';

const worker = { engine: 'local', model: null };

/** A saved transcript: a block of ten seconds a text, a word a second, with times where asked for. */
async function tellTranscript(
  teller: FactTeller,
  id: string,
  texts: string[],
  about: { owner?: string; title?: string; summary?: string; timed?: boolean } = {},
): Promise<number> {
  await tellImport(teller, id, about.owner === undefined ? {} : { owner: about.owner });
  await tellSpeech(teller, id, ['x']);
  await teller.of(id, completed(), 'transcribing.finishing(punctuate.running,summarise.running)');
  return tellText(teller, id, texts, about);
}

async function tellText(
  teller: FactTeller,
  id: string,
  texts: string[],
  about: { title?: string; summary?: string; timed?: boolean } = {},
  version = 1,
): Promise<number> {
  const blocks = texts.map((text, index) => ({
    id: `t-${index}`,
    speaker: null,
    start: index * 10,
    end: index * 10 + 10,
    text,
    words: about.timed
      ? text.split(' ').map((word, at) => ({
          text: word,
          start: index * 10 + at,
          end: index * 10 + at + 1,
        }))
      : [],
  }));
  const { title = 'Ein Gespräch', summary = '' } = about;
  await teller.of(
    id,
    {
      type: 'transcript.punctuated',
      data: { ...worker, parts: 1, kept: [] },
      content: { blocks },
    },
    'transcribing.finishing(punctuate.done,summarise.running)',
  );
  await teller.of(
    id,
    {
      type: 'summary.completed',
      data: { ...worker, parts: 1, language: 'de' },
      content: { text: summary },
    },
    'transcribing.entitling',
  );
  await teller.of(
    id,
    { type: 'title.chosen', data: worker, content: { title, abstract: '' } },
    'transcribing.writing',
  );
  return (await teller.of(id, saved(version, id), 'idle.saved')).position;
}

/** Of a machine whose indexes have room for so many pairs of word and transcript: a tenth, 10 bytes each. */
const memoryFor = (pairs: number): number => pairs * 100;

function opened(t: TestContext, pairs = 20_000_000) {
  const world = projected(t, recordings);
  const search = openSearch({
    ...wordsAlone,
    storage: world.storage,
    projections: world.runner,
    log: { error: assert.fail },
    memoryBytes: memoryFor(pairs),
  });
  return { ...world, search };
}

/** The same; `look` is called when something was read for the search, before the search gets it. */
function openedOn(t: TestContext, pairs: number, look: (keys: readonly string[]) => Promise<void>) {
  const world = projected(t, recordings);
  const { storage } = world;
  const looked: ProjectionStorage = {
    ...storage,
    async get<T>(name: string, key: string) {
      const row = await storage.get<T>(name, key);
      await look([key]);
      return row;
    },
    async getMany<T>(name: string, keys: readonly string[]) {
      const rows = await storage.getMany<T>(name, keys);
      await look(keys);
      return rows;
    },
    async *range<T>(name: string, options: Parameters<ProjectionStorage['range']>[1]) {
      const rows: [string, T][] = [];
      for await (const entry of storage.range<T>(name, options)) rows.push(entry);
      await look([options.gte, ...rows.map(([key]) => key)]);
      yield* rows;
    },
  };
  const log = { error: assert.fail };
  return {
    ...world,
    search: openSearch({
      ...wordsAlone,
      storage: looked,
      projections: world.runner,
      log,
      memoryBytes: memoryFor(pairs),
    }),
  };
}

const ids = async (search: Search, question: string, owner = 'anna') =>
  (await search.find(owner, question, { limit: 20 })).hits.map(({ recording_id }) => recording_id);

test('each word of a sentence that was copied counts', async (t) => {
  const { teller, settled, search } = opened(t);
  const sentence =
    'one two three four five six seven eight nine ten eleven twelve red blue green gray';
  await tellTranscript(teller, 'r1', [`${sentence} brown.`]);
  await settled(await tellTranscript(teller, 'r2', [`${sentence} black.`]));
  assert.deepEqual(await ids(search, `${sentence} black`), ['r2']);
});

test('words are found in German and English, by their beginnings, misspelt, with and without umlauts', async (t) => {
  const { teller, settled, search } = opened(t);
  await tellTranscript(teller, 'r1', ['Herr Müller spricht über die Straßenbahn.']);
  await settled(await tellTranscript(teller, 'r2', ['The quarterly budget was approved.']));
  for (const [question, expected] of [
    ['müller', ['r1']],
    ['MUELLER', ['r1']],
    ['muller strasse', ['r1']],
    ['uber', ['r1']],
    ['straßenb', ['r1']],
    ['Strassenban', ['r1']],
    ['quartely', ['r2']],
    ['budget approved', ['r2']],
    ['budg', ['r2']],
    ['budget müller', []],
    ['gespräch', ['r1', 'r2']],
    ['zeppelin', []],
    ['…?!', []],
  ] as const) {
    assert.deepEqual((await ids(search, question)).toSorted(), expected, question);
  }
});

test('what is there exactly is found alone; near spellings only where nothing else is', async (t) => {
  const { teller, settled, search } = opened(t);
  await tellTranscript(teller, 'r1', ['In den Gärten wächst Salat.']);
  await settled(await tellTranscript(teller, 'r2', ['The garden needs water, gardening is fun.']));
  assert.deepEqual(await ids(search, 'gärten'), ['r1']);
  assert.deepEqual(await ids(search, 'garden'), ['r2']);
  assert.deepEqual(await ids(search, 'gardn'), ['r2']);
});

test('a hit shows the words in their place and says when they are said', async (t) => {
  const { teller, settled, search } = opened(t);
  const filler = 'Dies und das und noch etwas mehr davon, wie man es eben so sagt.';
  const texts = [filler, `${filler} Dann kommt der Haushalt an die Reihe. ${filler} ${filler}`];
  await tellTranscript(teller, 'r1', texts, { timed: true, title: 'Sitzung' });
  const position = await tellTranscript(teller, 'r2', ['Nichts.'], {
    summary: '- Der **Zeitplan** steht.',
  });
  await settled(position);
  const { hits } = await search.find('anna', 'haushalt', { limit: 5 });
  assert.equal(hits.length, 1);
  const { snippet, start, ...rest } = hits[0]!;
  assert.deepEqual(rest, {
    recording_id: 'r1',
    why: 'words',
    filename: 'r1.md',
    by: null,
    audio: true,
    title: 'Sitzung',
    source: 'talk.wav',
    created_at: '2026-03-01T10:00:00.000Z',
  });
  assert.match(snippet, /^….*\bDann kommt der Haushalt an die Reihe\..*…$/);
  assert.ok(snippet.length < 200);
  // The 17th word of the second block.
  assert.equal(start, 10 + texts[1]!.split(' ').indexOf('Haushalt'));
  const written = (await search.find('anna', 'zeitplan', { limit: 5 })).hits[0]!;
  assert.deepEqual(
    [written.recording_id, written.snippet, written.start],
    ['r2', '- Der **Zeitplan** steht.', null],
  );
});

test('nobody finds what is somebody else’s, and the limit holds', async (t) => {
  const { teller, settled, search } = opened(t);
  for (const id of ['r1', 'r2', 'r3']) await tellTranscript(teller, id, ['secret plan']);
  await settled(await tellTranscript(teller, 'b1', ['secret plan'], { owner: 'ben' }));
  assert.deepEqual(await ids(search, 'secret', 'ben'), ['b1']);
  assert.deepEqual((await ids(search, 'secret', 'anna')).toSorted(), ['r1', 'r2', 'r3']);
  assert.deepEqual(await ids(search, 'secret', 'carla'), []);
  assert.equal((await search.find('anna', 'plan', { limit: 2 })).hits.length, 2);
});

test('the index keeps up: new transcripts, new versions, and erased ones leave it at once', async (t) => {
  const { teller, keys, settled, search } = opened(t);
  await settled(await tellTranscript(teller, 'r1', ['The marmalade is ready.']));
  assert.deepEqual(await ids(search, 'marmalade'), ['r1']);

  await settled(await tellTranscript(teller, 'r2', ['More marmalade.']));
  assert.deepEqual((await ids(search, 'marmalade')).toSorted(), ['r1', 'r2']);

  await teller.of(
    'r2',
    { type: 'reprocessing.requested', data: { from: 'language-model' } },
    'transcribing.finishing(punctuate.running,summarise.running)',
  );
  await settled(await tellText(teller, 'r2', ['More honey.'], {}, 2));
  assert.deepEqual(await ids(search, 'marmalade'), ['r1']);
  assert.deepEqual(await ids(search, 'honey'), ['r2']);

  await keys.forget('r1');
  const erased = await teller.of('r1', { type: 'recording.erased', data: {} }, 'idle.erased');
  await settled(erased.position);
  assert.deepEqual(await ids(search, 'marmalade'), []);
  assert.deepEqual(await ids(search, 'honey'), ['r2']);
});

test('what is erased while it is being read for the index takes no room in it', async (t) => {
  let reads = 0;
  /** Erased while its n-th read is on its way; false: there is no n-th. */
  const erasedAt = async (n: number): Promise<boolean> => {
    const gate = new EventEmitter();
    const opened = once(gate, 'open');
    const reached = once(gate, 'reached').then(() => true);
    let at: number | null = null;
    const { teller, keys, settled, search } = openedOn(t, 50, async (asked) => {
      if (at === null || !asked.some((key) => key.includes('r1'))) return;
      at += 1;
      if (at !== n) return;
      gate.emit('reached');
      await opened;
    });
    await settled(await tellTranscript(teller, 'r0', ['marmalade']));
    assert.deepEqual(await ids(search, 'marmalade'), ['r0']);
    const many = Array.from({ length: 60 }, (_, word) => `word${word}`).join(' ');
    await settled(await tellTranscript(teller, 'r1', [many]));
    at = 0;
    const searching = search.find('anna', 'marmalade', { limit: 5 });
    const held = await Promise.race([reached, searching.then(() => false)]);
    await keys.forget('r1');
    const erased = await teller.of('r1', { type: 'recording.erased', data: {} }, 'idle.erased');
    await settled(erased.position);
    gate.emit('open');
    await searching;

    await settled(await tellTranscript(teller, 'r2', ['more marmalade']));
    const { hits, complete } = await search.find('anna', 'marmalade', { limit: 5 });
    const found = hits.map(({ recording_id }) => recording_id).toSorted();
    assert.deepEqual([found, complete], [['r0', 'r2'], true], `read ${n}`);
    assert.deepEqual(await ids(search, 'word1'), []);
    return held;
  };
  while (await erasedAt(reads + 1)) reads += 1;
  assert.ok(reads > 1, 'it was never caught reading');
});

test('a recording without documents is not found yet', async (t) => {
  const { teller, settled, search } = opened(t);
  await tellImport(teller, 'r1', { title: 'Marmalade' });
  await settled(await tellTranscript(teller, 'r2', ['other']));
  assert.deepEqual(await ids(search, 'marmalade'), []);
});

test('when there is no more room, other users’ indexes go first, then the oldest transcripts', async (t) => {
  const { teller, settled, search } = opened(t, 12);
  await tellTranscript(teller, 'r1', ['alpha beta'], { title: 'one' });
  await settled(
    await tellTranscript(teller, 'b1', ['alpha gamma'], { owner: 'ben', title: 'two' }),
  );
  assert.deepEqual(await ids(search, 'alpha', 'anna'), ['r1']);
  assert.deepEqual(await ids(search, 'alpha', 'ben'), ['b1']);
  let position = 0;
  for (let number = 1; number <= 5; number += 1) {
    const words = [`word${number} thing${number} alpha`];
    position = await tellTranscript(teller, `c${number}`, words, {
      owner: 'carla',
      title: 'three',
    });
  }
  await settled(position);
  const { hits, complete } = await search.find('carla', 'alpha', { limit: 20 });
  assert.equal(complete, false);
  assert.ok(hits.length >= 2 && hits.length < 5);
  // What was dropped is made again when it is asked for.
  assert.deepEqual(await ids(search, 'alpha', 'anna'), ['r1']);
});

test('nothing is said from rows that have stopped being kept', async (t) => {
  const { teller, settled, search, runner } = opened(t);
  await settled(await tellTranscript(teller, 'r1', ['alpha']));
  await runner.stop();
  await assert.rejects(ids(search, 'alpha'), { code: 'PROJECTION_STOPPED' });
});

test('many who ask at once get the same answer', async (t) => {
  const { teller, settled, search } = opened(t);
  await settled(await tellTranscript(teller, 'r1', ['alpha']));
  const answers = await Promise.all(Array.from({ length: 20 }, () => ids(search, 'alph')));
  assert.ok(answers.every(([id, more]) => id === 'r1' && more === undefined));
});

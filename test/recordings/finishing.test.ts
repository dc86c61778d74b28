import pino from 'pino';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type RecordingFact, recordingStream } from '../../events/facts/recording.ts';
import { recordingById } from '../../projections/recordings.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { recordingAnswer } from '../../src/http/recording-answer.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { testPipeline } from '../support/test-pipeline.ts';
import { settingsFrom } from '../../src/config/environment.ts';
import { replayFrom } from '../../src/recordings/replay-from.ts';
import { make, speak } from '../support/espeak.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { speechServer } from '../support/speech-servers.ts';
import { onThisMachine } from '../support/eventually.ts';
import { writePunctuatingModel } from '../support/punctuation-model.ts';
import { tempDir } from '../support/temp-dir.ts';
import { failure } from '../../src/words/failures.ts';
import { noteOf } from '../../src/words/notes.ts';
import type { Sentence } from '../../src/words/params.ts';
import { inEnglish } from '../../src/words/say.ts';
import { subscribed } from '../support/subscribed.ts';

/** Nobody listens on the discard port of the loopback address. */
const nobody = 'http://127.0.0.1:9';

test('without a language model the built-in way is taken, and the document says so', async (t) => {
  const world = await openWorld(t, null);
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  assert.deepEqual(await world.fallbacks(id), notConfigured);
  assert.match(
    await world.document(id, 'index'),
    /revised it\. No language model is set up\.\n- The summary consists of sentences taken from the transcript\.$/m,
  );
});

test('without a language model an installed one for the language punctuates what the recogniser did not', async (t) => {
  const world = await openWorld(t, null);
  const heard = 'HOW ARE YOU WELL I AM FINE THANKS';
  const made = async (text: string) => {
    world.hear(text);
    const id = await world.upload();
    await world.until(id, 'idle.saved');
    const { notes } = (await recordingById(world.pipeline.storage, id))!;
    const about = notes.filter(({ code }) => /punctuat/.test(code));
    return { id, about, transcript: await world.document(id, 'transcript') };
  };
  const bare = [noteOf('punctuation-missing', { cause: failure('no-language-model') })];
  const notIt = [noteOf('not-punctuated', { cause: failure('no-language-model') })];
  await writePunctuatingModel(world.models, ['de']);
  const other = await made(heard);
  assert.match(other.transcript, /HOW ARE YOU WELL I AM FINE THANKS/);
  assert.deepEqual(other.about, bare);

  await writePunctuatingModel(world.models, ['en']);
  const english = await made(heard);
  assert.match(english.transcript, /How are you\? Well, I am fine thanks\./);
  assert.deepEqual(english.about, [noteOf('punctuated-locally', { model: 'punctuation-en' })]);
  assert.match(
    await world.document(english.id, 'index'),
    /A small model on the Mitschrift server added the punctuation/,
  );
  const marked = await made('Thanks, how are you.');
  assert.match(marked.transcript, /Thanks, how are you\./);
  assert.deepEqual(marked.about, notIt);

  await writeFile(join(world.models, 'punctuation-en', 'bpe.vocab'), 'damaged');
  const damaged = await made(heard);
  assert.match(damaged.transcript, /HOW ARE YOU WELL I AM FINE THANKS/);
  const { cause, problem } = damaged.about[0]!.params!;
  assert.deepEqual(cause, failure('no-language-model'));
  assert.equal((problem as Sentence).code, 'model-damaged');
  const logged = world.logged().filter(({ stage }) => stage === 'punctuate');
  assert.deepEqual(
    logged.map(({ recordingId, code }) => [recordingId, code]),
    [[damaged.id, 'model-corrupt']],
  );
});

test('a language model that stays away does not hold up a first run', async (t) => {
  const world = await openWorld(t, nobody);
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  const reasons = new Set((await world.fallbacks(id)).map(({ reason }) => reason));
  assert.deepEqual([...reasons], ['model-away']);
});

test('each stage that a language model could not do is noted by itself, with the reason', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const stages = { punctuate: /punctuat/i, summarise: /summaris/i, entitle: /title/i };
  const notes = {
    punctuate: ['not-punctuated'],
    summarise: ['summary-extracted'],
    entitle: ['title-extracted', 'abstract-extracted'],
  };
  for (const [stage, about] of Object.entries(stages)) {
    const world = await openWorld(t, language.url);
    language.refuses = (body) => {
      const isOfStage = about.test(body.messages[0].content.slice(0, 40));
      return isOfStage
        ? { status: 403, body: '{"error":{"message":"Not your model."}}' }
        : undefined;
    };
    const id = await world.upload();
    await world.until(id, 'idle.saved');
    const row = (await recordingById(world.pipeline.storage, id))!;
    assert.deepEqual(
      row.notes.map(({ code }) => code),
      notes[stage as keyof typeof notes],
    );
    const cause = row.notes[0]!.params!['cause'] as Sentence;
    const { code, params } = cause;
    assert.deepEqual([code, params?.['said']], ['language-server-key-wrong', 'Not your model.']);
    const index = await world.document(id, 'index');
    assert.match(index, /\. The language model server rejects the API key\.$/m);
    assert.doesNotMatch(index, /Not your model|https?:\/\/(?!\S*notes)/);
    const logged = world.logged().filter((line) => line.stage === stage);
    assert.deepEqual(
      logged.map(({ reason, recordingId, code }) => ({ reason, recordingId, code })),
      [{ reason: inEnglish(cause), recordingId: id, code: 'model-refused' }],
    );
  }
});

test('transcribing again without a language model makes a new version, and the title a model gave stays', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const world = await openWorld(t, language.url);
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  const { title } = (await recordingById(world.pipeline.storage, id))!;

  world.useLanguageModel(null);
  world.hear(talkAbout('quite other words'));
  await world.command(id, { type: 'reprocessing.requested', data: { from: 'speech-to-text' } });
  await world.until(id, 'idle.saved');
  const again = (await recordingById(world.pipeline.storage, id))!;
  assert.deepEqual([again.version, again.title], [2, title]);
  assert.deepEqual(await world.fallbacks(id), notConfigured);
  const codes = again.notes.map(({ code }) => code);
  assert.ok(codes.includes('summary-extracted') && codes.includes('title-kept'), codes.join());
  assert.match(await world.document(id, 'summary'), /quite other words/);
  assert.match(
    await world.document(id, 'index'),
    /The earlier title was kept because the language model did not suggest a new one\./,
  );
  assert.doesNotMatch(again.abstract ?? '', /spoken/i, 'an abstract of words not heard any more');
});

test('without a language model the title is the name of the file, if it says anything', async (t) => {
  const world = await openWorld(t, null);
  const titles: (string | null)[] = [];
  const files = ['Gespräch mit_Jürgen am 3. März.wav', '2024-05-06.wav', 'REC_0012.wav'];
  for (const filename of files) {
    const id = await world.upload({ filename });
    await world.until(id, 'idle.saved');
    const row = (await recordingById(world.pipeline.storage, id))!;
    assert.equal(row.source, filename);
    const codes = row.notes.map(({ code }) => code);
    const isExtract = filename !== files[0];
    assert.equal(codes.includes('title-extracted'), isExtract, codes.join());
    assert.ok(codes.includes('abstract-extracted'), codes.join());
    titles.push(row.title);
  }
  assert.equal(titles[0], 'Gespräch mit Jürgen am 3. März');
  assert.match(titles[1]!, /spoken words/i);
  assert.match(titles[2]!, /spoken words/i);
});

test('what would only repeat a short talk is left out, and said so', async (t) => {
  const world = await openWorld(t, null);
  world.hear('three spoken words');
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  const row = (await recordingById(world.pipeline.storage, id))!;
  assert.deepEqual([row.title, row.abstract], ['Three spoken words', '']);
  assert.deepEqual(
    row.notes.map(({ code }) => code),
    ['punctuation-missing', 'title-extracted', 'too-short'],
  );
  const index = await world.document(id, 'index');
  assert.equal(index.match(/^# Three spoken words$/gm)?.length, 1);
  assert.doesNotMatch(index, /^three spoken words/im);
  assert.match(
    index,
    /^- The text has no punctuation: speech recognition added none, and no language model is set up\.\n- The title is taken from the transcript\.\n- The text is so short that a summary would only repeat it, so it was left out\.$/m,
  );
  const summary = await world.document(id, 'summary');
  assert.match(summary, /^\*There is no summary\.\*$/m);

  // As soon as there is more to say it is said.
  world.hear(talkAbout('a longer talk'));
  await world.command(id, { type: 'reprocessing.requested', data: { from: 'speech-to-text' } });
  await world.until(id, 'idle.saved');
  assert.match(await world.document(id, 'summary'), /^- .* a longer talk/m);
  assert.doesNotMatch(await world.document(id, 'index'), /left out/);
});

test('of a few sentences neither summary nor abstract is taken, and one note says so', async (t) => {
  const world = await openWorld(t, null);
  world.hear(
    'The budget is too small for the machines. Anna asks for more until Friday. Bert saw cheaper ones in Hamburg.',
  );
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  const row = (await recordingById(world.pipeline.storage, id))!;
  assert.equal(row.abstract, '');
  assert.deepEqual(
    row.notes.map(({ code }) => code),
    ['not-punctuated', 'title-extracted', 'too-short'],
  );
});

test('a text without marks is said to have none, also where a language model could not be used', async (t) => {
  const world = await openWorld(t, nobody);
  world.hear('three spoken words');
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  assert.match(
    await world.document(id, 'index'),
    /^- The text has no punctuation: speech recognition added none, and the language model could not be used\. The language model/m,
  );
});

test('an extract is no title that stays', async (t) => {
  const world = await openWorld(t, null);
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  world.hear(talkAbout('quite other words'));
  await world.command(id, { type: 'reprocessing.requested', data: { from: 'speech-to-text' } });
  await world.until(id, 'idle.saved');
  const again = (await recordingById(world.pipeline.storage, id))!;
  assert.equal(again.version, 2);
  assert.match(again.title ?? '', /other words/i);
  assert.ok(!again.notes.some(({ code }) => code === 'title-kept'));
});

test('from the language model on, none configured is a refusal before any work', async (t) => {
  const world = await openWorld(t, null);
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  const before = await world.pipeline.store.head();
  for (const stage of ['punctuate', 'summarise', 'entitle']) {
    await assert.rejects(replayFrom(world.pipeline, id, stage), {
      code: 'NO_LANGUAGE_MODEL',
      message: /You can transcribe the recording again without one\..*`llm\.base_url`/,
    });
  }
  assert.equal(await world.pipeline.store.head(), before);
  assert.equal((await replayFrom(world.pipeline, id, 'write')).version, 2);
  assert.equal((await replayFrom(world.pipeline, id, 'transcribe')).version, 3);
});

test('a title that the model cannot give again is the earlier one, and all else is saved', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const world = await openWorld(t, language.url);
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  const before = (await recordingById(world.pipeline.storage, id))!;

  const { brain } = language;
  language.brain = (prompt) =>
    /title/i.test(prompt.system)
      ? 'I would rather not.'
      : brain(prompt).replace('first sentence', 'first sentence again');
  await world.command(id, { type: 'reprocessing.requested', data: { from: 'language-model' } });
  await world.until(id, 'idle.saved');
  const after = (await recordingById(world.pipeline.storage, id))!;
  assert.deepEqual(
    [after.version, after.title, after.abstract],
    [2, before.title, before.abstract],
  );
  assert.deepEqual(
    after.notes.map(({ code }) => code).filter((code) => code !== 'parts-unpunctuated'),
    ['title-kept'],
  );
  assert.deepEqual(await world.fallbacks(id), [{ stage: 'entitle', reason: 'answer-empty' }]);
  assert.match(await world.document(id, 'summary'), /sentence again/);
});

test('lines of a summary are in the document and in the fold, each with a link to a block that is there', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const { brain } = language;
  language.brain = (prompt) =>
    prompt.system.startsWith('You summarise')
      ? JSON.stringify({
          lines: [
            {
              turn: 1,
              kind: 'task',
              person: null,
              text: 'Says the sentence of words.',
              due: 'Friday',
            },
            { turn: 9, kind: 'decision', person: null, text: 'Something else.', due: null },
          ],
        })
      : brain(prompt);
  const world = await openWorld(t, language.url);
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  const summary = await world.document(id, 'summary');
  const [, task = '', target = '', block = ''] =
    /^- \[ \] (Says the sentence of words\.) \[\[(.*?)#\^(t-\d+)\|00:00:00\]\]$/m.exec(summary) ??
    [];
  assert.notEqual(task, '', summary);
  assert.match(summary, /^## Decisions\n\n- Something else\.$/m);
  const { documents } = (await recordingById(world.pipeline.storage, id))!;
  assert.equal(`${target}.md`, documents!.transcript);
  assert.match(await world.document(id, 'transcript'), new RegExp(` \\^${block}$`, 'm'));
});

test('the document says of which times a model noted nothing for the summary', async (t) => {
  const language = await startLanguageServer({ flavour: 'llama.cpp', contextTokens: 2048 });
  t.after(() => language.close());
  const { brain } = language;
  let parts = 0;
  language.brain = (prompt) =>
    prompt.system.includes('one part') && (parts += 1) > 1 ? '{"lines": []}' : brain(prompt);
  const world = await openWorld(t, language.url);
  world.hear(Array.from({ length: 900 }, (_, at) => `word${at % 90}`).join(' '));
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  assert.match(
    await world.document(id, 'index'),
    /^- The summary may lack part of the talk \(00:00:0\d–00:00:\d\d.*\) because the language/mu,
  );
});

test('a task whose day is clear has it as Obsidian’s Tasks reads it, in the document and in JSON', async (t) => {
  const task = { turn: 1, kind: 'task', person: null, text: 'Hands in the budget report' };
  const lines = [
    { ...task, due: 'by 3 March 2031' },
    { ...task, text: 'Reads the budget report', due: 'some day in March' },
    { ...task, kind: 'point', text: 'The budget report is due', due: '3 March 2031' },
  ];
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const { brain } = language;
  language.brain = (prompt) =>
    prompt.system.startsWith('You summarise') ? JSON.stringify({ lines }) : brain(prompt);
  const world = await openWorld(t, language.url);
  world.hear('the budget report is to be handed in and read by 3 march 2031 some day');
  const id = await world.upload();
  await world.until(id, 'idle.saved');
  const summary = await world.document(id, 'summary');
  const link = String.raw`\[\[[^\]]*\|00:00:00\]\]`;
  for (const line of [
    String.raw`- \[ \] Hands in the budget report \(by 3 March 2031\) ${link} 📅 2031-03-03`,
    String.raw`- \[ \] Reads the budget report \(some day in March\) ${link}`,
    String.raw`- The budget report is due \(3 March 2031\) ${link}`,
  ]) {
    assert.match(summary, new RegExp(`^${line}$`, 'mu'));
  }
  const { storage } = world.pipeline;
  const row = (await recordingById(storage, id))!;
  const answer = recordingAnswer(row, await transcriptOf(storage, id), [], {
    uiLanguage: 'en',
    reader: { language: 'en', isAdmin: false },
  });
  assert.deepEqual(
    answer.summary.lines.map(({ due_date }) => due_date),
    ['2031-03-03', null, null],
  );
});

test('a title that a person gave is the title', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const world = await openWorld(t, language.url);
  const id = await world.upload({ title: 'Standup' });
  await world.until(id, 'idle.saved');
  const row = await recordingById(world.pipeline.storage, id);
  assert.equal(row?.title, 'Standup');
  assert.match(row?.documents?.index ?? '', / Standup\.md$/);
});

test('nothing is asked of any engine when nobody speaks, and the document says so', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const world = await openWorld(t, language.url);
  const id = await world.upload({ silent: true });
  await world.until(id, 'idle.saved');
  assert.equal(world.speech.received.length, 0);
  assert.equal(language.chats().length, 0);
  assert.match(await world.document(id, 'index'), /No speech was found in the recording/);
});

test('two recordings of the same minute and title get names of their own', async (t) => {
  const world = await openWorld(t, null);
  const ids = await Promise.all([
    world.upload({ title: 'Same' }),
    world.upload({ title: 'Same' }),
    world.upload({ title: 'same' }),
  ]);
  for (const id of ids) await world.until(id, 'idle.saved');
  const paths = await Promise.all(
    ids.map(async (id) => (await recordingById(world.pipeline.storage, id))!.documents!.index),
  );
  assert.equal(new Set(ids).size, 3);
  assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, 3, paths.join(', '));
});

/** A talk long enough for extracts from it. */
const talkAbout = (what: string): string =>
  ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh']
    .map((which) => `The ${which} sentence tells of ${what}.`)
    .join(' ');

/** The real pipeline over a stand-in for a speech server that hears a talk about three spoken words. */
async function openWorld(t: TestContext, languageUrl: string | null) {
  const speech = await speechServer('openai');
  t.after(() => speech.close());
  const hear = (text: string) => {
    const words = text.split(' ');
    const each = 1.1 / words.length;
    speech.hear = () =>
      words.map((word, at) => ({ text: word, start: 0.2 + at * each, end: 0.2 + (at + 1) * each }));
  };
  hear(talkAbout('three spoken words'));
  const lines: string[] = [];
  let settings = settingsOf(languageUrl);
  let closePipeline = async () => {};
  // Registered before the directory's removal, because hooks run in the order they are given.
  t.after(() => closePipeline());
  const dataDir = await tempDir(t);
  const data = dataFolder(dataDir);
  const pipeline = await testPipeline({
    data,
    settings: () => settings,
    log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    firstRunWaitMs: 0,
  });
  closePipeline = () => pipeline.close();
  await pipeline.takeUp();
  const { recordingService, store, storage } = pipeline;
  let uploads = 0;

  return {
    pipeline,
    /** Warnings of the service's log. */
    logged: () =>
      lines.map(
        (line) => JSON.parse(line) as Record<'reason' | 'stage' | 'recordingId' | 'code', string>,
      ),
    models: join(dataDir, 'models'),
    speech,
    hear,
    useLanguageModel: (url: string | null) => (settings = settingsOf(url)),
    async upload(
      given: { title?: string; filename?: string; silent?: boolean } = {},
    ): Promise<string> {
      const upload = `upload-${(uploads += 1)}`;
      const path = join(dataDir, 'uploads', `${upload}.wav`);
      if (given.silent) await make('sox', '-n', '-r', '16000', '-c', '1', path, 'trim', '0', '2');
      else await speak('three spoken words', path);
      const { recordingId } = await recordingService.importAudio({
        path,
        filename: given.filename ?? '0001.wav',
        owner: 'anna',
        by: 'anna',
        command: upload,
        kind: 'solo',
        language: null,
        speakers: null,
        title: given.title,
      });
      return recordingId;
    },
    command: (id: string, fact: RecordingFact) =>
      recordingService.command(id, fact, { by: 'anna', command: `${fact.type} of ${id}` }),
    async until(id: string, state: string): Promise<void> {
      const signal = AbortSignal.timeout(onThisMachine(20_000));
      let last = '';
      for await (const fact of subscribed(store, { afterPosition: 0, signal })) {
        if (fact.stream !== recordingStream(id)) continue;
        last = fact.to ?? '';
        if (!last.startsWith(state) || fact.version !== (await store.version(fact.stream)))
          continue;
        await pipeline.projections.applied('all', fact.position);
        return;
      }
      assert.fail(`${id} is ${last}, not ${state}`);
    },
    async fallbacks(id: string) {
      const found: { stage: string; reason: string }[] = [];
      for await (const fact of store.read(recordingStream(id))) {
        if (fact.type === 'summary.fallback_used') found.push(fact.data);
      }
      return found.toSorted((a, b) => order.indexOf(a.stage) - order.indexOf(b.stage));
    },
    async document(id: string, name: 'index' | 'summary' | 'transcript'): Promise<string> {
      const row = await recordingById(storage, id);
      return await readFile(join(dataDir, 'spaces', 'anna', row!.documents![name]), 'utf8');
    },
  };

  function settingsOf(llm: string | null) {
    return settingsFrom({
      MITSCHRIFT_STT_BASE_URL: speech.url,
      MITSCHRIFT_UI_LANGUAGE: 'en',
      ...(llm === null ? {} : { MITSCHRIFT_LLM_BASE_URL: llm }),
    });
  }
}

const order = ['punctuate', 'summarise', 'entitle'];
const notConfigured = order.map((stage) => ({ stage, reason: 'not-configured' }));

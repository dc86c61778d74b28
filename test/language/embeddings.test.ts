import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type OpenEmbeddingModel,
  embeddingPrefix,
  openEmbeddingModel,
} from '../../src/language/embeddings.ts';
import { openMeaning } from '../../src/meaning/meaning.ts';
import { openJobQueue } from '../../src/recordings/stages/job-queue.ts';
import { untilAborted } from '../../src/shared/abort.ts';
import { StageError } from '../../src/shared/errors.ts';
import { type EmbeddingFaults, startEmbeddingServer } from '../support/embedding-servers.ts';

const forever = new AbortController().signal;

async function opened(
  t: TestContext,
  options: {
    model?: string;
    apiKey?: string;
    key?: string;
    faults?: EmbeddingFaults;
    models?: string[];
  } = {},
) {
  const { key, model, ...served } = options;
  const server = await startEmbeddingServer(served);
  const embeddings = openEmbeddingModel({
    baseUrl: server.url,
    model: model ?? null,
    apiKey: key ?? null,
    timeoutSeconds: 5,
  });
  t.after(async () => {
    await embeddings.close();
    await server.close();
  });
  return { server, embeddings };
}

const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * other[at]!, 0);

test('texts become numbers, in their order and of length 1; the model is the first for embeddings there', async (t) => {
  const { server, embeddings } = await opened(t);
  assert.equal(embeddings.model, null);
  const [money, budget, car] = await embeddings.embed(
    ['How much money is left?', 'The budget is left.', 'The car is red.'],
    'passage',
    forever,
  );
  assert.equal(embeddings.model, 'test-embed');
  assert.equal(embeddings.dimensions, 128);
  assert.ok(Math.abs(dot(money!, money!) - 1) < 1e-5);
  assert.ok(dot(money!, budget!) > dot(money!, car!) + 0.2);
  assert.deepEqual(
    server.asked.map(({ model }) => model),
    ['test-embed'],
  );
  assert.deepEqual(await embeddings.embed([], 'passage', forever), []);
});

test('a server that was started with another model is asked for that one, where none is set', async (t) => {
  const models = ['first-embed'];
  const { server, embeddings } = await opened(t, { models });
  assert.equal(await embeddings.named(forever), 'first-embed');
  await embeddings.embed(['one'], 'passage', forever);
  models[0] = 'second-embed';
  server.faults.status = { status: 404, body: 'The model `first-embed` does not exist.' };
  // What was made for the one is not made with the other.
  await assert.rejects(embeddings.embed(['two'], 'passage', forever), { code: 'model-refused' });
  delete server.faults.status;
  assert.equal(await embeddings.named(forever), 'second-embed');
  await embeddings.embed(['two'], 'passage', forever);
  assert.equal(server.asked.at(-1)!.model, 'second-embed');
});

const meaningOf = (model: OpenEmbeddingModel) =>
  openMeaning({
    model: async () => ({ value: model, release() {} }),
    isOn: () => true,
    jobQueue: openJobQueue(),
    signal: forever,
  });
const alone = { alone: true };

test('how near to a question others are is measured with the model that the server runs now', async (t) => {
  const models = ['first-embed'];
  const { server, embeddings } = await opened(t, { models });
  const meaning = meaningOf(embeddings);
  await meaning.ask('Where is the train?', 'ada', alone);
  models[0] = 'second-embed';
  server.dimensions = 64;
  server.faults.status = { status: 404, body: 'The model `first-embed` does not exist.' };
  await assert.rejects(meaning.ask('Who plays?', 'ada', alone), { code: 'model-refused' });
  delete server.faults.status;
  const asked = await meaning.ask('Where is the train?', 'ada', alone);
  assert.equal(asked!.model, 'second-embed');
  assert.deepEqual(asked, await meaningOf(embeddings).ask('Where is the train?', 'ada', alone));
});

test('a search that gave up waiting takes nothing from another that still waits', async (t) => {
  const { embeddings } = await opened(t, { model: 'test-embed' });
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  const meaning = meaningOf({
    ...embeddings,
    async embed(texts, as, signal) {
      if (texts.length > 1) await untilAborted(held, signal);
      return await embeddings.embed(texts, as, signal);
    },
  });
  const first = meaning.ask('Where is the train?', 'ada', { alone: false });
  const second = meaning.ask('Who plays?', 'ben', alone);
  second.catch(() => undefined);
  assert.equal(await first, null);
  go();
  assert.equal((await second)?.model, 'test-embed');
});

test('what a model wants before a text is put there, by its name', async (t) => {
  const { server, embeddings } = await opened(t, { model: 'intfloat/multilingual-e5-small' });
  await embeddings.embed(['Where?'], 'question', forever);
  await embeddings.embed(['Here.'], 'passage', forever);
  assert.deepEqual(
    server.asked.map(({ input }) => input[0]),
    ['query: Where?', 'passage: Here.'],
  );
  const rows = [
    ['nomic-embed-text:latest', 'search_query: ', 'search_document: '],
    ['bge-m3', '', ''],
    ['text-embedding-3-small', '', ''],
    ['all-minilm', '', ''],
    ['snowflake-arctic-embed2', 'query: ', ''],
    ['embeddinggemma:300m', 'task: search result | query: ', 'title: none | text: '],
  ] as const;
  for (const [name, question, passage] of rows) {
    assert.deepEqual(
      [embeddingPrefix(name, 'question'), embeddingPrefix(name, 'passage')],
      [question, passage],
      name,
    );
  }
  assert.match(embeddingPrefix('Qwen3-Embedding-0.6B', 'question'), /^Instruct: /);
  assert.match(embeddingPrefix('mxbai-embed-large', 'question'), /^Represent /);
});

test('many texts go in several requests, fewer where a server takes fewer; one that is too long by its beginning', async (t) => {
  const { server, embeddings } = await opened(t, { faults: { textsMax: 7, charactersMax: 400 } });
  const texts = Array.from({ length: 40 }, (_, at) => `Sentence number ${at} of the talk.`);
  texts[20] = `money ${'and so on '.repeat(100)}`;
  const found = await embeddings.embed(texts, 'passage', forever);
  assert.equal(found.length, 40);
  const [again] = await embeddings.embed([texts[39]!], 'passage', forever);
  assert.deepEqual(found[39], again);
  assert.ok(server.asked.every(({ input }) => input.length <= 7));
});

test('what goes wrong is said in words, without text and key', async (t) => {
  const { server, embeddings } = await opened(t, { apiKey: 'sk-right', key: 'sk-wrong' });
  const said = async () => {
    const error: unknown = await embeddings
      .embed(['A secret sentence of forty characters, or more.'], 'passage', forever)
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof StageError, String(error));
    assert.ok(!error.message.includes('secret') && !error.message.includes('sk-wrong'));
    return [error.sentence.code, error.code, error.retriable];
  };
  assert.deepEqual(await said(), ['embedding-server-key-wrong', 'model-refused', false]);

  const other = await opened(t);
  const fails = async (faults: EmbeddingFaults) => {
    Object.assign(other.server.faults, { status: undefined, answers: undefined, ...faults });
    const error: unknown = await other.embeddings
      .embed(['A secret sentence of forty characters, or more.'], 'passage', forever)
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof StageError, String(error));
    assert.ok(!error.message.includes('secret'));
    return [error.sentence.code, error.retriable];
  };
  const echo = 'cannot read: A secret sentence of forty characters, or more.';
  const rows: [EmbeddingFaults, string, boolean][] = [
    [{ status: { status: 503, body: 'loading' } }, 'embedding-server-not-ready', true],
    [{ status: { status: 429, body: '{}' } }, 'embedding-server-busy', true],
    [{ status: { status: 404, body: '{}' } }, 'embedding-server-not-found', false],
    [{ status: { status: 400, body: echo } }, 'embedding-server-refused', false],
    [
      { status: { status: 302, body: '', headers: { location: 'http://elsewhere/' } } },
      'embedding-server-redirects',
      false,
    ],
    [{ status: { status: 200, body: '<html>' } }, 'embedding-server-not-api', false],
    [{ status: { status: 200, body: '{"data": [' } }, 'embedding-answer-broken', true],
    [{ answers: { error: 'unknown model' } }, 'embedding-answer-unusable', false],
    [{ answers: { data: [] } }, 'embedding-answer-unusable', false],
    [{ answers: { data: [{ embedding: [0, 0] }] } }, 'embedding-answer-unusable', false],
    [{ answers: { data: [{ embedding: [1, null] }] } }, 'embedding-answer-unusable', false],
  ];
  for (const [faults, code, retriable] of rows) {
    assert.deepEqual(await fails(faults), [code, retriable], JSON.stringify(faults));
  }
  Object.assign(other.server.faults, { answers: { data: [{ embedding: [1, 0] }] } });
  assert.equal((await other.embeddings.embed(['x'], 'passage', forever))[0]!.length, 2);
  assert.deepEqual(await fails({ answers: { data: [{ embedding: [1, 0, 0] }] } }), [
    'embedding-answer-unusable',
    false,
  ]);
  await server.close();
  assert.deepEqual(await said(), ['embedding-server-unreachable', 'model-away', true]);
});

test('embeddings that come as base64 are read', async (t) => {
  const bytes = Buffer.alloc(8);
  bytes.writeFloatLE(3, 0);
  bytes.writeFloatLE(4, 4);
  const answers = { data: [{ index: 0, embedding: bytes.toString('base64') }] };
  const { embeddings } = await opened(t, { faults: { answers } });
  const [found] = await embeddings.embed(['x'], 'passage', forever);
  assert.deepEqual([...found!], [Math.fround(0.6), Math.fround(0.8)]);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { openLanguageModel } from '../../src/language/openai-model.ts';
import type { Flavour } from '../support/language-servers-flavours.ts';
import { openOn } from '../support/language-servers-open.ts';

const { signal } = new AbortController();
const flavours: Flavour[] = ['ollama', 'llama.cpp', 'vllm', 'lm-studio', 'openai'];
const question = { system: 'Answer.', user: 'What is it?', answerTokensMax: 100 };
const schema = { name: 'it', schema: { type: 'object', properties: { it: { type: 'string' } } } };
const echo = () => 'It is fine.';

for (const flavour of flavours) {
  test(`answers through ${flavour}, thinking switched off or left out`, async (t) => {
    const { model, server } = await openOn(t, { flavour, brain: echo, thinks: true });
    assert.equal(await model.complete(question, signal), 'It is fine.');
    assert.equal(model.model, 'test-model');
    const { body } = server.chats().at(-1)!;
    assert.equal(body.stream, false);
    assert.equal(body.options?.temperature ?? body.temperature, 0);
    assert.equal(body.options?.num_predict ?? body.max_tokens, 100);
  });

  test(`answers JSON through ${flavour}, by the best way it takes`, async (t) => {
    const { model, server } = await openOn(t, { flavour, brain: () => '{"it": "yes"}' });
    assert.equal(await model.complete({ ...question, schema }, signal), '{"it": "yes"}');
    const { body } = server.chats().at(-1)!;
    assert.deepEqual(body.format ?? body.response_format.json_schema.schema, schema.schema);
  });

  test(`takes the address of ${flavour} with and without /v1`, async (t) => {
    const { model, server } = await openOn(t, { flavour, brain: echo });
    await model.complete(question, signal);
    const bare = openLanguageModel({
      baseUrl: server.url.replace('/v1', '/'),
      model: 'test-model',
      apiKey: null,
      contextTokens: null,
      timeoutSeconds: 10,
    });
    t.after(() => bare.close());
    assert.equal(await bare.complete(question, signal), 'It is fine.');
    assert.equal(bare.queue, model.queue);
  });
}

test('asks the server for its context where it tells', async (t) => {
  for (const flavour of ['ollama', 'llama.cpp', 'vllm', 'lm-studio'] as const) {
    const { model } = await openOn(t, { flavour, contextTokens: 12_345 });
    assert.equal(await model.contextTokens(signal), 12_345, flavour);
  }
  for (const contextKey of ['context_length', 'context_window', 'max_context_length']) {
    const gateway = await openOn(t, { flavour: 'openai', contextTokens: 99_000, contextKey });
    assert.equal(await gateway.model.contextTokens(signal), 99_000, contextKey);
  }
});

test('a context that nobody tells is tried upwards and learnt, also for the next that opens the server', async (t) => {
  const { model, server } = await openOn(t, {
    flavour: 'openai',
    brain: echo,
    contextTokens: 100_000,
  });
  assert.deepEqual(await model.context(signal), { tokens: 131_072, source: 'assumed' });
  // What it does not take is found out by the first question.
  await model.complete(question, signal);
  const asked = server.chats().length;
  // An hour of talk.
  const hour = { ...question, user: 'word '.repeat(9600) };
  assert.equal(await model.complete(hour, signal), 'It is fine.');
  assert.equal(server.chats().length, asked + 1);
  const tooLong = { ...question, user: 'word '.repeat(90_000) };
  await assert.rejects(model.complete(tooLong, signal), { code: 'prompt-truncated' });
  assert.deepEqual(await model.context(signal), { tokens: 100_000, source: 'learnt' });
  const options = { apiKey: null, contextTokens: null, timeoutSeconds: 10 };
  const again = openLanguageModel({ ...options, baseUrl: server.url, model: 'test-model' });
  const other = openLanguageModel({ ...options, baseUrl: server.url, model: 'gpt-4o' });
  const set = openLanguageModel({
    ...options,
    baseUrl: server.url,
    model: 'x',
    contextTokens: 9e3,
  });
  t.after(() => Promise.all([again, other, set].map((one) => one.close())));
  assert.deepEqual(await again.context(signal), { tokens: 100_000, source: 'learnt' });
  assert.deepEqual(await other.context(signal), { tokens: 128_000, source: 'table' });
  assert.deepEqual(await set.context(signal), { tokens: 9000, source: 'set' });
});

test('a refusal without a size halves the context; a server that says nothing of what it read has little', async (t) => {
  const long = { ...question, user: 'word '.repeat(9600) };
  const mute = await openOn(t, { flavour: 'openai', brain: echo });
  mute.server.faults.status = {
    status: 500,
    body: JSON.stringify({ error: { message: 'the request exceeds the available context' } }),
  };
  await assert.rejects(mute.model.complete(long, signal), { code: 'prompt-truncated' });
  assert.deepEqual(await mute.model.context(signal), { tokens: 65_536, source: 'learnt' });
  const silent = await openOn(t, {
    flavour: 'openai',
    brain: echo,
    contextTokens: 20_000,
    faults: { uncounted: true },
  });
  assert.equal(await silent.model.complete(question, signal), 'It is fine.');
  assert.equal((await silent.model.context(signal)).source, 'assumed');
  await assert.rejects(silent.model.complete(long, signal), { code: 'prompt-truncated' });
  assert.deepEqual(await silent.model.context(signal), { tokens: 4096, source: 'learnt' });
});

test('knows the context of models whose server does not tell, until a refusal tells another', async (t) => {
  const { model } = await openOn(t, {
    flavour: 'openai',
    models: ['openai/gpt-4o-mini'],
    contextTokens: 1000,
  });
  assert.equal(await model.contextTokens(signal), 128_000);
  const long = { ...question, user: 'word '.repeat(2000) };
  await assert.rejects(model.complete(long, signal), { code: 'prompt-truncated' });
  assert.equal(await model.contextTokens(signal), 1000);
});

test('a configured context holds for Ollama, and never exceeds what others have', async (t) => {
  const ollama = await openOn(t, { flavour: 'ollama', brain: echo }, { contextTokens: 32_768 });
  assert.equal(await ollama.model.contextTokens(signal), 32_768);
  await ollama.model.complete(question, signal);
  assert.equal(ollama.server.chats()[0]!.body.options.num_ctx, 32_768);
  const vllm = await openOn(t, { flavour: 'vllm', contextTokens: 2048 }, { contextTokens: 32_768 });
  assert.equal(await vllm.model.contextTokens(signal), 2048);
});

test('Ollama is asked through its own API and refuses what does not fit', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'ollama', contextTokens: 1000 });
  const long = { ...question, user: 'word '.repeat(2000) };
  await assert.rejects(model.complete(long, signal), { code: 'prompt-truncated' });
  const { path, body } = server.chats()[0]!;
  assert.equal(path, '/api/chat');
  assert.equal(body.truncate, false);
  assert.equal(body.shift, false);
  assert.equal(body.think, false);
});

test('a refused prompt teaches the context', async (t) => {
  for (const flavour of ['llama.cpp', 'vllm', 'lm-studio', 'openai'] as const) {
    const { model } = await openOn(t, { flavour, contextTokens: 1000 });
    const long = { ...question, user: 'word '.repeat(2000) };
    await assert.rejects(model.complete(long, signal), { code: 'prompt-truncated' }, flavour);
    assert.equal(await model.contextTokens(signal), 1000);
  }
});

test('a server that cuts the prompt without a word gives no answer', async (t) => {
  const { model } = await openOn(t, {
    flavour: 'openai',
    brain: echo,
    contextTokens: 1000,
    faults: { truncates: true },
  });
  const long = { ...question, user: 'word '.repeat(2000) };
  await assert.rejects(model.complete(long, signal), { code: 'prompt-truncated' });
  const dense = { ...question, user: '会議を始めます。'.repeat(200) };
  await assert.rejects(model.complete(dense, signal), { code: 'prompt-truncated' });
});

test('of a server that does not tell its context, one that read three fifths of a prompt gives no answer', async (t) => {
  const { model } = await openOn(t, {
    flavour: 'openai',
    brain: echo,
    contextTokens: 10_000,
    faults: { truncates: true },
  });
  const long = { ...question, user: 'word '.repeat(6660) };
  await assert.rejects(model.complete(long, signal), { code: 'prompt-truncated' });
  assert.equal((await model.context(signal)).source, 'learnt');
});

test('of scripts whose characters are parts of tokens no prompt counts as cut, nor tells one the context', async (t) => {
  // Counts four characters a token.
  const { model } = await openOn(t, { flavour: 'openai', brain: echo, contextTokens: 100_000 });
  for (const said of ['สวัสดีครับทุกคน', '회의를시작합니다']) {
    const talk = { ...question, user: said.repeat(300) };
    assert.equal(await model.complete(talk, signal), 'It is fine.', said);
  }
  const few = { ...question, user: '会議を始めます。'.repeat(400) };
  await assert.rejects(model.complete(few, signal), { code: 'prompt-truncated' });
  assert.deepEqual(await model.context(signal), { tokens: 131_072, source: 'assumed' });
});

test('steps down from whatever a server refuses, and remembers it', async (t) => {
  const rejects = ['reasoning_effort', 'chat_template_kwargs', 'temperature', 'max_tokens'];
  const { model, server } = await openOn(t, {
    flavour: 'openai',
    brain: () => '{"it": "yes"}',
    faults: { rejects: [...rejects, 'response_format'] },
  });
  assert.equal(await model.complete({ ...question, schema }, signal), '{"it": "yes"}');
  const steps = server.chats().length;
  assert.ok(steps > 5, `${steps} steps`);
  await model.complete({ ...question, schema }, signal);
  const again = server.chats().slice(steps);
  assert.equal(again.length, 1);
  assert.equal(again[0]!.body.max_completion_tokens, 100);
  assert.equal(again[0]!.body.response_format, undefined);
});

test('thoughts that a server hides and counts are given room, after the least effort that it takes', async (t) => {
  const { model, server } = await openOn(t, {
    flavour: 'openai',
    brain: echo,
    faults: { hiddenThoughts: 1000 },
  });
  const refusing = (taken: string[]) => (body: { reasoning_effort?: string }) =>
    body.reasoning_effort === undefined || taken.includes(body.reasoning_effort)
      ? undefined
      : {
          status: 400,
          body: JSON.stringify({
            error: {
              message: `Unsupported value: 'reasoning_effort' does not support '${body.reasoning_effort}' with this model. Supported values are: 'low', 'medium', and 'high'.`,
              param: 'reasoning_effort',
              code: 'unsupported_value',
            },
          }),
        };
  server.refuses = refusing(['low']);
  assert.equal(await model.complete(question, signal), 'It is fine.');
  assert.equal(server.chats().at(-1)!.body.reasoning_effort, 'low');
  const none = await openOn(t, {
    flavour: 'openai',
    brain: echo,
    faults: { hiddenThoughts: 1000 },
  });
  none.server.refuses = refusing([]);
  assert.equal(await none.model.complete(question, signal), 'It is fine.');
  const { body } = none.server.chats().at(-1)!;
  assert.deepEqual([body.reasoning_effort, body.max_tokens > 1000], [undefined, true]);
  // It is known from then on.
  const asked = none.server.chats().length;
  await none.model.complete(question, signal);
  assert.equal(none.server.chats().length, asked + 1);
});

test('thoughts in tags that do not end in time are given room', async (t) => {
  const thinking = () => `<think>\n${'Hmm. '.repeat(800)}\n</think>\n\nIt is fine.`;
  for (const flavour of ['openai', 'ollama'] as const) {
    const { model, server } = await openOn(t, { flavour, brain: echo });
    await model.complete(question, signal); // knows what the server takes from then on
    const asked = server.chats().length;
    server.brain = thinking;
    assert.equal(await model.complete(question, signal), 'It is fine.');
    const limits = server
      .chats()
      .slice(asked)
      .map(({ body }) => body.options?.num_predict ?? body.max_tokens);
    assert.deepEqual(limits, [100, 100 + 4096]);
  }
});

test('a refusal that names nothing is answered by one bare request', async (t) => {
  const { model, server } = await openOn(t, {
    flavour: 'openai',
    brain: echo,
    faults: { times: 1, status: { status: 400, body: 'Bad Request' } },
  });
  assert.equal(await model.complete(question, signal), 'It is fine.');
  assert.equal(server.chats().length, 2);
  assert.equal(server.chats()[1]!.body.chat_template_kwargs, undefined);
});

test('takes the first model a server lists that speaks', async (t) => {
  const models = ['nomic-embed-text', 'whisper-1', 'gemma', 'qwen'];
  const { model } = await openOn(t, { flavour: 'openai', brain: echo, models });
  assert.deepEqual(await model.models(signal), ['gemma', 'qwen']);
  await model.complete(question, signal);
  assert.equal(model.model, 'gemma');
  const none = await openOn(t, { flavour: 'openai', models: [] });
  await assert.rejects(none.model.complete(question, signal), {
    code: 'model-refused',
    message: /llm\.model/,
  });
});

test('a server that was started with another model is asked for that one, where none is set', async (t) => {
  const models = ['first-model'];
  const { model, server } = await openOn(t, { flavour: 'vllm', brain: echo, models });
  assert.equal(await model.complete(question, signal), 'It is fine.');
  models[0] = 'second-model';
  assert.equal(await model.complete(question, signal), 'It is fine.');
  assert.equal(model.model, 'second-model');
  const set = await openOn(t, { flavour: 'vllm', models }, { model: 'first-model' });
  await assert.rejects(set.model.complete(question, signal), { code: 'model-refused' });
  assert.equal(server.chats().length, 3);
});

test('sends the key, and shows it nowhere', async (t) => {
  const apiKey = 'very-secret-0123456789';
  const good = await openOn(t, { flavour: 'openai', brain: echo, apiKey }, { apiKey });
  assert.equal(await good.model.complete(question, signal), 'It is fine.');
  const bad = await openOn(t, { flavour: 'openai', apiKey: 'another' }, { apiKey });
  await assert.rejects(bad.model.complete(question, signal), (error: Error) => {
    assert.match(error.message, /rejects the API key/u);
    assert.match(error.message, /Incorrect API key provided: •••/u);
    assert.doesNotMatch(error.message, /very-secret/u);
    return true;
  });
});

test('leaves out thoughts in tags of any kind, and finds an answer put among the thoughts', async (t) => {
  for (const thinkTags of ['closed', 'headless'] as const) {
    const { model } = await openOn(t, { flavour: 'openai', brain: echo, faults: { thinkTags } });
    assert.equal(await model.complete(question, signal), 'It is fine.');
  }
  const parts = await openOn(t, { flavour: 'openai', brain: echo, faults: { inParts: true } });
  assert.equal(await parts.model.complete(question, signal), 'It is fine.');
  const only = await openOn(t, { flavour: 'openai', brain: echo, faults: { thinkTags: 'only' } });
  await assert.rejects(only.model.complete(question, signal), { code: 'answer-empty' });
  const json = await openOn(t, {
    flavour: 'lm-studio',
    brain: () => '{"it": "yes"}',
    faults: { reasoningOnly: true },
  });
  assert.equal(await json.model.complete({ ...question, schema }, signal), '{"it":"yes"}');
  await assert.rejects(json.model.complete(question, signal), { code: 'answer-empty' });
});

test('a cut, a filtered and an empty answer are no answers', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'openai', brain: echo });
  for (const finishReason of ['length', 'model_length'] as const) {
    server.faults.finishReason = finishReason;
    await assert.rejects(model.complete(question, signal), { code: 'answer-cut' });
  }
  server.faults.finishReason = 'content_filter';
  await assert.rejects(model.complete(question, signal), { code: 'content-filter' });
  delete server.faults.finishReason;
  server.brain = () => '  \n';
  await assert.rejects(model.complete(question, signal), { code: 'answer-empty' });
  server.brain = () => 'long '.repeat(400);
  await assert.rejects(model.complete(question, signal), { code: 'answer-cut' });
});

test('gateways may lock everything but the chat', async (t) => {
  const locked = ['/', '/props', '/api/v0/models', '/v1/models'];
  const { model } = await openOn(
    t,
    { flavour: 'openai', brain: echo, locked },
    { model: 'test-model' },
  );
  assert.equal(await model.complete(question, signal), 'It is fine.');
});

test('a list of very many models is read', async (t) => {
  const models = Array.from({ length: 5000 }, (_, index) => `model-of-some-provider-${index}`);
  const { model } = await openOn(t, { flavour: 'openai', brain: echo, models });
  assert.equal((await model.models(signal)).length, 5000);
});

test('a server that is loading its model may be waited for', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'llama.cpp', brain: echo });
  server.faults.status = {
    status: 503,
    body: '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}',
  };
  await assert.rejects(model.complete(question, signal), {
    code: 'model-away',
    retriable: true,
    message: /Loading model/u,
  });
});

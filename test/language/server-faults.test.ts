import assert from 'node:assert/strict';
import test from 'node:test';
import { punctuate } from '../../src/language/punctuate.ts';
import { summarise } from '../../src/language/summarise.ts';
import type { StageError } from '../../src/shared/errors.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { openOn } from '../support/language-servers-open.ts';
import { longTalk } from '../support/language-servers-talk.ts';

const { signal } = new AbortController();
const question = {
  system: 'Answer.',
  user: 'What is it that we are talking about here today?',
  answerTokensMax: 100,
};
const brain = () => 'It is fine.';
const flavours = ['openai', 'ollama'] as const;

for (const flavour of flavours) {
  test(`${flavour}: a server that is not there is away, and may come back`, async (t) => {
    const { model, server } = await openOn(t, { flavour, brain });
    await server.close();
    await assert.rejects(model.complete(question, signal), {
      name: 'StageError',
      code: 'model-away',
      retriable: true,
      message: /ECONNREFUSED/u,
    });
    server.close = () => Promise.resolve();
  });

  test(`${flavour}: a silent server is away after the time limit`, async (t) => {
    const { model } = await openOn(
      t,
      { flavour, faults: { silent: true } },
      { timeoutSeconds: 0.3 },
    );
    await assert.rejects(model.complete(question, signal), {
      code: 'model-away',
      retriable: true,
      message: /within 0\.3 seconds/u,
    });
  });

  test(`${flavour}: a slow server is waited for`, async (t) => {
    const { model } = await openOn(t, { flavour, brain, faults: { slowMs: 200 } });
    assert.equal(await model.complete(question, signal), 'It is fine.');
  });

  test(`${flavour}: an answer that breaks off is no answer`, async (t) => {
    const { model, server } = await openOn(t, { flavour, brain, faults: { diesMidAnswer: true } });
    await assert.rejects(model.complete(question, signal), { code: 'model-away', retriable: true });
    server.faults.diesMidAnswer = false;
    server.faults.halfJson = true;
    await assert.rejects(model.complete(question, signal), {
      code: 'model-away',
      message: /broken JSON/u,
    });
  });

  test(`${flavour}: an answer that the server gave up is asked for again, not taken for whole`, async (t) => {
    const { model, server } = await openOn(t, { flavour, brain });
    await model.complete(question, signal); // knows what the server takes from then on
    for (const finishReason of ['error', 'abort', 'insufficient_system_resource'] as const) {
      Object.assign(server.faults, { times: 1, finishReason });
      const expected = { code: 'model-away', retriable: true, message: /broke off/u };
      await assert.rejects(model.complete(question, signal), expected);
      assert.equal(await model.complete(question, signal), 'It is fine.');
    }
  });

  test(`${flavour}: JSON under a wrong content type is read, a web page is not`, async (t) => {
    const { model, server } = await openOn(t, { flavour, brain });
    server.faults.contentType = 'text/plain';
    assert.equal(await model.complete(question, signal), 'It is fine.');
    server.faults.contentType = 'text/html';
    await assert.rejects(model.complete(question, signal), {
      code: 'model-refused',
      retriable: false,
      message: /The answer isn’t JSON/u,
    });
  });

  test(`${flavour}: neither answers nor error pages of any size fill the memory`, async (t) => {
    const { model, server } = await openOn(t, { flavour, brain });
    server.faults.errorPageBytes = 10_000_000;
    await assert.rejects(model.complete(question, signal), (error: StageError) => {
      assert.equal(error.code, 'model-away');
      assert.ok(error.message.length < 1000);
      return true;
    });
    delete server.faults.errorPageBytes;
    server.faults.answerBytes = 34_000_000;
    await assert.rejects(model.complete(question, signal), {
      code: 'model-refused',
      message: /larger than 32 MB/u,
    });
  });

  test(`${flavour}: follows no redirect to another server`, async (t) => {
    const elsewhere = await startLanguageServer({ flavour, brain });
    t.after(() => elsewhere.close());
    const { model, server } = await openOn(t, { flavour, brain }, { apiKey: 'key' });
    server.faults.redirectTo = `${elsewhere.url}/chat/completions`;
    await assert.rejects(model.complete(question, signal), {
      code: 'model-refused',
      message: new RegExp(new URL(elsewhere.url).origin, 'u'),
    });
    assert.equal(elsewhere.requests.length, 0);
  });

  test(`${flavour}: a redirect on the server itself is followed, but not for ever`, async (t) => {
    const path = flavour === 'ollama' ? '/api/chat' : '/v1/chat/completions';
    const { model, server } = await openOn(t, {
      flavour,
      brain,
      faults: { times: 2, redirectTo: path },
    });
    assert.equal(await model.complete(question, signal), 'It is fine.');
    delete server.faults.times;
    await assert.rejects(model.complete(question, signal), { code: 'model-refused' });
    assert.ok(server.chats().length < 10);
  });
}

test('what a status means', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'openai', brain });
  const cases = [
    { status: 429, headers: { 'retry-after': '7' }, code: 'model-away', retryAfterMs: 7000 },
    { status: 503, headers: { 'retry-after-ms': '250' }, code: 'model-away', retryAfterMs: 250 },
    { status: 500, code: 'model-away', retriable: true },
    {
      status: 429,
      body: '{"error":{"message":"Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 3000. Please try again in 4s.","code":"rate_limit_exceeded"}}',
      code: 'model-away',
      retriable: true,
    },
    { status: 404, code: 'model-refused', retriable: false },
    { status: 401, code: 'model-refused', retriable: false },
    { status: 429, body: '{"error":{"code":"insufficient_quota"}}', code: 'model-refused' },
    { status: 400, body: '{"error":{"code":"content_filter"}}', code: 'content-filter' },
  ];
  for (const { status, headers, body = '{"detail":"because"}', ...expected } of cases) {
    server.faults.status = { status, body, ...(headers && { headers }) };
    await assert.rejects(model.complete(question, signal), expected);
  }
});

test('an error inside of a 200 is an error', async (t) => {
  const { model } = await openOn(t, {
    flavour: 'openai',
    faults: { status: { status: 200, body: '{"error":"Unexpected endpoint or method."}' } },
  });
  await assert.rejects(model.complete(question, signal), {
    code: 'model-refused',
    message: /Unexpected endpoint/u,
  });
});

test('an error inside of a 200 is what its number means, as gateways answer for the servers behind them', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'openai', brain });
  for (const code of [429, 502]) {
    const body = JSON.stringify({ error: { code, message: 'Provider returned error' } });
    server.faults.status = { status: 200, body };
    await assert.rejects(model.complete(question, signal), { code: 'model-away', retriable: true });
  }
  const body = JSON.stringify({ error: { code: 401, message: 'No auth credentials found' } });
  server.faults.status = { status: 200, body };
  await assert.rejects(model.complete(question, signal), {
    code: 'model-refused',
    message: /rejects the API key/u,
  });
});

test('says why in the words of the server, but never quotes the transcript', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'openai' });
  server.faults.status = { status: 404, body: '{"detail":"Model is not installed"}' };
  await assert.rejects(model.complete(question, signal), { message: /Model is not installed/u });
  server.faults.status = {
    status: 404,
    body: JSON.stringify({ detail: `cannot parse: ${question.user}` }),
  };
  await assert.rejects(model.complete(question, signal), (error: Error) => {
    assert.doesNotMatch(error.message, /talking about/u);
    assert.doesNotMatch(String(error.cause), /talking about/u);
    return true;
  });
});

test('an abort ends the request at once, as an abort', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'openai', faults: { silent: true } });
  const stop = new AbortController();
  const answer = model.complete(question, stop.signal);
  const asked = new Promise<void>((resolve) => {
    const look = () => (server.chats().length > 0 ? resolve() : setImmediate(look));
    look();
  });
  await asked;
  stop.abort();
  await assert.rejects(answer, { name: 'AbortError' });
});

test('a server too slow for all at once is asked for parts', async (t) => {
  const { model, server } = await openOn(
    t,
    { flavour: 'llama.cpp', contextTokens: 32_768 },
    { timeoutSeconds: 1 },
  );
  Object.assign(server.faults, { times: 1, silent: true });
  const options = { signal, language: 'de', names: {}, onProgress() {} };
  const punctuated = await punctuate(longTalk(80), model, options);
  assert.ok(punctuated.parts > 2);
  assert.deepEqual(punctuated.kept, []);
  Object.assign(server.faults, { times: 1 });
  assert.ok((await summarise(longTalk(120), model, options)).parts > 1);
});

test('a server too slow for a part of a long talk is asked for smaller ones from then on', async (t) => {
  const { model, server } = await openOn(
    t,
    { flavour: 'llama.cpp', contextTokens: 16_384 },
    { timeoutSeconds: 1 },
  );
  Object.assign(server.faults, { times: 1, silent: true });
  const options = { signal, language: 'de', names: {}, onProgress() {} };
  const blocks = longTalk(480);
  await summarise(blocks, model, options);
  const [first = '', ...parts] = server
    .chats()
    .map(({ body }) => (body as { messages: { content: string }[] }).messages[1]!.content)
    .filter((user) => user.includes('<transcript>'));
  const longest = Math.max(...parts.map((user) => user.length));
  assert.ok(first.length > 2 * longest, `${first.length} ${longest}`);
  const read = parts.flatMap((user) => [...user.matchAll(/im punkt (\d+) /gu)]);
  assert.deepEqual(
    read.map(([, at]) => Number(at)),
    blocks.map((_, at) => at),
  );
});

/** As OpenAI and Groq refuse what is more than an account may use in a minute. */
const tooLargeFor = {
  429: (model: string, limit: number, requested: number) =>
    `Request too large for ${model} in organization org-1 on tokens per min (TPM): Limit ${limit}, Requested ${requested}. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.`,
  413: (model: string, limit: number, requested: number) =>
    `Request too large for model \`${model}\` in organization \`org_1\` service tier \`on_demand\` on tokens per minute (TPM): Limit ${limit}, Requested ${requested}, please reduce your message size and try again.`,
} as const;

for (const [status, said] of Object.entries(tooLargeFor))
  test(`a request that is larger than what an account may use in a minute is asked in parts (${status})`, async (t) => {
    const { model, server } = await openOn(t, {
      flavour: 'openai',
      models: ['gpt-4o'],
      contextTokens: 131_072,
    });
    const limit = 6000;
    server.refuses = (body) => {
      const { messages, model: asked, max_tokens: answer = 0 } = body;
      const requested = Math.ceil(JSON.stringify(messages).length / 4) + answer;
      if (requested <= limit) return undefined;
      const error = {
        message: said(asked, limit, requested),
        type: 'tokens',
        code: 'rate_limit_exceeded',
      };
      return { status: Number(status), body: JSON.stringify({ error }) };
    };
    const options = { signal, language: 'de', names: {}, onProgress() {} };
    const blocks = longTalk(240);
    const punctuated = await punctuate(blocks, model, options);
    assert.ok(punctuated.parts > 2);
    assert.deepEqual(punctuated.kept, []);
    const summary = await summarise(blocks, model, options);
    assert.ok(summary.parts > 1);
    assert.equal((await model.context(signal)).tokens, limit);
  });

test('a server that stays silent is away after two time limits', async (t) => {
  const { model, server } = await openOn(
    t,
    { flavour: 'llama.cpp', contextTokens: 32_768 },
    { timeoutSeconds: 0.3 },
  );
  server.faults.silent = true;
  const options = { signal, language: 'de', names: {}, onProgress() {} };
  await assert.rejects(punctuate(longTalk(80), model, options), { code: 'model-away' });
  assert.equal(server.chats().length, 2);
});

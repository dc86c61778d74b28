import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Stretch } from '../../events/facts/transcript.ts';
import { compatEngine } from '../../src/speech/remote/compat-engine.ts';
import type { SpeechEngine, Waiting } from '../../src/speech/engine.ts';
import { nativeEngine } from '../../src/speech/remote/native-engine.ts';
import type { RemoteOptions } from '../../src/speech/remote/remote-engine.ts';
import { StageError } from '../../src/shared/errors.ts';
import { toneFile } from '../support/speech-servers-audio.ts';
import { type Fault, type Kind, speechServer } from '../support/speech-servers.ts';

const signal = new AbortController().signal;
/** Tries at once, and gives up on a server that is away after a minute. */
const patience = { awayMs: 60_000, triesMax: 3, pauseMs: 1, pauseMsMax: 1 };

type Made = Awaited<ReturnType<typeof made>>;
async function made(
  t: TestContext,
  kind: Kind,
  {
    model = 'whisper',
    seconds = 20,
    ...options
  }: RemoteOptions & { model?: string | null; seconds?: number } = {},
) {
  const server = await speechServer(kind);
  t.after(() => server.close());
  const all = { patience, ...options };
  const engine =
    kind === 'whisper.cpp'
      ? nativeEngine(server.url, null, all)
      : compatEngine(server.url, 'sk-secret', model, all);
  t.after(() => engine.close());
  return { server, engine, ...(await toneFile(t, seconds)) };
}
const hear = (
  { engine, audio }: Pick<Made, 'engine' | 'audio'>,
  stretch: Stretch = [0, 20],
  options: Partial<Parameters<SpeechEngine['recognise']>[2]> = {},
) => engine.recognise(audio, stretch, { language: null, signal, ...options });
const texts = (heard: Awaited<ReturnType<typeof hear>>) =>
  heard.segments.flatMap(({ words, text }) =>
    words.length > 0 ? words.map((w) => w.text) : text.split(' '),
  );
const plain = (heard: Awaited<ReturnType<typeof hear>>) =>
  texts(heard).map((word) => word.replace(',', ''));

for (const kind of ['whisper.cpp', 'openai', 'groq', 'speaches', 'localai', 'localai-old'] as const)
  test(`${kind}: every word once, in order, at its time in the whole recording`, async (t) => {
    const made_ = await made(t, kind);
    const from = made_.words[3]!.start - 0.05;
    const heard = await hear(made_, [from, 20]);
    const words = heard.segments.flatMap((segment) => segment.words);
    const expected = made_.words.slice(3);
    assert.deepEqual(
      words.map(({ text }) => text.replace(',', '')),
      expected.map(({ text }) => text),
    );
    words.forEach((word, i) => {
      assert.ok(Math.abs(word.start - expected[i]!.start) < 0.05);
      assert.ok(Math.abs(word.end - expected[i]!.end) < 0.05);
    });
    assert.ok(
      heard.segments.every(({ start, end }) => start >= from && end <= 20),
      'inside the stretch',
    );
    assert.equal(made_.server.received.length, 1);
  });

test('whisper.cpp: what is sent avoids every trap that was found by running it', async (t) => {
  const it = await made(t, 'whisper.cpp');
  const sentence = Array.from({ length: 40 }, (_, i) => ({
    text: 'word',
    start: i / 4,
    end: (i + 1) / 4,
  }));
  it.server.hear = () => sentence;
  const heard = await hear(it, [0, 20], { language: 'German' });
  const { path, fields, filename, headers } = it.server.received[0]!;
  assert.equal(path, '/inference');
  assert.equal(filename, 'speech.wav');
  assert.match(headers['content-length'] ?? '', /^\d+$/);
  assert.equal(headers.connection, 'close'); // an idle connection holds one of its threads
  assert.deepEqual(fields, {
    response_format: ['verbose_json'],
    temperature: ['0'],
    temperature_inc: ['0'],
    split_on_word: ['true'],
    max_len: ['100000'],
    no_language_probabilities: ['true'],
    max_context: ['0'],
    language: ['de'],
  });
  assert.deepEqual(
    heard.segments.map(({ text }) => text),
    [Array(40).fill('word,').join(' ')],
  );
  assert.equal(heard.language, 'en');
});

for (const kind of ['whisper.cpp', 'openai'] as const)
  test(`${kind}: times beyond the audio that was sent do not get into the stretches around it`, async (t) => {
    const it = await made(t, kind);
    const said: [string, number, number][] = [
      ['before', -2, -1],
      ['across', 4.5, 5.5],
      ['behind', 6, 8],
    ];
    it.server.hear = () => said.map(([text, start, end]) => ({ text, start, end }));
    const stretches: Stretch[] = [
      [0, 5],
      [5, 10],
      [10, 15],
    ];
    const words: { text: string; start: number; end: number }[] = [];
    for (const [from, to] of stretches) {
      const { segments } = await hear(it, [from, to]);
      for (const one of segments) {
        for (const { start, end } of [one, ...one.words]) {
          assert.ok(from <= start && start <= end && end <= to, `${start} to ${end} of ${to}`);
        }
        words.push(...one.words);
      }
    }
    // In the order of the recording, as they are put together.
    const inOrder = words.toSorted((one, other) => one.start - other.start);
    assert.deepEqual(words, inOrder);
    assert.deepEqual(
      words.map(({ text }) => text.replace(',', '')),
      stretches.flatMap(() => ['before', 'across', 'behind']),
    );
  });

test('whisper.cpp: languages it does not know are sent as auto', async (t) => {
  const it = await made(t, 'whisper.cpp');
  for (const language of [null, 'xx', 'auto', 'en-US']) await hear(it, [0, 5], { language });
  const sent = it.server.received.map(({ fields }) => fields['language']![0]);
  assert.deepEqual(sent, ['auto', 'auto', 'auto', 'en']);
});

test('the address is taken with and without /v1, and with the whole route', async (t) => {
  const it = await made(t, 'openai');
  for (const end of ['', '/', '/v1', '/v1/', '/v1/audio/transcriptions']) {
    const engine = compatEngine(it.server.url + end, null, 'whisper', { patience });
    t.after(() => engine.close());
    assert.equal(engine.queue, `${it.server.url}/v1`);
    await hear({ engine, audio: it.audio }, [0, 5]);
  }
  const cpp = await made(t, 'whisper.cpp');
  for (const end of ['', '/v1', '/v1/', '/inference']) {
    const engine = nativeEngine(cpp.server.url + end, null, { patience });
    t.after(() => engine.close());
    await hear({ engine, audio: cpp.audio }, [0, 5]);
  }
  assert.equal(cpp.server.received.length, 4);
});

test('a key is sent when there is one, and none is made up', async (t) => {
  const it = await made(t, 'openai');
  await hear(it, [0, 5]);
  assert.equal(it.server.received[0]!.headers.authorization, 'Bearer sk-secret');
  const engine = compatEngine(it.server.url, null, 'whisper', { patience });
  t.after(() => engine.close());
  await hear({ engine, audio: it.audio }, [0, 5]);
  assert.equal(it.server.received[1]!.headers.authorization, undefined);
});

test('a server that repeats the key does not get it into the error', async (t) => {
  const it = await made(t, 'openai');
  const body = '{"error":{"message":"Incorrect API key provided: sk-secret."}}';
  it.server.faults.push({ do: 'answer', status: 401, body });
  await assert.rejects(hear(it), (error: Error) => !error.message.includes('sk-secret'));
});

test('a model nobody named is the first of the server’s that recognises speech', async (t) => {
  const it = await made(t, 'speaches', { model: null });
  await hear(it, [0, 5]);
  assert.deepEqual(it.server.received[0]!.fields['model'], ['whisper-large']);
  assert.equal(it.engine.model, 'whisper-large');
});

test('vLLM gives segments without words: they are kept, and it is asked once', async (t) => {
  const it = await made(t, 'vllm');
  const heard = await hear(it);
  assert.deepEqual(
    texts(heard),
    it.words.map(({ text }) => text),
  );
  assert.ok(heard.segments.length > 1);
  assert.ok(heard.segments.every(({ words }) => words.length === 0));
  assert.equal(it.server.received.length, 1);
});

test('a server without times is asked in pieces of 30 s, and that is remembered', async (t) => {
  const it = await made(t, 'ollama', { seconds: 100 });
  const heard = await hear(it, [0, 100]);
  assert.deepEqual(
    texts(heard),
    it.words.map(({ text }) => text),
  );
  assert.ok(heard.segments.every(({ start, end }) => end - start <= 30));
  const asked = it.server.received.length;
  const again = compatEngine(it.server.url, null, 'whisper', { patience });
  t.after(() => again.close());
  await hear({ engine: again, audio: it.audio }, [0, 100]);
  const sent = it.server.received.slice(asked);
  assert.ok(
    sent.every(
      ({ pcm, fields }) => pcm!.length <= 30 * 16_000 && fields['response_format']![0] === 'json',
    ),
  );
});

test('a model that knows only json is stepped down to, by what the server says', async (t) => {
  const it = await made(t, 'openai', { model: 'gpt-4o-future' });
  const heard = await hear(it);
  assert.deepEqual(
    texts(heard),
    it.words.map(({ text }) => text),
  );
  const formats = it.server.received.map(({ fields }) => fields['response_format']![0]);
  assert.deepEqual(formats, ['verbose_json', 'verbose_json', 'json']);
});

test('a model known to give no times is asked for none', async (t) => {
  const it = await made(t, 'openai', { model: 'gpt-4o-transcribe' });
  await hear(it);
  assert.deepEqual(
    it.server.received.map(({ fields }) => fields['response_format']![0]),
    ['json'],
  );
});

test('an unexplained 500 is tried again, then stepped down from (Parakeet on speaches)', async (t) => {
  const it = await made(t, 'speaches', {
    model: 'parakeet',
    patience: { ...patience, triesMax: 5 },
  });
  const heard = await hear(it);
  assert.deepEqual(
    texts(heard),
    it.words.map(({ text }) => text),
  );
});

test('one unexplained 500 does not cost the times', async (t) => {
  const it = await made(t, 'speaches');
  it.server.faults.push({ do: 'answer', status: 500 });
  const heard = await hear(it);
  assert.ok(heard.segments[0]!.words.length > 0);
});

test('a proxy that takes only small uploads is served small ones', async (t) => {
  for (const kind of ['openai', 'whisper.cpp'] as const) {
    const it = await made(t, kind, { seconds: 100 });
    it.server.bytesMax = 1_000_000; // nginx without client_max_body_size
    assert.deepEqual(
      plain(await hear(it, [0, 100])),
      it.words.map(({ text }) => text),
      kind,
    );
  }
});

test('a server that takes not even ten seconds is an error with a reason', async (t) => {
  const it = await made(t, 'openai');
  it.server.bytesMax = 1000;
  await assert.rejects(hear(it), {
    code: 'engine-refused',
    retriable: false,
    message: /too large/,
  });
});

const refusals: [string, Fault & { do: 'answer' }, RegExp][] = [
  [
    '400',
    { do: 'answer', status: 400, body: 'Invalid request' },
    /did not accept the request.*Invalid request/,
  ],
  [
    '401',
    { do: 'answer', status: 401, body: '{"error":{"message":"Incorrect API key"}}' },
    /stt\.api_key.*Incorrect/,
  ],
  [
    '403 of FastAPI',
    { do: 'answer', status: 403, type: 'application/json', body: '{"detail":"Not authenticated"}' },
    /Not authenticated/,
  ],
  [
    '404 of FastAPI',
    {
      do: 'answer',
      status: 404,
      type: 'application/json',
      body: '{"detail":"Model is not installed locally"}',
    },
    /not installed locally/,
  ],
  [
    'a redirect',
    { do: 'answer', status: 302, headers: { location: 'https://new.example/x?key=1' } },
    /redirects to https:\/\/new\.example\/x\./,
  ],
  [
    'a login page',
    { do: 'answer', status: 200, type: 'text/html', body: '<!doctype html><p>Sign in' },
    /web page/,
  ],
  [
    'no credit',
    { do: 'answer', status: 429, body: '{"error":{"code":"insufficient_quota"}}' },
    /no credit/,
  ],
  [
    'a 500 that stays one',
    {
      do: 'answer',
      status: 500,
      type: 'application/json',
      body: '{"error":"FFmpeg conversion failed."}',
    },
    /FFmpeg/,
  ],
  [
    '10 MB of error page',
    { do: 'answer', status: 418, type: 'text/html', body: `<html>${'x'.repeat(10e6)}` },
    /HTTP 418\)\.$/,
  ],
];
for (const kind of ['whisper.cpp', 'openai'] as const)
  for (const [name, fault, message] of refusals)
    test(`${kind}: ${name} is not tried again, and the sentence says what it is`, async (t) => {
      const it = await made(t, kind);
      it.server.faults.push(fault);
      await assert.rejects(hear(it), (error: unknown) => {
        assert.ok(error instanceof StageError);
        assert.deepEqual([error.code, error.retriable], ['engine-refused', false]);
        assert.match(error.message, message);
        assert.ok(error.message.length < 600);
        return true;
      });
      assert.equal(it.server.received.length, 1);
    });

const passing: [string, Fault][] = [
  ['dies before it answers', { do: 'die' }],
  ['dies in the middle of its answer', { do: 'die', after: '{"text":"w0' }],
  ['answers half', { do: 'half' }],
  [
    'fails inside',
    {
      do: 'answer',
      status: 500,
      type: 'application/json',
      body: '{"error":"failed to process audio"}',
    },
  ],
  [
    'fails inside a 200',
    {
      do: 'answer',
      status: 200,
      type: 'application/json',
      body: '{"error":{"message":"backend"}}',
    },
  ],
];
for (const kind of ['whisper.cpp', 'openai'] as const)
  for (const [name, fault] of passing) {
    test(`${kind}: a server that ${name} once is asked again`, async (t) => {
      const it = await made(t, kind);
      it.server.faults.push(fault);
      assert.deepEqual(
        plain(await hear(it)),
        it.words.map(({ text }) => text),
      );
      assert.equal(it.server.received.length, 2);
    });

    test(`${kind}: a server that ${name} each time is an error that can be retried`, async (t) => {
      const it = await made(t, kind);
      // Eight, in case a format is tried as well; fewer than that are asked for.
      it.server.faults.push(...Array<Fault>(8).fill(fault));
      await assert.rejects(
        hear(it),
        (error: unknown) => error instanceof StageError && error.retriable,
      );
      assert.ok(it.server.received.length <= 5);
    });
  }

test('Retry-After is waited for, and waiting shows', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const it = await made(t, kind);
    const headers = { 'retry-after': '0.05' };
    it.server.faults.push({ do: 'answer', status: 429, headers }, { do: 'answer', status: 503 });
    const shown: (Waiting | null)[] = [];
    const before = performance.now();
    await hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting) });
    assert.ok(performance.now() - before >= 50);
    assert.equal(shown.length, 2);
    assert.match(shown[0]!.reason, /is busy/);
    assert.ok(Math.abs(Date.parse(shown[0]!.since) - Date.now()) < 60_000);
    assert.equal(shown[1], null);
  }
});

test('a server that is away is waited for, and the work goes on by itself when it returns', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const it = await made(t, kind);
    await it.server.down();
    const shown: (Waiting | null)[] = [];
    const heard = await hear(it, [0, 20], {
      onWaiting(waiting) {
        shown.push(waiting);
        if (waiting) void it.server.up();
      },
    });
    assert.deepEqual(
      plain(heard),
      it.words.map(({ text }) => text),
    );
    assert.match(shown[0]!.reason, /cannot be reached \(ECONNREFUSED\)/);
    assert.deepEqual(shown.slice(1), [null]);
  }
});

test('a server that stays away is an error after the limit, and can be retried', async (t) => {
  const it = await made(t, 'whisper.cpp', {
    patience: { ...patience, awayMs: 20, pauseMs: 5, pauseMsMax: 5 },
  });
  await it.server.down();
  const shown: (Waiting | null)[] = [];
  const work = hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting) });
  await assert.rejects(work, { code: 'engine-away', retriable: true });
  assert.equal(shown.at(-1), null);
});

test('cancelling ends a request at once, and a wait as well', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const it = await made(t, kind);
    it.server.faults.push({ do: 'hang' });
    const control = new AbortController();
    const work = hear(it, [0, 20], { signal: control.signal });
    await it.server.asked(1);
    control.abort();
    await assert.rejects(work, { name: 'AbortError' });
    assert.equal(it.server.received.length, 1);

    await it.server.down();
    const waiting = new AbortController();
    const options = { signal: waiting.signal, onWaiting: () => waiting.abort() };
    await assert.rejects(hear(it, [0, 20], options), { name: 'AbortError' });
  }
});

test('a server that never answers is left after a time that grows with the audio', async (t) => {
  const limits: number[] = [];
  const timeoutMs = (seconds: number) => {
    limits.push(Math.round(seconds));
    return 30;
  };
  const it = await made(t, 'openai', { timeoutMs });
  it.server.faults.push({ do: 'hang' }, { do: 'hang' }, { do: 'hang' });
  await assert.rejects(hear(it, [2, 12]), { code: 'engine-stalled', retriable: true });
  assert.deepEqual(limits, [10, 10, 10]);
});

test('how long is waited for an answer follows the pace that was seen', async (t) => {
  const paces: (number | null)[] = [];
  const timeoutMs = (_seconds: number, pace: number | null) => {
    paces.push(pace);
    return 60_000;
  };
  const it = await made(t, 'openai', { timeoutMs });
  await hear(it, [0, 10]);
  await hear(it, [0, 10]);
  assert.equal(paces[0], null);
  assert.ok(paces[1]! > 0 && paces[1]! < 1, `${paces[1]}`);
});

test('a server that goes away while it works is noticed by looking at it', async (t) => {
  const it = await made(t, 'whisper.cpp', { watchMs: 1, patience: { ...patience, awayMs: 0 } });
  it.server.faults.push({ do: 'hang' });
  const work = hear(it);
  await it.server.asked(1);
  // Nobody listens any more, but the open connection says nothing: as after a power cut.
  const failed = assert.rejects(work, { code: 'engine-away', retriable: true });
  await it.server.deaf();
  await failed;
});

test('no answer to a look is no sign of death', async (t) => {
  const it = await made(t, 'whisper.cpp', { watchMs: 1 });
  it.server.faults.push({ do: 'wait' });
  const work = hear(it);
  await it.server.looked(5);
  it.server.release();
  assert.deepEqual(
    plain(await work),
    it.words.map(({ text }) => text),
  );
});

test('doubtful text is marked and kept', async (t) => {
  const it = await made(t, 'openai');
  it.server.hear = () =>
    Array.from({ length: 9 }, (_, i) => ({ text: 'so', start: i, end: i + 1 }));
  const heard = await hear(it);
  assert.equal(heard.doubt, 'repetition');
  assert.equal(texts(heard).length, 9);
});

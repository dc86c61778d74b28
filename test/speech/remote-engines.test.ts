import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Stretch } from '../../events/facts/transcript.ts';
import { compatEngine } from '../../src/speech/remote/compat-engine.ts';
import type { SpeechEngine } from '../../src/speech/engine.ts';
import { nativeEngine } from '../../src/speech/remote/native-engine.ts';
import type { RemoteOptions } from '../../src/speech/remote/remote-engine.ts';
import { StageError } from '../../src/shared/errors.ts';
import type { WaitingFor } from '../../src/shared/retry-stage.ts';
import { handClock } from '../support/clocks.ts';
import { toneFile } from '../support/speech-servers-audio.ts';
import { type Fault, type Kind, speechServer } from '../support/speech-servers.ts';

const signal = new AbortController().signal;
/** Tries again almost at once. */
const pauses = { first: 1, max: 1 };
/** Pauses between tries pass by themselves; time limits and probes do not. */
const pausing = (): ReturnType<typeof handClock> =>
  handClock({ atOnce: (ms) => ms <= 30_000 && ms !== 5000 && ms !== 3000 });

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
  const all = { pauses, ...options };
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

test('whisper.cpp behind OpenAI’s path is asked to detect the language, others are not told any', async (t) => {
  const it = await made(t, 'openai');
  it.server.software = 'whisper.cpp';
  const languages = () => it.server.received.map(({ fields }) => fields['language']?.[0]);
  await hear(it, [0, 5]);
  assert.deepEqual(languages(), [undefined, 'auto']);
  await hear(it, [5, 10]);
  await hear(it, [5, 10], { language: 'de-AT' });
  assert.deepEqual(languages().slice(2), ['auto', 'de']);
  const other = await made(t, 'speaches');
  await hear(other, [0, 5]);
  assert.equal(other.server.received[0]!.fields['language'], undefined);
});

test('the address is taken with and without /v1, and with the whole route', async (t) => {
  const it = await made(t, 'openai');
  for (const end of ['', '/', '/v1', '/v1/', '/v1/audio/transcriptions']) {
    const engine = compatEngine(it.server.url + end, null, 'whisper', { pauses });
    t.after(() => engine.close());
    assert.equal(engine.queue, `${it.server.url}/v1`);
    await hear({ engine, audio: it.audio }, [0, 5]);
  }
  const cpp = await made(t, 'whisper.cpp');
  for (const end of ['', '/v1', '/v1/', '/inference']) {
    const engine = nativeEngine(cpp.server.url + end, null, { pauses });
    t.after(() => engine.close());
    await hear({ engine, audio: cpp.audio }, [0, 5]);
  }
  assert.equal(cpp.server.received.length, 4);
});

test('a key is sent when there is one, and none is made up', async (t) => {
  const it = await made(t, 'openai');
  await hear(it, [0, 5]);
  assert.equal(it.server.received[0]!.headers.authorization, 'Bearer sk-secret');
  const engine = compatEngine(it.server.url, null, 'whisper', { pauses });
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
  const again = compatEngine(it.server.url, null, 'whisper', { pauses });
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

test('what has no times is streamed to who wants to know it while it comes; others get it in one piece', async (t) => {
  const it = await made(t, 'openai', { model: 'gpt-4o-transcribe' });
  const all = it.words.map(({ text }) => text);
  const said: string[] = [];
  const onPartial = (text: string) => void said.push(text);
  const sent = () => it.server.received.map(({ fields }) => fields['stream']?.[0]);
  assert.deepEqual(plain(await hear(it)), all);
  assert.deepEqual(sent(), [undefined]);
  assert.deepEqual(plain(await hear(it, [0, 20], { onPartial })), all);
  assert.deepEqual(sent(), [undefined, 'true']);
  assert.equal(said.at(-1), all.join(' '));

  // What ends too early, says an error or is no event is asked for again.
  const delta = { type: 'transcript.text.delta', delta: 'half a' };
  const error = { type: 'error', error: { message: 'out of memory' } };
  it.server.faults.push(
    { do: 'stream', events: [delta] },
    { do: 'stream', events: [delta, error] },
    { do: 'stream', events: [delta, 'no event'] },
    // As a server that does not know it.
    { do: 'answer', status: 400, body: '{"error":{"message":"Unknown parameter: stream"}}' },
  );
  assert.deepEqual(plain(await hear(it, [0, 20], { onPartial })), all);
  assert.ok(said.includes('half a'));
  assert.deepEqual(sent().slice(2), ['true', 'true', 'true', 'true', undefined]);

  const other = await made(t, 'vllm', { model: 'voxtral' });
  said.length = 0;
  assert.deepEqual(plain(await hear(other, [0, 20], { onPartial })).filter(Boolean), all);
  assert.deepEqual(plain(await hear(other, [0, 20], { onPartial })).filter(Boolean), all);
});

test('an unexplained 500 is tried again, then stepped down from (Parakeet on speaches)', async (t) => {
  const it = await made(t, 'speaches', { model: 'parakeet' });
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
      const { clock, passed } = pausing();
      const it = await made(t, kind, { clock, pauses: { first: 1000, max: 30_000 } });
      // More than are asked for.
      it.server.faults.push(...Array<Fault>(40).fill(fault));
      const failure = await hear(it).catch((error: unknown) => error);
      assert.ok(failure instanceof StageError && failure.retriable);
      // What cannot be read is asked for three times, what fails for ten minutes.
      if (failure.code === 'engine-answer') return assert.deepEqual(passed, [1000, 2000]);
      assert.deepEqual(passed.slice(0, 7), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
      const waited = passed.reduce((sum, ms) => sum + ms, 0);
      assert.equal(waited, 10 * 60_000);
    });
  }

test('Retry-After is waited for, and waiting shows', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const it = await made(t, kind);
    const headers = { 'retry-after': '0.05' };
    it.server.faults.push({ do: 'answer', status: 429, headers }, { do: 'answer', status: 503 });
    const shown: (WaitingFor | null)[] = [];
    const before = performance.now();
    await hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting) });
    assert.ok(performance.now() - before >= 50);
    assert.match(shown[0]!.reason, /is busy/);
    assert.ok(Math.abs(Date.parse(shown[0]!.since) - Date.now()) < 60_000);
    assert.match(shown[1]!.reason, /is not ready \(HTTP 503\)/);
    assert.equal(shown[1]!.since, shown[0]!.since);
    assert.deepEqual(shown.slice(2), [null]);
  }
});

test('a server that is away is waited for, and the work goes on by itself when it returns', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const it = await made(t, kind);
    await it.server.down();
    const shown: (WaitingFor | null)[] = [];
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

for (const [how, code] of [
  ['refuses', 'ECONNREFUSED'],
  ['closes', '(UND_ERR_SOCKET|ECONNRESET|EPIPE)'],
] as const)
  test(`an address that ${how} connections for half an hour is an error that can be retried`, async (t) => {
    const { clock, passed } = pausing();
    const it = await made(t, 'whisper.cpp', { clock, pauses: { first: 1000, max: 30_000 } });
    if (how === 'refuses') await it.server.down();
    else it.server.closing = true;
    const shown: (WaitingFor | null)[] = [];
    const work = hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting) });
    await assert.rejects(work, { code: 'engine-away', retriable: true, message: /30 minutes/ });
    assert.equal(
      passed.reduce((sum, ms) => sum + ms, 0),
      30 * 60_000,
    );
    assert.match(shown[0]!.reason, new RegExp(code));
    assert.equal(shown.at(-1), null);
  });

for (const kind of ['whisper.cpp', 'openai'] as const)
  test(`${kind}: a server behind something that accepts and closes is waited for, and shown`, async (t) => {
    const it = await made(t, kind);
    it.server.closing = true;
    const shown: (WaitingFor | null)[] = [];
    const onWaiting = (waiting: WaitingFor | null): void => {
      shown.push(waiting);
      if (shown.length === 5) it.server.closing = false;
    };
    assert.deepEqual(
      plain(await hear(it, [0, 20], { onWaiting })),
      it.words.map(({ text }) => text),
    );
    assert.match(shown[0]!.reason, /closes connections without an answer/);
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

test('the first answer may take half an hour, later ones ten times the slowest so far', async (t) => {
  const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
  const it = await made(t, 'openai', { clock });
  it.server.faults.push({ do: 'hang' }, { do: 'wait' }, { do: 'hang' });
  const first = hear(it, [0, 20]);
  await it.server.asked(1);
  await pass(30 * 60_000);
  // Asked again: it takes 65 s for 20 s of audio.
  await it.server.asked(2);
  await pass(5000);
  await it.server.looked(1);
  await pass(60_000);
  it.server.release();
  await first;
  const second = hear(it, [0, 20]);
  await it.server.asked(3);
  await pass(650_000);
  assert.equal((await second).segments.length, (await first).segments.length);
});

test('a fast server may take five minutes', async (t) => {
  const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
  const it = await made(t, 'whisper.cpp', { clock });
  await hear(it, [0, 20]);
  it.server.faults.push({ do: 'hang' });
  const later = hear(it, [0, 20]);
  await it.server.asked(2);
  await pass(5 * 60_000);
  await later;
  assert.equal(it.server.received.length, 3);
});

/** Lets a minute pass, and one probe of the server be made in it. */
const probed = async (
  { server, pass }: { server: Made['server']; pass(ms: number): Promise<void> },
  looks: number,
): Promise<void> => {
  await pass(60_000);
  await server.looked(looks);
};

test('a server that hangs while it works is shown, and asked again after three probes without an answer', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
    const it = await made(t, kind, { clock });
    const { server } = it;
    server.faults.push({ do: 'hang' });
    const shown: (string | null)[] = [];
    const work = hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting?.reason ?? null) });
    await server.asked(1);
    await pass(5000);
    await server.looked(1);
    server.mute = true;
    for (const looks of [2, 3]) {
      await probed({ server, pass }, looks);
      await pass(3000);
    }
    await probed({ server, pass }, 4);
    assert.equal(shown.length, 2);
    assert.match(shown[0]!, /does not answer while it works/);
    server.mute = false;
    await pass(3000);
    assert.deepEqual(
      plain(await work),
      it.words.map(({ text }) => text),
    );
    assert.match(shown[2]!, /has not answered for 3 minutes/);
    assert.deepEqual(shown.slice(3), [null]);
  }
});

test('a server with one thread is slow, not hung: it takes connections', async (t) => {
  const { clock, pass } = handClock();
  const it = await made(t, 'whisper.cpp', { clock });
  it.server.faults.push({ do: 'wait' });
  it.server.mute = true;
  const onWaiting = () => assert.fail('nothing is waited for');
  const work = hear(it, [0, 20], { onWaiting });
  await it.server.asked(1);
  await pass(5000);
  for (const looks of [1, 2, 3, 4, 5, 6]) {
    await it.server.looked(looks);
    await pass(3000);
    await pass(60_000);
  }
  it.server.release();
  assert.deepEqual(
    plain(await work),
    it.words.map(({ text }) => text),
  );
});

test('a server that is switched off while it works is noticed by three probes', async (t) => {
  const { clock, pass } = handClock();
  const it = await made(t, 'whisper.cpp', { clock });
  it.server.faults.push({ do: 'hang' });
  const waiting = new AbortController();
  const onWaiting = (shown: WaitingFor | null): void => {
    if (shown && /went away while it worked/.test(shown.reason)) waiting.abort();
  };
  const work = hear(it, [0, 20], { onWaiting, signal: waiting.signal });
  await it.server.asked(1);
  // Nobody listens any more, but the open connection says nothing: as after a power cut.
  await it.server.deaf();
  await pass(5000);
  for (let probes = 0; probes < 3; probes += 1) await pass(60_000);
  await assert.rejects(work, { name: 'AbortError' });
});

test('what is waited for is taken back when the server works again', async (t) => {
  const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
  const it = await made(t, 'openai', { clock });
  it.server.faults.push({ do: 'answer', status: 503 }, { do: 'wait' });
  const shown: (WaitingFor | null)[] = [];
  const work = hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting) });
  await it.server.asked(2);
  assert.equal(shown.length, 1);
  await pass(5000);
  await it.server.looked(1);
  await pass(60_000); // only the next one is waited for when the last one was answered
  assert.deepEqual(shown.slice(1), [null]);
  it.server.release();
  await work;
});

test('doubtful text is marked and kept', async (t) => {
  const it = await made(t, 'openai');
  it.server.hear = () =>
    Array.from({ length: 9 }, (_, i) => ({ text: 'so', start: i, end: i + 1 }));
  const heard = await hear(it);
  assert.equal(heard.doubt, 'repetition');
  assert.equal(texts(heard).length, 9);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stretch } from '../../events/facts/transcript.ts';
import { compatEngine } from '../../src/speech/remote/compat-engine.ts';
import { nativeEngine } from '../../src/speech/remote/native-engine.ts';
import { anyNumber } from '../../src/shared/speaker-count.ts';
import { hear, plainWords, standIn, shortPauses, writtenWords } from '../support/remote-engine.ts';

for (const kind of ['whisper.cpp', 'openai', 'groq', 'speaches', 'localai', 'localai-old'] as const)
  test(`${kind}: every word once, in order, at its time in the whole recording`, async (t) => {
    const it = await standIn(t, kind);
    const from = it.words[3]!.start - 0.05;
    const heard = await hear(it, [from, 20]);
    const words = heard.segments.flatMap((segment) => segment.words);
    const expected = it.words.slice(3);
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
    assert.equal(it.server.received.length, 1);
  });

test('whisper.cpp: what is sent avoids every trap that was found by running it', async (t) => {
  const it = await standIn(t, 'whisper.cpp');
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
    temperature_inc: ['0.2'],
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
    const it = await standIn(t, kind);
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
  const it = await standIn(t, 'whisper.cpp');
  for (const language of [null, 'xx', 'auto', 'en-US']) await hear(it, [0, 5], { language });
  const sent = it.server.received.map(({ fields }) => fields['language']![0]);
  assert.deepEqual(sent, ['auto', 'auto', 'auto', 'en']);
});

test('whisper.cpp behind OpenAI’s path is asked to detect the language, others are not told any', async (t) => {
  const it = await standIn(t, 'openai');
  it.server.software = 'whisper.cpp';
  const languages = () => it.server.received.map(({ fields }) => fields['language']?.[0]);
  await hear(it, [0, 5]);
  assert.deepEqual(languages(), [undefined, 'auto']);
  await hear(it, [5, 10]);
  await hear(it, [5, 10], { language: 'de-AT' });
  assert.deepEqual(languages().slice(2), ['auto', 'de']);
  const other = await standIn(t, 'speaches');
  await hear(other, [0, 5]);
  assert.equal(other.server.received[0]!.fields['language'], undefined);
});

test('the address is taken with and without /v1, and with the whole route', async (t) => {
  const it = await standIn(t, 'openai');
  for (const end of ['', '/', '/v1', '/v1/', '/v1/audio/transcriptions']) {
    const engine = compatEngine(it.server.url + end, null, 'whisper', { pauses: shortPauses });
    t.after(() => engine.close());
    assert.equal(engine.queue, `${it.server.url}/v1`);
    await hear({ engine, audio: it.audio }, [0, 5]);
  }
  const cpp = await standIn(t, 'whisper.cpp');
  for (const end of ['', '/v1', '/v1/', '/inference']) {
    const engine = nativeEngine(cpp.server.url + end, null, { pauses: shortPauses });
    t.after(() => engine.close());
    await hear({ engine, audio: cpp.audio }, [0, 5]);
  }
  assert.equal(cpp.server.received.length, 4);
});

test('a key is sent when there is one, and none is made up', async (t) => {
  const it = await standIn(t, 'openai');
  await hear(it, [0, 5]);
  assert.equal(it.server.received[0]!.headers.authorization, 'Bearer sk-secret');
  const engine = compatEngine(it.server.url, null, 'whisper', { pauses: shortPauses });
  t.after(() => engine.close());
  await hear({ engine, audio: it.audio }, [0, 5]);
  assert.equal(it.server.received[1]!.headers.authorization, undefined);
});

test('a server that repeats the key does not get it into the error', async (t) => {
  const it = await standIn(t, 'openai');
  const body = '{"error":{"message":"Incorrect API key provided: sk-secret."}}';
  it.server.faults.push({ do: 'answer', status: 401, body });
  await assert.rejects(hear(it), (error: Error) => !error.message.includes('sk-secret'));
});

test('a model nobody named is the first of the server’s that recognises speech', async (t) => {
  const it = await standIn(t, 'speaches', { model: null });
  await hear(it, [0, 5]);
  assert.deepEqual(it.server.received[0]!.fields['model'], ['whisper-large']);
  assert.equal(it.engine.model, 'whisper-large');
});

test('a model nobody named is looked for again where the server does not have it', async (t) => {
  const it = await standIn(t, 'speaches', { model: null });
  const modelsAsked = () => it.server.received.map(({ fields }) => fields['model']![0]);
  const missing = { do: 'answer', status: 404, body: '{"detail": "not installed"}' } as const;
  it.server.models = [];
  it.server.faults.push(missing);
  await assert.rejects(hear(it, [0, 5]), { code: 'engine-refused' });
  it.server.models = ['whisper-small'];
  await hear(it, [0, 5]);
  assert.deepEqual(modelsAsked(), ['whisper-1', 'whisper-small']);
  // Started with another one, in the middle of the work.
  it.server.models = ['voxtral'];
  it.server.faults.push(missing);
  await hear(it, [0, 5]);
  assert.deepEqual(modelsAsked().slice(2), ['whisper-small', 'voxtral']);
  assert.equal(it.engine.model, 'voxtral');
});

test('vLLM gives segments without words: they are kept, and it is asked once', async (t) => {
  const it = await standIn(t, 'vllm');
  const heard = await hear(it);
  assert.deepEqual(
    writtenWords(heard),
    it.words.map(({ text }) => text),
  );
  assert.ok(heard.segments.length > 1);
  assert.ok(heard.segments.every(({ words }) => words.length === 0));
  assert.equal(it.server.received.length, 1);
});

test('a server without times is asked in pieces of 30 s, and that is remembered', async (t) => {
  const it = await standIn(t, 'ollama', { seconds: 100 });
  const heard = await hear(it, [0, 100]);
  assert.deepEqual(
    writtenWords(heard),
    it.words.map(({ text }) => text),
  );
  assert.ok(heard.segments.every(({ start, end }) => end - start <= 30));
  const asked = it.server.received.length;
  const again = compatEngine(it.server.url, null, 'whisper', { pauses: shortPauses });
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
  const it = await standIn(t, 'openai', { model: 'gpt-4o-future' });
  const heard = await hear(it);
  assert.deepEqual(
    writtenWords(heard),
    it.words.map(({ text }) => text),
  );
  const formats = it.server.received.map(({ fields }) => fields['response_format']![0]);
  assert.deepEqual(formats, ['verbose_json', 'verbose_json', 'json']);
});

test('a model known to give no times is asked for none', async (t) => {
  const it = await standIn(t, 'openai', { model: 'gpt-4o-transcribe' });
  await hear(it);
  assert.deepEqual(
    it.server.received.map(({ fields }) => fields['response_format']![0]),
    ['json'],
  );
});

test('what has no times is streamed to who wants to know it while it comes; others get it in one piece', async (t) => {
  const it = await standIn(t, 'openai', { model: 'gpt-4o-transcribe' });
  const all = it.words.map(({ text }) => text);
  const said: string[] = [];
  const onPartial = (text: string) => void said.push(text);
  const sent = () => it.server.received.map(({ fields }) => fields['stream']?.[0]);
  assert.deepEqual(plainWords(await hear(it)), all);
  assert.deepEqual(sent(), [undefined]);
  assert.deepEqual(plainWords(await hear(it, [0, 20], { onPartial })), all);
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
  assert.deepEqual(plainWords(await hear(it, [0, 20], { onPartial })), all);
  assert.ok(said.includes('half a'));
  assert.deepEqual(sent().slice(2), ['true', 'true', 'true', 'true', undefined]);

  const other = await standIn(t, 'vllm', { model: 'voxtral' });
  said.length = 0;
  assert.deepEqual(plainWords(await hear(other, [0, 20], { onPartial })).filter(Boolean), all);
  assert.deepEqual(plainWords(await hear(other, [0, 20], { onPartial })).filter(Boolean), all);
});

test('a streamed answer takes work as there are events, each of which comes by itself', async (t) => {
  const it = await standIn(t, 'openai', { model: 'gpt-4o-transcribe' });
  let isHeard = () => {};
  async function* oneByOne(count: number): AsyncGenerator<object> {
    for (let at = 0; at < count; at += 1) {
      const heard = new Promise<void>((resolve) => (isHeard = resolve));
      yield { type: 'transcript.text.delta', delta: `${at} ` };
      await heard;
    }
    yield { type: 'transcript.text.done' };
  }
  const microsOf = async (count: number): Promise<number> => {
    it.server.faults.push({ do: 'stream', events: oneByOne(count) });
    const before = process.cpuUsage();
    const heard = await hear(it, [0, 20], { onPartial: () => isHeard() });
    const { user, system } = process.cpuUsage(before);
    assert.equal(plainWords(heard).length, count);
    return user + system;
  };
  await microsOf(100); // what is only done once
  const [few, many] = [await microsOf(400), await microsOf(3200)];
  // Eight times the events; sixty-four times the work if each is read again with the next.
  assert.ok(many < 20 * few, `${few} µs, then ${many} µs`);
});

test('an unexplained 500 is tried again, then stepped down from (Parakeet on speaches)', async (t) => {
  const it = await standIn(t, 'speaches', { model: 'parakeet' });
  const heard = await hear(it);
  assert.deepEqual(
    writtenWords(heard),
    it.words.map(({ text }) => text),
  );
});

test('one whose model is called as if it separated speakers, and fails at that format, is asked for simpler ones', async (t) => {
  const it = await standIn(t, 'speaches', { model: 'parakeet-diarize' });
  const heard = await hear(it, [0, 20], { signal: AbortSignal.timeout(20_000) });
  assert.deepEqual(
    writtenWords(heard),
    it.words.map(({ text }) => text),
  );
});

test('one that has named speakers of this meeting before a restart is asked on for them after errors', async (t) => {
  const it = await standIn(t, 'openai', { model: 'gpt-4o-transcribe-diarize' });
  it.server.faults.push({ do: 'answer', status: 500 }, { do: 'answer', status: 500 });
  const before = { speaker: '1:A', start: 0, end: 9, text: 'Good morning.', words: [] };
  await hear(it, [10, 20], { meeting: { speakers: anyNumber, heard: [before] } });
  const formats = it.server.received.map(({ fields }) => fields['response_format']?.[0]);
  assert.deepEqual(
    formats,
    Array.from({ length: 3 }, () => 'diarized_json'),
  );
});

test('one unexplained 500 does not cost the times', async (t) => {
  const it = await standIn(t, 'speaches');
  it.server.faults.push({ do: 'answer', status: 500 });
  const heard = await hear(it);
  assert.ok(heard.segments[0]!.words.length > 0);
});

test('what a bad moment of a server costs is tried again after an hour: times, and the length of pieces', async (t) => {
  const it = await standIn(t, 'speaches', { seconds: 100 });
  const asked = () =>
    it.server.received
      .splice(0)
      .map(({ pcm, fields }) => [pcm!.length / 16_000 > 30, fields['response_format']![0]]);
  for (let failed = 0; failed < 4; failed += 1)
    it.server.faults.push({ do: 'answer', status: 500 });
  await hear(it, [0, 100]);
  assert.deepEqual(asked().at(-1), [false, 'json']);
  await hear(it, [0, 100]);
  assert.deepEqual(asked()[0], [false, 'json']);
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + 3_600_001);
  await hear(it, [0, 100]);
  assert.deepEqual(asked(), [[true, 'verbose_json']]);
});

test('a proxy that takes only small uploads is served small ones', async (t) => {
  for (const kind of ['openai', 'whisper.cpp'] as const) {
    const it = await standIn(t, kind, { seconds: 100 });
    it.server.bytesMax = 1_000_000; // nginx without client_max_body_size
    assert.deepEqual(
      plainWords(await hear(it, [0, 100])),
      it.words.map(({ text }) => text),
      kind,
    );
  }
});

test('a server that takes not even ten seconds is an error with a reason', async (t) => {
  const it = await standIn(t, 'openai');
  it.server.bytesMax = 1000;
  await assert.rejects(hear(it), {
    code: 'engine-refused',
    retriable: false,
    message: /too large/,
  });
});

test('doubtful text is marked and kept', async (t) => {
  const it = await standIn(t, 'openai');
  it.server.hear = () =>
    Array.from({ length: 9 }, (_, i) => ({ text: 'so', start: i, end: i + 1 }));
  const heard = await hear(it);
  assert.ok(heard.segments.every(({ doubt }) => doubt === 'repetition'));
  assert.equal(writtenWords(heard).length, 9);
});

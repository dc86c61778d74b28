import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTranscript } from '../../src/speech/parse-transcript.ts';
import { cpuMicros } from '../support/cpu-time.ts';

/** An answer of so many seconds of audio. */
const parsedBody = (body: string, contentType: string, seconds: number) =>
  parseTranscript({ body, contentType }, seconds, 'http://speech');
const json = (value: unknown, type = 'application/json') =>
  parsedBody(JSON.stringify(value), type, 11);
const texts = (value: unknown) => json(value).segments.map((segment) => segment.text);

test('whisper.cpp: words are put together from tokens, punctuation stays with its word', () => {
  const { segments, language, timed } = json({
    task: 'transcribe',
    language: 'english',
    duration: 11.0,
    text: ' And so, my fellow Americans,\n',
    segments: [
      {
        id: 0,
        text: ' And so, my',
        start: 0.0,
        end: 3.2,
        words: [
          { word: ' And', start: 0.32, end: 0.36, t_dtw: -1, probability: 1.0 },
          { word: ' so', start: 0.36, end: 0.53, t_dtw: -1, probability: 1.0 },
          { word: ',', start: 0.69, end: 0.69, t_dtw: -1, probability: 1.0 },
          { word: ' m', start: 0.8, end: 0.9 },
          { word: 'y', start: 0.9, end: 7.6000000000000005 },
        ],
      },
    ],
  });
  assert.deepEqual(segments[0]!.words, [
    { text: 'And', start: 0.32, end: 0.36 },
    { text: 'so,', start: 0.36, end: 0.69 },
    { text: 'my', start: 0.8, end: 7.6000000000000005 },
  ]);
  assert.equal(language, 'en');
  assert.equal(timed, true);
});

test('whisper.cpp: a segment cut in the middle of a word is joined without a space', () => {
  const segments = [
    { start: 0, end: 2, text: ' patent über' },
    { start: 2, end: 4, text: 'prüfen 日本語' },
    { start: 4, end: 60, text: ' und so' },
  ];
  const heard = json({ text: '…', segments }).segments;
  assert.deepEqual(
    heard.map(({ text, end }) => [text, end]),
    [
      [' patent überprüfen 日本語', 4],
      [' und so', 11], // ends are clamped to the audio
    ],
  );
});

test('whisper.cpp: no speech is an empty transcript, not an error', () => {
  assert.deepEqual(json({ text: '', segments: [], language: 'english' }), {
    segments: [],
    language: 'en',
    timed: true,
  });
  assert.deepEqual(json({ text: '' }).segments, []);
});

test('segments without tokens and words are taken as they are', () => {
  const { segments } = json({
    segments: [{ id: 0, start: 1, end: 2, text: ' Hm.' }],
    text: ' Hm.',
  });
  assert.deepEqual(segments, [{ start: 1, end: 2, text: ' Hm.', words: [] }]);
});

test('OpenAI: words of the top level go to the segments they lie in', () => {
  const { segments } = json({
    text: 'One two. Three.',
    segments: [
      { start: 0, end: 2, text: ' One two.' },
      { start: 2, end: 4, text: ' Three.' },
    ],
    words: [
      { word: 'One', start: 0.1, end: 0.5 },
      { word: 'two', start: 0.6, end: 1.9 },
      { word: 'Three', start: 1.95, end: 2.6 },
    ],
  });
  assert.deepEqual(
    segments.map(({ words }) => words.map(({ text }) => text)),
    [['One', 'two'], ['Three']],
  );
});

test('OpenAI with `word` alone: words without segments', () => {
  const words = [
    { word: 'Hi', start: 1, end: 2 },
    { word: 'there', start: 2, end: 3 },
  ];
  const { segments, timed } = json({ text: 'Hi there.', words });
  assert.equal(timed, true);
  assert.deepEqual(
    segments.map(({ start, end, text }) => [start, end, text]),
    [[1, 3, 'Hi there.']],
  );
});

test('LocalAI: `text` for `word`; before 2025-12 nanoseconds, small values too', () => {
  const word = { text: 'hi', start: 500_000, end: 9_640_000_000 };
  const { segments } = json({
    segments: [{ start: 0, end: 9_640_000_000, text: 'hi', words: [word] }],
  });
  assert.equal(segments[0]!.end, 9.64);
  assert.deepEqual(segments[0]!.words, [{ text: 'hi', start: 0.0005, end: 9.64 }]);
});

test('vLLM: a duration as string, words and probabilities null', () => {
  const segment = { start: '0.5', end: '2.5', text: ' Hello', no_speech_prob: null };
  const { segments } = json({ duration: '11', words: null, text: 'Hello', segments: [segment] });
  assert.deepEqual(segments, [{ start: 0.5, end: 2.5, text: ' Hello', words: [] }]);
});

test('JSON as text/plain, with a byte order mark, is JSON', () => {
  for (const type of ['text/plain', 'text/html', ''])
    assert.deepEqual(parsedBody('\uFEFF{"text":"Hello"}', type, 11).segments, [
      { start: 0, end: 11, text: 'Hello', words: [] },
    ]);
});

test('plain text is one segment over everything, and not called timed', () => {
  const { segments, timed } = parsedBody(' And so,\n ask not\n', 'text/plain', 11);
  assert.deepEqual(segments, [{ start: 0, end: 11, text: 'And so, ask not', words: [] }]);
  assert.equal(timed, false);
});

test('segments without times count as text', () => {
  const segments = [
    { text: ' One', start: null, end: null },
    { text: ' two', start: 1, end: 2 },
  ];
  const { timed } = json({ text: ' One two', segments });
  assert.equal(timed, false);
  assert.deepEqual(texts({ segments }), [' One two']);
});

test('words that hold half a character are dropped, the text stays', () => {
  const words = [{ word: ' gr\uFFFD', start: 0, end: 1 }];
  const { segments } = json({ segments: [{ start: 0, end: 1, text: ' grün', words }] });
  assert.deepEqual(segments, [{ start: 0, end: 1, text: ' grün', words: [] }]);
});

test('languages come as names, codes and nothing', () => {
  for (const [given, code] of [
    ['german', 'de'],
    ['de', 'de'],
    ['de-AT', 'de'],
    ['', null],
    [null, null],
    ['Klingon', null],
  ])
    assert.equal(json({ text: '', language: given }).language, code, String(given));
});

test('half an answer may be asked for again; a web page not', () => {
  for (const [body, type] of [
    ['{"text":"w00 w01","segm', 'application/json'],
    ['{"text":"w00', 'text/plain'],
    ['', 'application/json'],
    ['null', 'application/json'],
    ['[]', 'application/json'],
    ['{"status":"ok"}', 'application/json'],
  ] as const)
    assert.throws(
      () => parsedBody(body, type, 11),
      { code: 'engine-answer', retriable: true },
      body,
    );
  assert.throws(() => parsedBody('<!DOCTYPE html><html>Sign in</html>', 'text/html', 11), {
    code: 'engine-refused',
    retriable: false,
  });
});

test('WhisperX: a word without times fills the gap, and a sentence is cut where its words change speakers', () => {
  const word = (text: string, at: number | null, speaker?: string) => ({
    word: text,
    ...(at === null ? {} : { start: at, end: at + 0.4, score: 0.8 }),
    ...(speaker === undefined ? {} : { speaker }),
  });
  const [A, B] = ['SPEAKER_00', 'SPEAKER_01'];
  const answer = {
    segments: [
      {
        start: 0,
        end: 4,
        text: 'It is 2026. Yes it is so',
        speaker: A,
        words: [
          word('It', 0, A),
          word('is', 0.5, A),
          word('2026.', null, A),
          word('Yes', 2, B),
          word('it', 2.5),
          word('is', 3, B),
          // The border lies before the sentence's last word.
          { ...word('so', 3.5, A), end: 3.7 },
        ],
      },
      { start: 5, end: 6, text: '2027', words: [word('2027', null)] },
    ],
  };
  const { segments } = parsedBody(JSON.stringify(answer), 'text/plain', 10);
  assert.deepEqual(
    segments.map(({ text, speaker, start, end }) => [text, speaker, start, end]),
    [
      ['It is 2026.', A, 0, 2],
      ['Yes it is so', B, 2, 3.7],
      ['2027', undefined, 5, 6],
    ],
  );
  assert.deepEqual(segments[0]!.words[2], { text: '2026.', start: 0.9, end: 2 });
  assert.deepEqual(segments[2]!.words, []);
});

test('speakers are taken as text or number, and `?` is none', () => {
  const speakers = ['A', 3, '?', ' ', null, undefined];
  const segments = speakers.map((speaker, i) => ({ start: i, end: i + 1, text: ' so', speaker }));
  const { segments: found } = parsedBody(JSON.stringify({ segments }), 'application/json', 9);
  assert.deepEqual(
    found.map(({ speaker }) => speaker),
    ['A', '3', undefined, undefined, undefined, undefined],
  );
});

test('scripts without spaces: a mark of its own belongs to the word before it', () => {
  const pieces = ['こんにちは', '、', '今日は', '会', '議', 'です', '。', 'OK', '。'];
  const words = pieces.map((word, index) => ({ word, start: index, end: index + 1 }));
  const { segments } = json({
    text: pieces.join(''),
    segments: [{ start: 0, end: 9, text: pieces.join(''), words }],
  });
  assert.deepEqual(
    segments[0]!.words.map(({ text }) => text),
    ['こんにちは、', '今日は', '会', '議', 'です。', 'OK。'],
  );
  const spaced = ['well', '–', 'yes', '&', 'no'].map((word, index) => ({
    word,
    start: index,
    end: index + 1,
  }));
  assert.equal(json({ text: 'well – yes & no', words: spaced }).segments[0]!.words.length, 5);
});

test('segments without a leading space share a word only when they are close', () => {
  const parsed = (start: number) =>
    parsedBody(
      JSON.stringify({
        segments: [
          { start: 0, end: 11, text: ' for your country.' },
          { start, end: start + 1, text: 'again' },
        ],
      }),
      'application/json',
      60,
    ).segments.map(({ text }) => text);
  assert.deepEqual(parsed(30.5), [' for your country.', 'again']);
  assert.deepEqual(parsed(11.4), [' for your country.again']);
});

test('what Whisper says of its own doubt stays with the segment, also when that is cut at speakers', () => {
  const segments = [
    { start: 0, end: 2, text: ' Good morning.', avg_logprob: -0.2, no_speech_prob: 0.01 },
    { start: 2, end: 4, text: ' Thank you.', avg_logprob: -1.9, no_speech_prob: 0.97 },
    { start: 4, end: 6, text: ' of the stve', avg_logprob: '-1.2' },
    {
      start: 6,
      end: 8,
      text: ' yes no',
      compression_ratio: 2.9,
      words: [
        { word: 'yes', start: 6, end: 7, speaker: 'A' },
        { word: 'no', start: 7, end: 8, speaker: 'B' },
      ],
    },
  ];
  const body = JSON.stringify({ text: 'x', segments });
  const heard = parseTranscript({ body, contentType: 'application/json' }, 8, 'server');
  assert.deepEqual(
    heard.segments.map(({ doubt }) => doubt),
    [undefined, 'no-speech', 'low-confidence', 'repetition', 'repetition'],
  );
});

test('a segment for each word takes work as there are words, with words beside them and joined ones', () => {
  const seconds = (at: number) => ({ start: at / 4, end: at / 4 + 0.2 });
  const shapes: Record<string, (count: number) => object> = {
    'words beside': (count) => ({
      segments: Array.from({ length: count }, (_, at) => ({ ...seconds(at), text: ' a' })),
      words: Array.from({ length: count }, (_, at) => ({ ...seconds(at), word: 'a' })),
    }),
    joined: (count) => ({
      segments: Array.from({ length: count }, (_, at) => ({
        ...seconds(at),
        text: at === 0 ? ' a' : 'a',
        words: [{ ...seconds(at), word: 'a' }],
      })),
    }),
  };
  for (const [name, shape] of Object.entries(shapes)) {
    const microsOf = (count: number): number => {
      const body = JSON.stringify(shape(count));
      const parsed = () => {
        const { segments } = parsedBody(body, 'application/json', count);
        assert.equal(segments.flatMap(({ words }) => words).length, count);
      };
      return Math.min(cpuMicros(parsed), cpuMicros(parsed));
    };
    const [few, many] = [microsOf(10_000), microsOf(80_000)];
    // Eight times the words; sixty-four times the work if each is looked for from the beginning.
    assert.ok(many < 20 * few, `${name}: ${few} µs, then ${many} µs`);
  }
});

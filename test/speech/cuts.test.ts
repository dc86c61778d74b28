import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Word } from '../../events/facts/transcript.ts';
import { compatEngine } from '../../src/speech/remote/compat-engine.ts';
import { locateSpeech } from '../../src/speech/detection/locate-speech.ts';
import { nativeEngine } from '../../src/speech/remote/native-engine.ts';
import { planStretches } from '../../src/speech/detection/speech-segments.ts';
import { toneFile } from '../support/speech-servers-audio.ts';
import { type Kind, speechServer } from '../support/speech-servers.ts';
import { toneText } from '../support/speech-servers-tones.ts';
import { fc } from '../support/properties.ts';

const signal = new AbortController().signal;

/**
 * From audio to words, over a server that hears exactly what it is sent: all words, in order, once,
 * at their times.
 */
async function wholeWay(
  t: TestContext,
  kind: Kind,
  seconds: number,
  secondsMax: number,
  seed: number,
) {
  const server = await speechServer(kind);
  t.after(() => server.close());
  const engine =
    kind === 'whisper.cpp'
      ? nativeEngine(server.url, null, { secondsMax })
      : compatEngine(server.url, null, 'whisper', { secondsMax });
  t.after(() => engine.close());
  const { audio, words } = await toneFile(t, seconds, seed);
  const { stretches } = await locateSpeech(audio, { secondsMax, signal });
  const heard: Word[] = [];
  for (const stretch of stretches) {
    const { segments } = await engine.recognise(audio, stretch, { language: null, signal });
    heard.push(...segments.flatMap((segment) => segment.words));
  }
  assert.deepEqual(
    heard.map(({ text }) => text.replace(',', '')),
    words.map(({ text }) => text),
  );
  for (const [i, word] of heard.entries()) {
    const off = Math.max(
      Math.abs(word.start - words[i]!.start),
      Math.abs(word.end - words[i]!.end),
    );
    assert.ok(off < 0.05, `${word.text} at ${word.start} is off by ${off} s`);
  }
  return { server, stretches, words };
}

test('no word is lost, doubled or shifted at a cut', async (t) => {
  const long = process.env['MITSCHRIFT_LONG'] === '1';
  const runs = long ? 20 : 4;
  const seconds = long ? 300 : 60;
  const kinds = fc.constantFrom<Kind>('whisper.cpp', 'openai', 'localai-old', 'speaches');
  await fc.assert(
    fc.asyncProperty(kinds, fc.integer({ min: 5, max: 40 }), fc.nat(), (kind, secondsMax, seed) =>
      wholeWay(t, kind, seconds, secondsMax, seed).then(({ stretches }) => {
        assert.ok(stretches.every(([start, end]) => end - start <= secondsMax));
      }),
    ),
    { numRuns: runs },
  );
});

test('a long meeting arrives whole, in requests servers take', async (t) => {
  const seconds = process.env['MITSCHRIFT_LONG'] === '1' ? 7200 : 420;
  const { server, words } = await wholeWay(t, 'openai', seconds, 300, 7);
  assert.ok(words.length > seconds);
  const largest = Math.max(
    ...server.received.map(({ headers }) => Number(headers['content-length'])),
  );
  assert.ok(largest < 24 * 1024 * 1024, `${largest} bytes`);
});

test('stretches are sorted, apart, short enough, and hold all speech', async () => {
  const spans = fc
    .array(
      fc.tuple(
        fc.double({ min: 0, max: 5, noNaN: true }),
        // Spans below 0.1 s are taken for clicks.
        fc.double({ min: 0.11, max: 90, noNaN: true }),
      ),
      {
        maxLength: 40,
      },
    )
    .map((gaps) => {
      let at = 0;
      return gaps.map(([gap, length]): [number, number] => {
        const start = at + gap + 0.03;
        at = start + length;
        return [start, at];
      });
    });
  await fc.assert(
    fc.asyncProperty(
      spans,
      fc.double({ min: 2, max: 60, noNaN: true }),
      async (speech, secondsMax) => {
        const duration = (speech.at(-1)?.[1] ?? 0) + 1;
        const cutBetween = (from: number, to: number) => Promise.resolve((from + to) / 2);
        const plan = await planStretches(speech, { duration, secondsMax, cutBetween });
        const slack = 0.0011; // milliseconds are rounded
        plan.forEach(([start, end], i) => {
          assert.ok(start >= 0 && end > start && end <= duration + slack);
          assert.ok(end - start <= secondsMax + slack);
          if (i > 0) assert.ok(start >= plan[i - 1]![1] - slack);
        });
        const inside = (time: number) =>
          plan.some(([s, e]) => time >= s - slack && time <= e + slack);
        for (const [start, end] of speech)
          for (let time = start; time < end; time += 0.05) assert.ok(inside(time), `${time}`);
      },
    ),
    { numRuns: 60 },
  );
});

test('pauses of conversation are bridged, long silence is not sent', async () => {
  const plan = await planStretches(
    [
      [1, 3],
      [4, 6],
      [7.5, 9],
      [20, 22],
    ],
    {
      duration: 30,
      secondsMax: 300,
      cutBetween: () => Promise.reject(new Error('nothing to cut')),
    },
  );
  assert.deepEqual(plan, [
    [0.75, 9.25],
    [19.75, 22.25],
  ]);
});

test('the stand-in hears a word that was cut in two as two: the tests above can fail', async (t) => {
  const { audio, words } = await toneFile(t, 10);
  const server = await speechServer('openai');
  t.after(() => server.close());
  const engine = compatEngine(server.url, null, 'whisper');
  t.after(() => engine.close());
  const middle = (words[4]!.start + words[4]!.end) / 2;
  const heard: string[] = [];
  for (const stretch of [
    [0, middle],
    [middle, 10],
  ] as [number, number][])
    for (const segment of (await engine.recognise(audio, stretch, { language: null, signal }))
      .segments)
      heard.push(...segment.words.map(({ text }) => text));
  assert.equal(heard.length, words.length + 1);
  assert.deepEqual(heard.slice(4, 6), [toneText(4), toneText(4)]);
});

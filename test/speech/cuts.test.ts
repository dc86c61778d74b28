import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Segment, Stretch, Word } from '../../events/facts/transcript.ts';
import type { SpeechFile } from '../../src/audio/wav.ts';
import type { SpeechEngine } from '../../src/speech/engine.ts';
import { compatEngine } from '../../src/speech/remote/compat-engine.ts';
import { locateSpeech } from '../../src/speech/detection/spoken-audio.ts';
import { nativeEngine } from '../../src/speech/remote/native-engine.ts';
import {
  type HeardPart,
  askedStretch,
  keptPart,
  planStretches,
} from '../../src/speech/detection/speech-segments.ts';
import {
  type HeardStretch,
  recogniseAgain,
  recognisePlan,
} from '../../src/recordings/stages/recognise-plan.ts';
import { toneFile } from '../support/speech-servers-audio.ts';
import { speechServer } from '../support/speech-servers.ts';
import type { Kind } from '../support/speech-servers-speakers.ts';
import { seeded, toneText } from '../support/speech-servers-tones.ts';
import { fc } from '../support/properties.ts';

const signal = new AbortController().signal;
/** Milliseconds are rounded: 35.88 − 29.88 is a little more than 6. */
const slack = 0.0011;

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
  plan: readonly Stretch[] | null = null,
) {
  const server = await speechServer(kind);
  t.after(() => server.close());
  const engine =
    kind === 'whisper.cpp'
      ? nativeEngine(server.url, null, { secondsMax })
      : compatEngine(server.url, null, 'whisper', { secondsMax });
  t.after(() => engine.close());
  const { audio, words } = await toneFile(t, seconds, seed);
  const stretches = plan ?? (await locateSpeech(audio, { secondsMax, signal })).stretches;
  const found: HeardStretch[] = [];
  const options = { language: null, signal };
  for await (const stretch of recognisePlan(engine, () => audio, stretches, options))
    found.push(stretch);
  const heard: Word[] = found.flatMap(({ segments }) => segments.flatMap(({ words }) => words));
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
  return { server, stretches, words, engine, audio, found };
}

test('no word is lost, doubled or shifted at a cut', async (t) => {
  const long = process.env['MITSCHRIFT_LONG'] === '1';
  const runs = long ? 20 : 4;
  const seconds = long ? 300 : 60;
  const kinds = fc.constantFrom<Kind>('whisper.cpp', 'openai', 'localai-old', 'speaches');
  await fc.assert(
    fc.asyncProperty(kinds, fc.integer({ min: 5, max: 40 }), fc.nat(), (kind, secondsMax, seed) =>
      wholeWay(t, kind, seconds, secondsMax, seed).then(({ stretches }) => {
        assert.ok(stretches.every(([start, end]) => end - start <= secondsMax + slack));
      }),
    ),
    { numRuns: runs },
  );
});

test('a stretch that is recognised again in another language ends where the next one began', async () => {
  // Each language hears its longest pause before another word.
  const pauseBefore = { nl: 28, de: 29 };
  const spoken = (language: 'nl' | 'de') =>
    Array.from({ length: 60 }, (_, at) => {
      const start = at + (at === pauseBefore[language] ? 0.5 : 0.1);
      return { text: `w${at}`, start, end: at + 0.8 };
    });
  const engine = {
    async recognise(_audio, [from, to], { language }) {
      const words = spoken(language === 'de' ? 'de' : 'nl').filter(
        ({ start, end }) => start >= from && end <= to,
      );
      const text = words.map((word) => word.text).join(' ');
      return { segments: [{ start: from, end: to, text, words }], language: language ?? 'nl' };
    },
  } as Partial<SpeechEngine> as SpeechEngine;
  const audio = {} as SpeechFile;
  const audioOf = () => audio;
  const plan: Stretch[] = [
    [0, 30],
    [30, 60],
  ];
  const all: HeardStretch[] = [];
  for await (const one of recognisePlan(engine, audioOf, plan, { language: null, signal }))
    all.push(one);
  const options = { all, index: 0, language: 'de', signal };
  const again = await recogniseAgain(engine, audioOf, plan, options);
  assert.equal(again.end, all[0]!.end);
  assert.equal(again.end, all[1]!.start);
  assert.deepEqual(
    [again, all[1]!].flatMap(({ segments }) =>
      segments.flatMap(({ words }) => words.map(({ text }) => text)),
    ),
    spoken('de').map(({ text }) => text),
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

/** Stretches that touch, cut anywhere. */
const cutAnywhere = (seconds: number) =>
  fc
    .array(fc.double({ min: 6, max: 20, noNaN: true }), { minLength: 2, maxLength: 20 })
    .map((lengths) => {
      const plan: Stretch[] = [];
      for (const length of lengths) {
        const start = plan.at(-1)?.[1] ?? 0;
        if (start + length > seconds - 6) break;
        plan.push([start, Math.round((start + length) * 1000) / 1000]);
      }
      return [...plan, [plan.at(-1)?.[1] ?? 0, seconds] as Stretch];
    });

test('where speech is cut in the middle of a word neighbours meet between words, after a restart too', async (t) => {
  const kinds = fc.constantFrom<Kind>('whisper.cpp', 'openai', 'speaches');
  await fc.assert(
    fc.asyncProperty(kinds, cutAnywhere(60), fc.nat(), fc.nat(), async (kind, plan, seed, at) => {
      const { engine, audio, found, words } = await wholeWay(t, kind, 60, 300, seed, plan);
      for (const { start, end } of found)
        for (const seam of [start, end])
          if (seam !== 0 && seam !== 60)
            assert.ok(!words.some((word) => word.start + 0.05 < seam && word.end - 0.05 > seam));
      const done = found.slice(0, at % found.length);
      const rest: HeardStretch[] = [];
      const options = { done, language: null, signal };
      for await (const one of recognisePlan(engine, () => audio, plan, options)) rest.push(one);
      assert.deepEqual([...done, ...rest], found);
    }),
    { numRuns: process.env['MITSCHRIFT_LONG'] === '1' ? 40 : 3 },
  );
});

/** What a recogniser hears of a part: times a little wrong, words at the edges torn, marks as it likes. */
function hears(
  said: readonly Word[],
  [from, to]: Stretch,
  random: () => number,
  endsAtNext: boolean,
): Segment[] {
  const jitter = () => (random() - 0.5) * 0.24;
  const words = said.filter(({ start, end }) => end > from && start < to);
  let last = from;
  const heard = words.map((word): Word => {
    const isTorn = word.start < from || word.end > to;
    const start = Math.min(to, Math.max(last, from, word.start + jitter()));
    last = start;
    const end = Math.min(to, Math.max(start, word.end + jitter()));
    const text = random() < 0.2 ? word.text.toUpperCase() : word.text;
    return { text: isTorn ? `${text.slice(0, 1)}—` : text, start, end };
  });
  if (endsAtNext) for (const [i, word] of heard.entries()) word.end = heard[i + 1]?.start ?? to;
  const segments: Segment[] = [];
  for (const word of heard) {
    const mark = random() < 0.2 ? ',' : '';
    const open = segments.at(-1);
    if (open && random() < 0.9) {
      open.text += ` ${word.text}${mark}`;
      open.end = word.end;
      open.words.push(word);
    } else
      segments.push({ start: word.start, end: word.end, text: word.text + mark, words: [word] });
  }
  return segments;
}

test('of overlapping audio each word is kept once, whatever its times, though words repeat', () => {
  const said = fc
    .array(
      fc.record({
        text: fc.constantFrom(
          'very',
          'the',
          'of',
          'house',
          'up',
          'date',
          'and',
          'seven',
          'märz',
          '5',
        ),
        length: fc.double({ min: 0.15, max: 0.6, noNaN: true }),
        gap: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.3, noNaN: true })),
      }),
      { minLength: 40, maxLength: 200 },
    )
    .map((words) => {
      let at = 0;
      return words
        .filter(({ text }, i) => text !== words[i - 1]?.text || text !== words[i - 2]?.text)
        .map(({ text, length, gap }): Word => {
          const start = at + gap;
          at = start + length;
          return { text, start, end: at };
        });
    });
  fc.assert(
    fc.property(said, cutAnywhere(120), fc.nat(), fc.boolean(), (words, cuts, seed, endsAtNext) => {
      const random = seeded(seed);
      const seconds = words.at(-1)!.end;
      const plan = cuts.filter(([start]) => start < seconds - 6);
      plan.at(-1)![1] = seconds;
      const parts: HeardPart[] = [];
      const heard: string[] = [];
      for (const [index, stretch] of plan.entries()) {
        const before = parts.at(-1) ?? null;
        const segments = hears(words, askedStretch(stretch, before), random, endsAtNext);
        const part = keptPart(segments, stretch, { before, goesOn: index + 1 < plan.length });
        assert.equal(part.start, before?.end ?? 0);
        for (const { start, end, text, words: own } of part.segments) {
          assert.ok(start >= part.start && end <= part.end && start <= end);
          assert.equal(text.replaceAll(',', ''), own.map((word) => word.text).join(' '));
          heard.push(...text.replaceAll(',', '').toLowerCase().split(' '));
        }
        parts.push(part);
      }
      assert.deepEqual(
        heard,
        words.map(({ text }) => text),
      );
    }),
    { numRuns: process.env['MITSCHRIFT_LONG'] === '1' ? 5000 : 100 },
  );
});

test('without word times a stretch ends where it was planned to, and the next begins there', () => {
  const text = 'no times at all are known of these words';
  const segments = [{ start: 0, end: 10, text, words: [] }];
  const part = keptPart(segments, [0, 10], { before: null, goesOn: true });
  assert.deepEqual(part, { start: 0, end: 10, segments });
  assert.deepEqual(askedStretch([10, 20], part), [10, 20]);
});

import { anyNumber, speakerCount } from '../../src/shared/speaker-count.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type SpokenTurn,
  type Window,
  joinWindows,
  windowsOf,
} from '../../src/speech/diarization/windows.ts';
import { fc } from '../support/properties.ts';
import { cpuMicros } from '../support/cpu-time.ts';

/** How somebody sounds: along an axis of their own, with a little of the others. */
const voice = (who: number, noise = 0): number[] => {
  const at = Array.from({ length: 8 }, (_, i) => (i === who ? 1 : noise));
  const length = Math.hypot(...at);
  return at.map((value) => value / length);
};

/** A window in which people, by who they are, speak in turns; its own numbers run backwards. */
function windowOf(span: [number, number], said: [number, number, number][]): Window {
  const there = [...new Set(said.map(([, , who]) => who))].toReversed();
  return {
    span,
    turns: said.map(([start, end, who]): SpokenTurn => [start, end, there.indexOf(who)]),
    voices: there.map((who, speaker) => {
      const own = said.filter((turn) => turn[2] === who);
      const seconds = own.reduce((sum, [start, end]) => sum + end - start, 0);
      return { speaker, seconds, embedding: voice(who, 0.1) };
    }),
  };
}

test('windows are 5 to 10 minutes long, overlap, and cover everything', () => {
  const property = fc.property(fc.double({ min: 0, max: 36 * 3600, noNaN: true }), (duration) => {
    const windows = windowsOf(duration);
    assert.equal(windows[0]![0], 0);
    assert.equal(windows.at(-1)![1], duration);
    for (const [at, [start, end]] of windows.entries()) {
      assert.ok(end - start <= 600);
      if (windows.length > 1) assert.ok(end - start >= 299.9);
      const next = windows[at + 1];
      if (next) assert.ok(Math.abs(end - next[0] - 30) < 1e-6);
    }
  });
  fc.assert(property);
});

test('whoever returns after an hour is the same as before, in order of first speech', () => {
  const windows = [
    windowOf(
      [0, 300],
      [
        [1, 20, 3],
        [21, 60, 0],
        [61, 90, 3],
      ],
    ),
    windowOf([270, 570], [[280, 400, 0]]),
    windowOf(
      [3600, 3900],
      [
        [3610, 3640, 5],
        [3650, 3700, 3],
      ],
    ),
  ];
  const { turns, voices } = joinWindows(windows, anyNumber);
  assert.deepEqual(
    turns.map(([start, , speaker]) => [start, speaker]),
    [
      [1, 0],
      [21, 1],
      [61, 0],
      [285, 1],
      [3610, 2],
      [3650, 0],
    ],
  );
  assert.deepEqual(
    voices.map(({ seconds }) => seconds),
    [19 + 29 + 50, 39 + 120, 30],
  );
});

test('what a window cut in two is one turn again, and nothing is heard twice', () => {
  const [one, two] = [windowOf([0, 300], [[250, 300, 1]]), windowOf([270, 570], [[270, 350, 1]])];
  assert.deepEqual(joinWindows([one, two], anyNumber).turns, [[250, 350, 0]]);
});

test('a number of speakers is kept to, where a window heard more', () => {
  const window = windowOf(
    [0, 300],
    [
      [0, 50, 0],
      [50, 100, 1],
      [100, 150, 2],
    ],
  );
  for (const [given, found] of [
    [{}, 3],
    [{ speakers: 1 }, 1],
    [{ speakers: 2 }, 2],
    [{ speakers: 5 }, 3],
    [{ speakers_max: 2 }, 2],
    [{ speakers_min: 2, speakers_max: 4 }, 3],
  ] as const) {
    const { voices } = joinWindows([window], speakerCount(given));
    assert.equal(voices.length, found);
  }
});

test('two whom a window took for two are one when they sound alike', () => {
  const alike: Window = {
    span: [0, 300],
    turns: [
      [0, 50, 0],
      [60, 100, 1],
    ],
    voices: [
      { speaker: 0, seconds: 50, embedding: voice(1, 0.05) },
      { speaker: 1, seconds: 40, embedding: voice(1, 0.1) },
    ],
  };
  assert.equal(joinWindows([alike], anyNumber).voices.length, 1);
});

test('a sound too short to tell whose it is is nobody of their own', () => {
  const window = windowOf([0, 300], [[0, 50, 0]]);
  const withCough: Window = { ...window, turns: [...window.turns, [60, 60.3, 7]] };
  assert.deepEqual(joinWindows([withCough], anyNumber).turns, [[0, 50, 0]]);
  // Unless there is nothing else.
  const cough: Window = { span: [0, 1], turns: [[0, 0.3, 7]], voices: [] };
  assert.deepEqual(joinWindows([cough], anyNumber).turns, [[0, 0.3, 0]]);
});

test('the work grows with the length: a day takes no more than its share of an hour', () => {
  const hours = (count: number) => {
    const windows = Array.from({ length: count * 13 }, (_, at) =>
      windowOf(
        [at * 270, at * 270 + 300],
        [
          [at * 270 + 40, at * 270 + 100, at % 8],
          [at * 270 + 100, at * 270 + 200, (at + 3) % 8],
        ],
      ),
    );
    return cpuMicros(() => assert.equal(joinWindows(windows, anyNumber).voices.length, 8)) / 1000;
  };
  hours(1);
  const [one, day] = [hours(1), hours(24)];
  assert.ok(day < 24 * one * 4 + 100, `1 h: ${one} ms, 24 h: ${day} ms`);
});

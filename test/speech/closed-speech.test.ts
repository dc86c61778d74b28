import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stretch } from '../../events/facts/transcript.ts';
import type { ClosedStretch } from '../../projections/recording/utterances.ts';
import { paddingSeconds, pauseMax } from '../../src/speech/detection/speech-segments.ts';
import { closedSpeech, goingOn, liveSecondsMax } from '../../src/speech/live/closed-speech.ts';
import { fc } from '../support/properties.ts';

/** Times are rounded to milliseconds, seconds. */
const slack = 0.0011;
/** Between two verdicts of the detector, seconds. */
const verdictSeconds = 0.06;
/** The detector takes a pause for speech for so long, seconds. */
const hangover = 0.45;

/** Pauses and speech in turn, on a grid of verdicts; long ones that have to be cut are likely. */
const spoken = fc
  .array(
    fc.tuple(
      fc.integer({ min: 8, max: 60 }),
      fc.oneof(fc.integer({ min: 2, max: 100 }), fc.integer({ min: 410, max: 900 })),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((lengths) => {
    let at = 0;
    return lengths.map(([pause, length]): Stretch => {
      const start = at + pause;
      at = start + length;
      return [start * verdictSeconds, at * verdictSeconds];
    });
  });
/** Where it is cut: at which part of what may be, from its end. */
const cutAt = fc.double({ min: 0, max: 1, noNaN: true });

test('stretches hold all that was said, once, and nothing is left out where speech was cut', async () => {
  await fc.assert(
    fc.asyncProperty(spoken, cutAt, fc.nat(), async (speech, part, at) => {
      const closed = await heard(speech, part);
      let before: ClosedStretch = { stretch: [-1, -1], cut: false };
      for (const one of closed) {
        const { stretch, cut } = one;
        const [start, end] = stretch;
        assert.ok(end > start && end - start <= liveSecondsMax + 2 * paddingSeconds + slack);
        if (before.cut) assert.equal(start, before.stretch[1], 'it goes on where it was cut');
        else assert.ok(start > before.stretch[1], 'only a cut leads straight on');
        // Pauses inside are kept; at the edges nothing but the padding is.
        const first = speech.find((span) => span[1] > start)![0] - paddingSeconds;
        const last = speech.findLast((span) => span[0] < end)![1] + hangover + paddingSeconds;
        assert.ok(start >= first - slack && start <= Math.max(first, before.stretch[1]) + slack);
        assert.ok(end <= last + slack, stretch.join());
        assert.ok(cut || !speech.some((span) => end > span[0] && end < span[1]), 'it says so');
        before = one;
      }
      const all = closed.map(({ stretch }) => stretch);
      // And what goes on from anywhere with the plan of the whole audio.
      const whole = speech.map(([start, end]): Stretch => [start - 0.1, end + 0.1]);
      const plan = goingOn(closed.slice(0, at % (closed.length + 1)), whole);
      for (const span of speech) {
        assert.deepEqual(left(span, all), []);
        assert.deepEqual(left(span, plan), []);
      }
      for (const [index, [start, end]] of plan.entries())
        assert.ok(end > start && start >= (plan[index - 1]?.[1] ?? 0), plan.join(' '));
    }),
    { numRuns: 30 },
  );
});

test('behind a cut something is asked for though the plan of the whole audio hears nobody there', () => {
  const cut: ClosedStretch = { stretch: [0, 20], cut: true };
  assert.deepEqual(goingOn([cut], [[0, 20]]), [
    [0, 20],
    [20, 20 + pauseMax],
  ]);
  assert.deepEqual(
    goingOn(
      [cut],
      [
        [0, 20],
        [21, 30],
      ],
    ),
    [
      [0, 20],
      [20, 21],
      [21, 30],
    ],
  );
  assert.deepEqual(goingOn([cut], [[0, 30]]), [
    [0, 20],
    [20, 30],
  ]);
  assert.deepEqual(goingOn([{ ...cut, cut: false }], [[0, 20]]), [[0, 20]]);
});

test('a moment of speech behind a cut is the end of a word, and no click', async () => {
  const cutBetween = () => Promise.reject(new Error('nothing to cut'));
  for (const [isCut, closed] of [
    [true, [{ stretch: [20, 20.3], cut: false }]],
    [false, []],
  ] as const) {
    const speech = closedSpeech({ from: 20, isCut, cutBetween });
    await speech.grow([5, 20.05]);
    speech.end(60);
    assert.deepEqual(speech.closed(), closed);
  }
});

/** What is closed while a detector hears that, which is late at the end of each. @param part where it is cut */
async function heard(speech: readonly Stretch[], part: number): Promise<ClosedStretch[]> {
  const duration = speech.at(-1)![1] + 1;
  const cutBetween = (from: number, to: number) => Promise.resolve(to - part * (to - from));
  const closed = closedSpeech({ from: 0, isCut: false, cutBetween });
  const rest = [...speech];
  for (let verdict = 1; verdict * verdictSeconds < duration; verdict += 1) {
    const now = verdict * verdictSeconds;
    const next = rest[0];
    if (!next || next[0] >= now) closed.quiet(now);
    else if (now < next[1] + hangover) await closed.grow([next[0], now]);
    else await closed.grow(rest.shift()!);
  }
  for (const span of rest) await closed.grow(span);
  closed.end(duration);
  return closed.closed();
}

/** What of a span is in none of some stretches. */
function left(span: Stretch, stretches: readonly Stretch[]): Stretch[] {
  let open: Stretch[] = [span];
  for (const [start, end] of stretches)
    open = open.flatMap(([from, to]): Stretch[] => [
      [from, Math.min(to, start)],
      [Math.max(from, end), to],
    ]);
  return open.filter(([from, to]) => to - from > slack);
}

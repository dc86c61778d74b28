import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stretch } from '../../events/facts/transcript.ts';
import { louderApart, microphoneTurns } from '../../src/speech/diarization/split-channels.ts';
import type { SpokenTurn } from '../../src/speech/diarization/windows.ts';
import { fc } from '../support/properties.ts';
import { seeded } from '../support/speech-servers-tones.ts';

/** Spans apart from each other, of a second or more. */
const spans = fc
  .array(fc.tuple(fc.integer({ min: 10, max: 40 }), fc.integer({ min: 10, max: 60 })), {
    minLength: 3,
    maxLength: 12,
  })
  .map((pairs) => {
    let at = 0;
    return pairs.map(([gap, length]): Stretch => {
      const start = at + gap / 10;
      at = start + length / 10;
      return [start, at];
    });
  });

/** As the detector hears them: from before they begin, and until they are long over. */
const asDetected = (said: readonly Stretch[]): Stretch[] =>
  said.map(([start, end]) => [Math.max(0, start - 0.24), end + 0.18]);

const isIn = (turns: readonly Stretch[], time: number): boolean =>
  turns.some(([start, end]) => time >= start && time < end);

test('of the microphone what is no louder than the echo of the loudspeakers is not its person’s', () => {
  fc.assert(
    fc.property(
      spans,
      spans,
      fc.integer({ min: -60, max: -12 }),
      fc.nat(),
      (mine, theirs, echo, seed) => {
        const random = seeded(seed);
        const frames = Math.ceil((Math.max(mine.at(-1)![1], theirs.at(-1)![1]) + 1) * 10);
        const power = (db: number) => 10 ** (db / 10);
        const voice = () => -20 + 6 * (random() - 0.5);
        const levels = { left: new Float32Array(frames), right: new Float32Array(frames) };
        const heard: Stretch[] = [];
        for (let at = 0; at < frames; at += 1) {
          const time = (at + 0.5) / 10;
          const [me, others] = [isIn(mine, time), isIn(theirs, time)];
          const right = others ? voice() : -90;
          const room = power(-65 + 2 * (random() - 0.5));
          const left = room + (me ? power(voice()) : 0) + power(right + echo);
          levels.right[at] = right;
          levels.left[at] = 10 * Math.log10(left);
          // A detector takes a loud echo for speech.
          if (levels.left[at]! > -55) heard.push([at / 10, (at + 1) / 10]);
        }
        const turns = microphoneTurns(
          { speech: asDetected(heard), levels: levels.left },
          { speech: asDetected(theirs), levels: levels.right },
        );
        const seen = { mine: 0, found: 0, theirs: 0, taken: 0, both: 0 };
        for (let at = 0; at < frames; at += 1) {
          const time = (at + 0.5) / 10;
          if (isIn(mine, time)) {
            seen.mine += 1;
            if (isIn(turns, time)) seen.found += 1;
            if (isIn(theirs, time)) seen.both += 1;
          } else if (isIn(theirs, time)) {
            seen.theirs += 1;
            if (isIn(turns, time)) seen.taken += 1;
          }
        }
        // Where the person talks over most of what others say no echo can be measured.
        if (seen.theirs < 0.4 * (seen.theirs + seen.both)) return;
        assert.ok(seen.found >= 0.95 * seen.mine, `found ${seen.found} of ${seen.mine}`);
        assert.ok(seen.taken <= 0.05 * seen.theirs, `took ${seen.taken} of ${seen.theirs}`);
      },
    ),
    {
      numRuns: 50,
      // 5.1 s are the beginning of a frame of 0.1 s, although 5.1 / 0.1 is less than 51.
      examples: [
        [
          [
            [1.3, 2.3],
            [3.3, 4.3],
            [5.3, 6.3],
            [7.3, 8.3],
          ],
          [
            [1, 2],
            [3, 4],
            [5.1, 6.1],
            [7.8, 9.3],
          ],
          -12,
          0,
        ],
      ],
    },
  );
});

test('where two speak at once both keep their turns, and the louder one’s is the shorter', () => {
  const turn = (speakers: number[]) =>
    spans.chain((all) =>
      fc.tuple(
        ...all.map(([start, end]) =>
          fc.constantFrom(...speakers).map((speaker): SpokenTurn => [start, end, speaker]),
        ),
      ),
    );
  fc.assert(
    fc.property(turn([0]), turn([1, 2]), fc.boolean(), (own, theirs, isOwn) => {
      const apart = louderApart(own, theirs, () => isOwn);
      for (const [start, end, speaker] of [...own, ...theirs]) {
        const kept = apart
          .filter((one) => one[2] === speaker && one[0] >= start - 0.01 && one[1] <= end + 0.01)
          .reduce((sum, one) => sum + one[1] - one[0], 0);
        assert.ok(kept > end - start - 0.1, `${kept} of ${end - start}`);
      }
      for (const [start, end] of own)
        for (const [from, to] of theirs) {
          const [a, b] = [Math.max(start, from), Math.min(end, to)];
          if (b - a < 0.3) continue;
          const over = apart
            .filter((one) => one[0] <= a + 0.005 && one[1] >= b - 0.005)
            .toSorted((one, other) => one[1] - one[0] - (other[1] - other[0]));
          assert.equal(over[0]![2] === 0, isOwn, JSON.stringify({ apart, a, b }));
        }
    }),
    { numRuns: 50 },
  );
});

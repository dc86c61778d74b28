import { anyNumber, speakerCount } from '../../src/shared/speaker-count.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Segment } from '../../events/facts/transcript.ts';
import { meanOf } from '../../projections/voice-clusters.ts';
import { heardVoices, samePeople } from '../../src/recordings/stages/engine-speakers.ts';
import { fc } from '../support/properties.ts';

const segment = (speaker: string | undefined, start: number, end: number): Segment => ({
  start,
  end,
  text: 'so',
  words: [],
  ...(speaker === undefined ? {} : { speaker }),
});
const voice = (speaker: number, ...embedding: number[]) => ({ speaker, embedding, seconds: 10 });

test('a recogniser that names few of the speakers, or one for each sentence, tells nobody apart', () => {
  assert.equal(heardVoices([segment(undefined, 0, 9)]), null);
  assert.equal(heardVoices([segment('0', 0, 2), segment(undefined, 2, 9)]), null);
  const many = Array.from({ length: 1000 }, (_, i) => segment(`0/${i}`, i, i + 1));
  assert.equal(heardVoices(many), null);
  const some = heardVoices([segment(undefined, 0, 2), segment('0.5/B', 2, 9)])!;
  assert.deepEqual([some.names, some.turns], [['0.5/B'], [[2, 9, 0]]]);
});

test('how long a recogniser names nobody in a row is counted: whoever spoke before would have said it all', () => {
  const minutes = (speaker: string | undefined, from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) =>
      segment(speaker, (from + i) * 60, (from + i + 1) * 60),
    );
  const told = [...minutes('0/A', 0, 10), ...minutes('0/B', 10, 20)];
  const untold = (segments: Segment[]) => heardVoices(segments)?.untoldSeconds;
  assert.equal(untold([...told, ...minutes(undefined, 20, 38)]), 1080);
  const inside = [...told, ...minutes(undefined, 20, 22), ...minutes('1320/A', 22, 30)];
  assert.equal(untold(inside), 120);
  const shortly = [...told, segment(undefined, 1200, 1210), ...minutes('1260/A', 21, 30)];
  assert.equal(untold(shortly), 10);
  assert.deepEqual(heardVoices(shortly)?.names, ['0/A', '0/B', '1260/A']);
});

test('speakers of two requests are one when they sound alike; of one request never', () => {
  const heard = heardVoices([
    segment('0/A', 0, 20),
    segment('0/B', 20, 40),
    segment('300/A', 310, 330),
    segment('300/B', 330, 350),
  ])!;
  assert.equal(heard.requestCount, 2);
  // The labels of the second request are the other way round, and its B is between both.
  const voices = [voice(0, 1, 0), voice(1, 0, 1), voice(2, 0.1, 0.99), voice(3, 0.7, 0.72)];
  assert.deepEqual(samePeople(heard, voices, anyNumber), [0, 1, 1, 0]);
  assert.deepEqual(samePeople(heard, [], anyNumber), [0, 1, 2, 3]);
  assert.deepEqual(samePeople(heard, [], speakerCount({ speakers: 1 })), [0, 0, 0, 0]);
  // Somebody else: unless two people are known to be there.
  const strange = [...voices.slice(0, 3), voice(3, 0.2, -0.98)];
  assert.deepEqual(samePeople(heard, strange, anyNumber), [0, 1, 1, 2]);
  assert.deepEqual(samePeople(heard, strange, speakerCount({ speakers: 2 })), [0, 1, 1, 0]);
  assert.deepEqual(samePeople(heard, strange, speakerCount({ speakers_max: 2 })), [0, 1, 1, 0]);
  assert.deepEqual(samePeople(heard, strange, speakerCount({ speakers_max: 4 })), [0, 1, 1, 2]);
  assert.deepEqual(samePeople(heard, voices, speakerCount({ speakers_min: 3 })), [0, 1, 1, 2]);
});

test('a speaker known to a later request is there too: who else it found is somebody else', () => {
  const heard = heardVoices([
    segment('0/A', 0, 20),
    segment('300/A', 310, 330),
    segment('0/A', 330, 350),
  ])!;
  assert.deepEqual(samePeople(heard, [voice(0, 1, 0), voice(1, 1, 0.1)], anyNumber), [0, 1]);
});

test('whatever they sound like, nobody is lost and no two of one request become one', () => {
  const names = fc.uniqueArray(
    fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('A', 'B', 'C')),
    { minLength: 1, maxLength: 10, selector: ([request, label]) => `${request}/${label}` },
  );
  const sound = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
    minLength: 3,
    maxLength: 3,
  });
  const property = fc.property(
    names,
    fc.array(sound, { minLength: 10, maxLength: 10 }),
    fc.option(fc.integer({ min: 2, max: 5 })),
    (found, sounds, speakers) => {
      const sorted = found.toSorted(([a], [b]) => a - b);
      const segments = sorted.map(([request, label], i) =>
        segment(`${request * 100}/${label}`, request * 100 + 10 + i, request * 100 + 11 + i),
      );
      const heard = heardVoices(segments)!;
      const voices = heard.names.map((_, i) => voice(i, ...sounds[i]!));
      const people = samePeople(heard, voices, speakerCount({ speakers }));
      assert.equal(people.length, found.length);
      for (const [a, [one]] of sorted.entries())
        for (const [b, [other]] of sorted.entries())
          if (a < b && one === other) assert.notEqual(people[a], people[b]);
    },
  );
  fc.assert(property);
});

test('a person of several embeddings has their mean, by seconds; without any there is none', () => {
  assert.equal(meanOf([]), null);
  const mean = meanOf([
    { embedding: [1, 0], seconds: 30 },
    { embedding: [0, 1], seconds: 10 },
  ])!;
  assert.ok(Math.abs(mean[0]! / mean[1]! - 3) < 0.01);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NameQuote } from '../../../events/facts/results.ts';
import type { Block } from '../../../events/facts/transcript.ts';
import { type NameSources, suggestNames } from '../../../projections/recording/suggest-names.ts';
import { fc } from '../../support/properties.ts';

/** A turn with a word each second. */
function turn(speaker: string, start: number, text: string): Block {
  const words = text
    .split(' ')
    .map((word, at) => ({ text: word, start: start + at, end: start + at + 0.9 }));
  return { id: `t-${start}`, speaker, start, end: words.at(-1)!.end, text, words };
}

const turns = [
  turn('SPEAKER_00', 0, 'hello i am anna'),
  turn('SPEAKER_01', 10, 'thanks anna i brought the numbers'),
  turn('SPEAKER_00', 20, 'good so what do you say carla'),
  turn('SPEAKER_02', 30, 'we spend too much'),
];

const quote = (text: string, start: number, how: NameQuote['how']): NameQuote => ({
  text,
  start,
  end: start + text.split(' ').length,
  how,
});
const anna = { name: 'Anna', confidence: 0.9, quotes: [quote('i am anna', 1, 'said_by_self')] };

const suggested = (sources: Partial<NameSources>) =>
  Object.fromEntries(
    suggestNames({ turns, identified: [], carried: new Map(), voices: [], people: [], ...sources }),
  );

test('who says their name has it; who is called speaks next, or spoke last', () => {
  const carla = { name: 'Carla', confidence: 1, quotes: [quote('say carla', 25, 'addressed')] };
  const thanked = {
    name: 'Anna',
    confidence: 0.9,
    quotes: [quote('thanks anna', 10, 'addressed')],
  };
  assert.deepEqual(suggested({ identified: [anna, carla] }), {
    SPEAKER_00: { name: 'Anna', confidence: 0.81, reason: '“i am anna”' },
    SPEAKER_02: { name: 'Carla', confidence: 0.4, reason: '“say carla”' },
  });
  assert.deepEqual(suggested({ identified: [thanked] }), {
    SPEAKER_00: { name: 'Anna', confidence: 0.45, reason: '“thanks anna”' },
  });
});

test('what is called by name all the time is never sure', () => {
  const quotes = Array.from({ length: 5 }, () => quote('thanks anna', 10, 'addressed'));
  assert.equal(
    suggested({ identified: [{ name: 'Anna', confidence: 1, quotes }] })['SPEAKER_00']?.confidence,
    0.5,
  );
});

test('one name for two labels is offered for both with low confidence', () => {
  const both = [...anna.quotes, quote('we spend', 30, 'said_by_self')];
  const { SPEAKER_00, SPEAKER_02 } = suggested({ identified: [{ ...anna, quotes: both }] });
  assert.deepEqual([SPEAKER_00?.name, SPEAKER_02?.name], ['Anna', 'Anna']);
  assert.deepEqual([SPEAKER_00?.confidence, SPEAKER_02?.confidence], [0.3, 0.3]);
  const voices = [{ label: 'SPEAKER_01', name: 'anna', confidence: 0.8, reason: 'voice' }];
  assert.deepEqual(
    Object.values(suggested({ identified: [anna], voices })).map(({ confidence }) => confidence),
    [0.3, 0.3],
  );
});

test('sources that agree add up, and the strongest gives the reason', () => {
  const voices = [{ label: 'SPEAKER_00', name: 'anna', confidence: 0.5, reason: 'as in a talk' }];
  assert.deepEqual(suggested({ identified: [anna], voices })['SPEAKER_00'], {
    name: 'Anna',
    confidence: 0.91,
    reason: '“i am anna”',
  });
  const carried = new Map([['SPEAKER_00', { name: 'Ann', confidence: 1 }]]);
  assert.deepEqual(suggested({ identified: [anna], voices, carried })['SPEAKER_00'], {
    name: 'Ann',
    confidence: 1,
    reason: 'named-before',
  });
});

test('names given with the recording are spelled as they were, and the last one left is offered', () => {
  const people = ['Anna Schmidt', 'Ben', 'Carla'];
  const carla = { name: 'carla', confidence: 1, quotes: [quote('say carla', 25, 'addressed')] };
  const { SPEAKER_00, SPEAKER_01, SPEAKER_02 } = suggested({ identified: [anna, carla], people });
  assert.equal(SPEAKER_00?.name, 'Anna Schmidt');
  assert.equal(SPEAKER_02?.name, 'Carla');
  assert.deepEqual(SPEAKER_01, { name: 'Ben', confidence: 0.25, reason: 'only-one-left' });
  // Of two Annas none is meant for sure.
  const annas = suggested({ identified: [anna], people: ['Anna Schmidt', 'Anna Weber'] });
  assert.equal(annas['SPEAKER_00']?.name, 'Anna');
});

test('without times of words the turn that a quote overlaps most is its own', () => {
  const wordless = turns.map((one) => ({ ...one, words: [] }));
  const { SPEAKER_01 } = suggested({
    turns: wordless,
    identified: [
      { name: 'Ben', confidence: 1, quotes: [quote('brought the numbers', 11, 'said_by_self')] },
    ],
  });
  assert.equal(SPEAKER_01?.name, 'Ben');
});

test('names of old logs, which rest on no quote, and quotes nobody said suggest nothing', () => {
  assert.deepEqual(suggested({ identified: [{ name: 'Anna', confidence: 1 }] }), {});
  const nowhere = [quote('i am anna', 500, 'said_by_self')];
  assert.deepEqual(suggested({ identified: [{ ...anna, quotes: nowhere }] }), {});
});

test('whatever the sources say, a suggestion is one of their names, sure to a degree, and shared ones are not sure', () => {
  const name = fc.constantFrom('Anna', 'anna', 'Anna Schmidt', 'Ben', '$&', '__proto__');
  const label = fc.constantFrom('SPEAKER_00', 'SPEAKER_01', 'SPEAKER_02', 'SPEAKER_77');
  const confidence = fc.double({ min: 0, max: 1, noNaN: true });
  const quoteOf = fc.record({
    text: fc.constant('so'),
    start: fc.nat(60),
    end: fc.nat(60),
    how: fc.constantFrom('said_by_self' as const, 'addressed' as const),
  });
  const identified = fc.array(
    fc.record({ name, confidence, quotes: fc.array(quoteOf, { maxLength: 4 }) }),
    { maxLength: 6 },
  );
  const voices = fc.array(fc.record({ label, name, confidence, reason: fc.constant('voice') }), {
    maxLength: 4,
  });
  const people = fc.uniqueArray(name, { maxLength: 4 });
  fc.assert(
    fc.property(identified, voices, people, (identified, voices, people) => {
      const given = new Set<string>(
        [...identified, ...voices].map((one) => one.name).concat(people),
      );
      const all = suggested({ identified, voices, people });
      for (const [label, one] of Object.entries(all)) {
        assert.ok(turns.some(({ speaker }) => speaker === label));
        assert.ok(given.has(one.name));
        assert.ok(one.confidence >= 0 && one.confidence <= 1, `${label} ${one.confidence}`);
        const same = Object.values(all).filter(
          (other) => other.name.toLowerCase() === one.name.toLowerCase(),
        );
        assert.ok(same.length === 1 || one.confidence <= 0.3);
      }
    }),
    { numRuns: process.env['MITSCHRIFT_LONG'] ? 10_000 : 200 },
  );
});

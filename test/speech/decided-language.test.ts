import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type HeardIn,
  decidedLanguage,
  heardOtherwise,
} from '../../src/speech/live/decided-language.ts';

/** Stretches one behind the other: `nl 3.9`, or `nl 3.9 0.4` with how sure the engine was. */
function heard(...stretches: string[]): HeardIn[] {
  let at = 0;
  return stretches.map((stretch, index) => {
    const [language = '', seconds, probability] = stretch.split(' ');
    const start = at;
    at += Number(seconds);
    const sure = probability === undefined ? {} : { probability: Number(probability) };
    return { index, start, end: at, language, ...sure };
  });
}

test('a wrong first guess is corrected by what comes later, and never holds for the rest', () => {
  const begun = heard('nl 3.9', 'nl 11.7', 'en 13.3');
  assert.equal(decidedLanguage(begun), null, 'as much speaks for one as for the other');
  const later = heard('nl 3.9', 'nl 11.7', 'en 13.3', 'en 20', 'en 20');
  assert.deepEqual(decidedLanguage(later), {
    language: 'en',
    again: [
      { index: 0, language: 'en' },
      { index: 1, language: 'en' },
    ],
  });
  // Recognised again, it still counts as what it sounded like, and is asked no more.
  const again = later.map((one) =>
    one.language === 'nl' ? { ...one, language: 'en', heard: 'nl' } : one,
  );
  assert.deepEqual(decidedLanguage(again)?.again, []);
  assert.deepEqual(heardOtherwise(again), { heard: 'nl', count: 2, of: 5 });
  // Should it turn out to be Dutch after all, the talk is not lost to the first decision.
  const turned = [
    ...again,
    ...heard(...Array<string>(9).fill('nl 25')).map((one) => ({ ...one, index: one.index + 5 })),
  ];
  const decided = decidedLanguage(turned)!;
  assert.equal(decided.language, 'nl');
  assert.ok(decided.again.some(({ index, language }) => index === 0 && language === 'nl'));
});

test('the languages of the house and the engine’s own probability count', () => {
  const talk = heard('nl 29', 'de 29', 'nl 29', 'de 29');
  assert.equal(decidedLanguage(talk), null);
  assert.deepEqual(decidedLanguage(talk, ['de', 'en']), {
    language: 'de',
    again: [
      { index: 0, language: 'de' },
      { index: 2, language: 'de' },
    ],
  });
  const unsure = heard('nl 29 0.3', 'de 29 0.98', 'nl 5 0.4', 'de 29 0.9');
  assert.deepEqual(
    decidedLanguage(unsure)?.again.map(({ index }) => index),
    [0, 2],
  );
});

test('a talk in two languages keeps each passage’s', () => {
  const mixed = heard('de 25', 'de 25', 'en 25', 'de 25', 'en 8', 'nl 3', 'de 25');
  assert.deepEqual(decidedLanguage(mixed, ['de', 'en']), {
    language: 'de',
    again: [{ index: 5, language: 'de' }],
  });
  const unnamed = heard('de 25', 'de 25', 'en 25', 'de 25', 'en 20', 'nl 3');
  assert.deepEqual(decidedLanguage(unnamed)?.again, [{ index: 5, language: 'de' }]);
});

test('too little speech, or an engine that does not say, decides nothing', () => {
  assert.equal(decidedLanguage(heard('nl 8', 'en 8')), null);
  assert.equal(decidedLanguage([]), null);
  assert.equal(decidedLanguage([{ index: 0, start: 0, end: 60, language: null }]), null);
});

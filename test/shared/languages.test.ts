import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageCode, requestedLanguage } from '../../src/shared/languages.ts';

for (const [tag, code] of [
  ['en-US', 'en'],
  ['en_GB', 'en'],
  ['DE', 'de'],
  ['de-DE-1996', 'de'],
  ['zh-Hant-TW', 'zh'],
  ['deu', 'de'],
  ['ger', 'de'],
  ['fra', 'fr'],
  ['eng', 'en'],
  ['cmn', 'zh'],
  ['iw', 'he'],
  ['nb-NO', 'no'],
  ['fil-PH', 'tl'],
  ['jv', 'jw'],
  ['yue', 'yue'],
  ['auto', null],
  ['', null],
] as const)
  test(`${tag === '' ? 'nothing' : tag} is reduced to ${code}`, () =>
    assert.equal(requestedLanguage(tag), code));

for (const tag of [
  'xx',
  'zz',
  'xx-US',
  'English',
  'english',
  'e',
  'en US',
  '-',
  'en-',
  'tlh',
  '😀',
])
  test(`${tag} is not a language that can be asked for`, () =>
    assert.equal(requestedLanguage(tag), undefined));

test('servers may name a language as they like', () => {
  const names = ['english', 'German', '<|de|>', 'de-AT', 'Castilian', 'klingon', null];
  assert.deepEqual(names.map(languageCode), ['en', 'de', 'de', 'de', 'es', null, null]);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { stopWords } from '../../src/language/sentences.ts';

test('a language has its own words that say nothing, however its code is written', () => {
  assert.ok(stopWords('fr').has('avec') && !stopWords('fr').has('und'));
  assert.deepEqual(stopWords('pt-BR'), stopWords('pt'));
  assert.ok(stopWords('no').has('ikke'));
  assert.deepEqual([...stopWords('nb-NO')], [...stopWords('no')]);
  assert.deepEqual(stopWords('tl'), stopWords('fil'));
  assert.ok(stopWords('zh-Hans').has('的'));
});

test('without a known language the words of German and English say nothing', () => {
  const both = stopWords(null);
  assert.ok(both.has('und') && both.has('the'));
  for (const unknown of ['auto', 'xx', '_12', 'not a code'])
    assert.deepEqual(stopWords(unknown), both);
});

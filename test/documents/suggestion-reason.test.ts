import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groundsOf } from '../../src/http/recording-answer.ts';

test('why a name is suggested is a quote or a sentence, in the language of the interface', () => {
  const quoted = { reason: '„i am “Anna”“', quote: 'i am “Anna”' };
  assert.deepEqual(groundsOf('“i am “Anna””', 'de'), quoted);
  assert.equal(groundsOf('“i am Anna”', 'en').reason, '“i am Anna”');
  for (const code of ['named-before', 'only-one-left', 'voice']) {
    const [german, english] = [groundsOf(code, 'de').reason, groundsOf(code, 'en').reason];
    assert.match(english!, /^[a-z][a-z ]+$/u);
    assert.match(german!, /^[a-zäöü][\p{L} ]+$/u);
    assert.notEqual(german, english);
  }
  assert.equal(groundsOf(null, 'en').reason, null);
  for (const other of ['She says her name.', 'constructor', '“', '']) {
    assert.deepEqual(groundsOf(other, 'de'), { reason: other, quote: null });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestionReason } from '../../src/http/recording-answer.ts';

test('why a name is suggested is a quote or a sentence, in the language of the interface', () => {
  assert.equal(suggestionReason('“i am “Anna””', 'de'), '„i am “Anna”“');
  assert.equal(suggestionReason('“i am Anna”', 'en'), '“i am Anna”');
  for (const code of ['named-before', 'only-one-left', 'voice']) {
    const [german, english] = [suggestionReason(code, 'de'), suggestionReason(code, 'en')];
    assert.match(english!, /^[a-z][a-z ]+$/u);
    assert.match(german!, /^[a-zäöü][\p{L} ]+$/u);
    assert.notEqual(german, english);
  }
  assert.equal(suggestionReason(null, 'en'), null);
  for (const other of ['She says her name.', 'constructor', '“', '']) {
    assert.equal(suggestionReason(other, 'de'), other);
  }
});

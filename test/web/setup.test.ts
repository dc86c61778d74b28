import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordStrength } from '../../web/components/password-strength.ts';
import { draftsOf, keyToSend } from '../../web/pages/setup/drafts.ts';
import { codeOf, stepAfter, stepAt } from '../../web/pages/setup/steps.ts';

test('what is guessed first is weak, a passphrase is strong, and nothing short is taken', () => {
  const strengthOf = (password: string) => passwordStrength(password, 'ada.lovelace');
  assert.equal(strengthOf('kurz'), 0);
  assert.equal(strengthOf('🙂🙂🙂🙂🙂🙂🙂'), 0, 'characters count, not code units');
  for (const weak of ['password', 'passwort2026', 'aaaaaaaaaaaaaaaa', '12345678', 'qwertzuiop'])
    assert.equal(strengthOf(weak), 1, weak);
  assert.equal(strengthOf('ada.lovelace1'), 1, 'the own name is guessed first');
  assert.ok(strengthOf('Tr0ub4dor&3') >= 2);
  assert.equal(strengthOf('paper lantern harbour nine'), 4);
  assert.equal(strengthOf('Kj8$mQ2!vR7#xW4z'), 4);
});

test('a longer password is never weaker', () => {
  const whole = 'Drei Laternen am Hafen 47!';
  let before = 0;
  for (let length = 1; length <= whole.length; length += 1) {
    const strength = passwordStrength(whole.slice(0, length));
    assert.ok(strength >= before, `${whole.slice(0, length)}: ${strength} after ${before}`);
    before = strength;
  }
});

test('the code of a setup link is found, and a step that is not possible yet is not shown', () => {
  assert.equal(codeOf('#code=VFYV-FV9F-00Q8-QBRC'), 'VFYV-FV9F-00Q8-QBRC');
  assert.equal(codeOf(''), '');
  assert.equal(stepAt({ step: 'first' }, false), 'administrator');
  assert.equal(stepAt({ step: 'microphone' }, true), 'microphone');
  assert.equal(stepAt({ step: 'elsewhere' }, true), 'speech');
  assert.equal(stepAfter('speech'), 'summaries');
  assert.equal(stepAfter('first'), 'first');
});

test('a key that is set already is kept as long as its server is', () => {
  const config = {
    stt: { base_url: null, backend: 'compat' as const, model: null },
    llm: { base_url: 'http://llm.example:8000/v1', model: 'qwen3' },
    audio: { device: null },
  };
  const { summaries } = draftsOf(config, null);
  assert.deepEqual(keyToSend(summaries), {});
  assert.deepEqual(keyToSend({ ...summaries, base_url: 'http://llm.example:8000/v2' }), {});
  assert.deepEqual(keyToSend({ ...summaries, api_key: 'new' }), { api_key: 'new' });
  const elsewhere = { ...summaries, base_url: 'http://other.example/v1' };
  assert.deepEqual(keyToSend(elsewhere), { api_key: null }, 'a stored one goes to no other server');
});

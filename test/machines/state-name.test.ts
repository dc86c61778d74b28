import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateName } from '../../machines/states.ts';

test('states are written by their path', () => {
  assert.equal(stateName('error'), 'error');
  assert.equal(stateName('awaiting-speakers'), 'awaiting-speakers');
  assert.equal(stateName({ idle: 'saved' }), 'idle.saved');
  assert.equal(stateName({ transcribing: { a: { b: 'c' } } }), 'transcribing.a.b.c');
});

test('regions are sorted by name, however the value lists them', () => {
  const expected = 'transcribing.finishing(punctuate.running,summarise.done)';
  const regions = { summarise: 'done', punctuate: 'running' };
  assert.equal(stateName({ transcribing: { finishing: regions } }), expected);
  const turned = { punctuate: 'running', summarise: 'done' };
  assert.equal(stateName({ transcribing: { finishing: turned } }), expected);
});

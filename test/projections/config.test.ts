import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigFact } from '../../events/facts/catalogue.ts';
import type { StoredFact } from '../../events/facts/envelope.ts';
import { configAggregate, decideSettings } from '../../projections/config.ts';

const set = (key: string, value: string | number | string[]): ConfigFact => ({
  type: 'config.key_set',
  data: { key, value },
});
const reset = (key: string): ConfigFact => ({ type: 'config.key_reset', data: { key } });
const secret = (key: string, fingerprint: string): ConfigFact => ({
  type: 'config.secret_set',
  data: { key, fingerprint },
});
const settingsAfter = (facts: readonly ConfigFact[]) =>
  facts.reduce(
    (settings, fact) => configAggregate.evolve(settings, fact as StoredFact<ConfigFact>),
    configAggregate.initial('config'),
  );

test('the last value of each key counts, and a reset key has none', () => {
  const facts = [
    set('stt.model', 'small'),
    set('stt.model', 'large'),
    set('llm.timeout', 5),
    reset('llm.timeout'),
    secret('llm.api_key', 'ab12'),
  ];
  assert.deepEqual(
    settingsAfter(facts),
    new Map<string, unknown>([
      ['stt.model', { value: 'large' }],
      ['llm.api_key', { fingerprint: 'ab12' }],
    ]),
  );
});

test('a change is one fact a key, and none where it is so already', () => {
  const settings = settingsAfter([
    set('stt.model', 'large'),
    set('server.allowed_hosts', ['a', 'b']),
    secret('llm.api_key', 'ab12'),
  ]);
  assert.deepEqual(
    decideSettings([
      { key: 'stt.model', setting: { value: 'large' } },
      { key: 'server.allowed_hosts', setting: { value: ['a', 'b'] } },
      { key: 'llm.api_key', setting: { fingerprint: 'ab12' } },
      { key: 'llm.timeout' },
    ])(settings),
    [],
  );
  assert.deepEqual(
    decideSettings([
      { key: 'stt.model' },
      { key: 'server.allowed_hosts', setting: { value: ['b', 'a'] } },
      { key: 'llm.api_key', setting: { fingerprint: 'cd34' } },
      { key: 'llm.timeout', setting: { value: 5 } },
    ])(settings),
    [
      reset('stt.model'),
      set('server.allowed_hosts', ['b', 'a']),
      secret('llm.api_key', 'cd34'),
      set('llm.timeout', 5),
    ],
  );
});

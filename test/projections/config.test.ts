import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configStream } from '../../events/config-facts.ts';
import { config, configRows } from '../../projections/config.ts';
import { projected } from '../support/projected.ts';

test('the last value of each key counts, and a reset key has none', async (t) => {
  const { teller, storage, settled } = projected(t, config);
  const set = (key: string, value: string | number) =>
    teller.tell(configStream, { type: 'config.key_set', data: { key, value } });
  await set('stt.model', 'small');
  await set('stt.model', 'large');
  await set('llm.timeout', 5);
  await teller.tell(configStream, { type: 'config.key_reset', data: { key: 'llm.timeout' } });
  const last = await teller.tell(configStream, {
    type: 'config.secret_set',
    data: { key: 'llm.api_key', fingerprint: 'ab12' },
  });
  await settled(last.position);
  assert.deepEqual(
    await configRows(storage),
    new Map<string, unknown>([
      ['llm.api_key', { fingerprint: 'ab12' }],
      ['stt.model', { value: 'large' }],
    ]),
  );
});

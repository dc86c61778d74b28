import assert from 'node:assert/strict';
import { test } from 'node:test';
import { people, peopleNamed } from '../../projections/people.ts';
import { tellImport } from '../support/fact-teller.ts';
import { projected } from '../support/projected.ts';

test('all that is known of a voice is found, in however many recordings: it is taken back by that', async (t) => {
  const { teller, storage, settled } = projected(t, people);
  const count = 2_001;
  const voice = {
    label: 'SPEAKER_0',
    embedding_model: 'voices',
    dimension: 2,
    seconds: 12,
    embedding: [1, 0],
  };
  let last = 0;
  for (let n = 0; n < count; n += 1) {
    await tellImport(teller, `r${n}`, { kind: 'meeting' });
    const named = await teller.of(`r${n}`, {
      type: 'speakers.named',
      data: { labels: ['SPEAKER_0'] },
      content: { names: { SPEAKER_0: 'Anna' }, voices: [voice] },
    });
    last = named.position;
  }
  await settled(last);
  const [anna, ...others] = await peopleNamed(storage, 'anna', { voices: true, all: true });
  assert.deepEqual([anna?.name, anna?.confirmations.length, others], ['Anna', count, []]);
});

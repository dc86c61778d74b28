import { test } from 'node:test';
import type { Postgres } from '../../../src/storage/postgres/connection.ts';
import { knownEnd } from '../../../src/storage/postgres/known-end.ts';
import { listenForFacts } from '../../../src/storage/postgres/postgres-log.ts';

test('facts are known of although no notice of them is heard', { timeout: 10_000 }, async (t) => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    if (asked === 1) throw new Error('away');
    return [{ head: '19', id: null, log: 'L' }];
  };
  const deaf = { ask, channels: { listen: () => () => {} } } as unknown as Postgres;
  const alive = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(alive));
  await new Promise<void>((resolve) => {
    const end = knownEnd(() => end.position() === 19 && resolve(), 'L');
    t.after(listenForFacts(deaf, end, { askEveryMs: 10 }));
  });
});

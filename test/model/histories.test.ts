import { test } from 'node:test';
import { seeds, times } from '../support/seeded.ts';
import { runHistory } from './history.ts';

/*
 * What people do by turns, at public doors, on a service that is killed meanwhile: talks, side notes, corrections, lines of the
 * summary, names, continuing, joining, cutting, removing, erasing, recognising again and going back. `talks.ts` says what there
 * is then; every door has to say the same.
 *
 * A history that fails is told operation by operation; `SEED=… WITHOUT=3,5` repeats it and leaves some out.
 */

const without = new Set((process.env['WITHOUT'] ?? '').split(',').filter(Boolean).map(Number));
const length = times({ short: 8, long: 24 });
const histories = [
  ...seeds({ short: 1, long: 150 }).map((seed) => ({ store: 'LevelDB', seed }) as const),
  ...seeds({ short: 1, long: 150 }).map((seed) => ({ store: 'PostgreSQL', seed }) as const),
];

for (const { store, seed } of histories)
  test(`on ${store} nothing is lost or doubled, and what is gone is gone, whatever is done (SEED=${seed})`, async (t) => {
    await runHistory(t, { store, seed, length, without });
  });

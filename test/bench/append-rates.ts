/**
 * Measures durable appends, ours and bare, and prints the milliseconds as JSON. A process of its own,
 * so that it can be run on a slow disk (`slow-sync.c`).
 * Arguments: folder, appends by one writer, appends by a hundred, repetitions.
 */
import { Level } from 'level';
import { join } from 'node:path';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { logKey, streamKey } from '../../events/log/records.ts';
import { openLog } from '../../events/log/level-log.ts';
import { stageStarted } from './fill-log.ts';
import { bestOf, msOf } from './measure.ts';

export type AppendRates = Record<'one' | 'hundred', { ours: number; bare: number }>;

const [root, single, many, repetitions] = process.argv.slice(2) as [string, string, string, string];
let stores = 0;
/** Where ours has two checksums. */
const crcs = '0123456789abcdef';
const binaryKey = { keyEncoding: 'buffer' } as const;
// Once unmeasured: both have been compiled by then.
await ours(1000, 100);
await bare(1000, 100);
const compared = (count: number, writers: number) =>
  bestOf(
    Number(repetitions),
    () => ours(count, writers),
    () => bare(count, writers),
  );
const rates: AppendRates = {
  one: await compared(Number(single), 1),
  hundred: await compared(Number(many), 100),
};
console.log(JSON.stringify(rates));

async function ours(count: number, writers: number): Promise<number> {
  const folder = join(root, `ours-${(stores += 1)}`);
  const keys = await openFileKeys(join(folder, 'keys'));
  const log = await openLog({ directory: join(folder, 'log'), keys });
  const ms = await msOf(async () => {
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let version = 0; version < count / writers; version += 1) {
          await log.append(`recording-${writer}`, [stageStarted(version)], version);
        }
      }),
    );
  });
  await log.close();
  return ms;
}

/**
 * The same records under the same keys, JSON written here as well, without checks: as many in each
 * synced batch as there are writers, what a perfect group commit would do.
 */
async function bare(count: number, writers: number): Promise<number> {
  const db = new Level(join(root, `bare-${(stores += 1)}`));
  await db.open();
  const ms = await msOf(async () => {
    for (let position = 1; position <= count; position += writers) {
      const batch = db.batch();
      for (let writer = 0; writer < writers; writer += 1) {
        const place = position + writer;
        const stream = `recording-${writer}`;
        const version = Math.ceil(place / writers);
        batch.put<Buffer, string>(
          logKey(place),
          crcs + JSON.stringify(record(place, stream, version)),
          binaryKey,
        );
        batch.put(streamKey(stream, version), String(place));
      }
      await batch.write({ sync: true });
    }
  });
  await db.close();
  return ms;
}

function record(position: number, stream: string, version: number): object {
  const id = '01M7YB8DQZG1E7K5Q61TP77TYM';
  const at = '2026-11-21T06:03:51.000Z';
  return { id, position, stream, version, at, ...stageStarted(version) };
}

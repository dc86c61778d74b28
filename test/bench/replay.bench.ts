import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { type LevelLog, openLog } from '../../events/log/level-log.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { commands } from '../../projections/commands.ts';
import { recordings } from '../../projections/recordings.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { levelProjectionStorage } from '../../src/storage/level-rows.ts';
import { sealedRows } from '../../src/storage/sealed-rows.ts';
import { fillLog } from './fill-log.ts';
import { type Measured, bestOf, countFrom, msOf, perSecond } from './measure.ts';

export const about = 'a log through all projections, against iterating and JSON.parse';
export const throughBuild = false;

const facts = countFrom('BENCH_FACTS', 1_000_000);
const replays = 3;

/** Three kinds of logs: the dearest kind of facts, recordings as they are, and the same with what was said. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    yield* replaying(root, 'every fact changes rows of two projections', {});
    yield* replaying(root, 'recordings as they are, without content', { spoken: 'no-content' });
    yield* replaying(root, 'the same with what was said', { spoken: 'content' });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function* replaying(
  root: string,
  what: string,
  options: Parameters<typeof fillLog>[2],
): AsyncIterable<Measured> {
  const directory = await mkdtemp(join(root, 'replay-'));
  await mkdir(join(directory, 'keys'));
  const keys = await openFileKeys(join(directory, 'keys'));
  const log = await openLog({ directory: join(directory, 'log'), keys });
  // What was said takes twenty times the room.
  const count = options?.spoken === 'content' ? facts / 10 : facts;
  await fillLog(log, count, options);
  const best = await bestOf(
    replays,
    () => replayOurs(log, keys),
    () => replayBare(log),
  );
  await log.close();
  await rm(directory, { recursive: true });
  yield {
    what: `replay of ${count.toLocaleString('en')} facts, ${what}, against iterating and JSON.parse`,
    ours: perSecond(count, best.ours),
    bare: perSecond(count, best.bare),
    ratio: best.ours / best.bare,
    aim: options?.spoken === 'content' ? '' : '≤ 2',
  };
}

async function replayOurs(log: LevelLog, keys: KeyStore): Promise<number> {
  const projections = [recordings, commands];
  const sealing = { keys, projections, report: () => {} };
  const storage = sealedRows(levelProjectionStorage(log.db), sealing);
  for (const { name } of projections) await storage.clear(name);
  return await msOf(async () => {
    const runner = startProjections({ store: log, storage, projections });
    await runner.applied('all', await log.head(), { timeoutMs: 600_000 });
    await runner.stop();
  });
}

async function replayBare(log: LevelLog): Promise<number> {
  return await msOf(async () => {
    const iterator = log.db.values({ gte: '!log!', lt: '!log"', highWaterMarkBytes: 1 << 20 });
    let positions = 0;
    for (;;) {
      const page = await iterator.nextv(1000);
      if (page.length === 0) break;
      for (const record of page) {
        positions += (JSON.parse(record.slice(16)) as { position: number }).position;
      }
    }
    await iterator.close();
    if (positions === 0) throw new Error('nothing was read');
  });
}

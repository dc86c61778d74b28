import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openFileKeys } from '../../events/file-keys.ts';
import { openLog, type Log } from '../../events/level-log.ts';
import { commands } from '../../projections/commands.ts';
import { config } from '../../projections/config.ts';
import { recordings } from '../../projections/recordings.ts';
import { startProjections } from '../../projections/runner.ts';
import { status } from '../../projections/status.ts';
import { transcripts } from '../../projections/transcripts.ts';
import { users } from '../../projections/users.ts';
import { levelProjectionStorage } from '../../src/storage/level-projections.ts';
import type { AppendRates } from './append-rates.ts';
import { fillLog } from './fill-log.ts';
import { bestOf, msOf, perSecond, type Measured } from './measure.ts';

const run = promisify(execFile);
const facts = Number(process.env['BENCH_FACTS'] ?? 1_000_000);
const replays = 3;

/** The log against bare classic-level: appends, then folding it all through every projection. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    yield* appending(root, { single: 5000, many: 20_000, repetitions: 8 });
    const library = join(root, 'slow-sync.so');
    const source = join(import.meta.dirname, 'slow-sync.c');
    await run('gcc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
    const slow = { LD_PRELOAD: library, SLOW_SYNC_MS: '5' };
    yield* appending(root, { single: 200, many: 20_000, repetitions: 2 }, slow);
    yield* replaying(
      root,
      'of facts that each change rows of two projections, without content',
      {},
    );
    yield* replaying(root, 'of recordings, mostly utterances, without content', {
      spoken: 'no-content',
    });
    yield* replaying(root, 'of recordings with what was said (decrypted, stored as rows)', {
      spoken: 'content',
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function* appending(
  root: string,
  { single, many, repetitions }: { single: number; many: number; repetitions: number },
  slow: Record<string, string> = {},
): AsyncIterable<Measured> {
  const disk = slow['SLOW_SYNC_MS'] ? `, ${slow['SLOW_SYNC_MS']} ms more a sync` : '';
  const folder = await mkdtemp(join(root, 'appends-'));
  const script = join(import.meta.dirname, 'append-rates.ts');
  const counts = [single, many, repetitions].map(String);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', script, folder, ...counts], {
    env: { ...process.env, ...slow },
  });
  const { one, hundred } = JSON.parse(stdout) as AppendRates;
  for (const [writers, count, best] of [
    ['1 writer', single, one],
    ['100 writers', many, hundred],
  ] as const) {
    yield {
      what: `durable appends, ${writers}${disk}, against bare chained synced batches of the same records`,
      ours: perSecond(count, best.ours),
      bare: perSecond(count, best.bare),
      ratio: best.bare / best.ours,
      aim: '≥ 0.8',
    };
  }
  yield {
    what: `durable appends, 100 writers against 1${disk}`,
    ours: perSecond(many, hundred.ours),
    bare: perSecond(single, one.ours),
    ratio: one.ours / single / (hundred.ours / many),
    aim: '≥ 5',
  };
}

async function* replaying(
  root: string,
  what: string,
  options: Parameters<typeof fillLog>[2],
): AsyncIterable<Measured> {
  const directory = await mkdtemp(join(root, 'replay-'));
  await mkdir(join(directory, 'keys'));
  const log = await openLog({
    directory: join(directory, 'log'),
    keys: await openFileKeys(join(directory, 'keys')),
  });
  // What was said takes twenty times the room.
  const count = options?.spoken === 'content' ? facts / 10 : facts;
  await fillLog(log, count, options);
  const best = await bestOf(
    replays,
    () => replayOurs(log),
    () => replayBare(log),
  );
  await log.close();
  await rm(directory, { recursive: true });
  yield {
    what: `replay ${what}: ${count.toLocaleString('en')} facts through all projections, against bare iterate + JSON.parse (time)`,
    ours: perSecond(count, best.ours),
    bare: perSecond(count, best.bare),
    ratio: best.ours / best.bare,
    aim: options?.spoken === 'content' ? '' : '≤ 2',
  };
}

async function replayOurs(log: Log): Promise<number> {
  const storage = levelProjectionStorage(log.db);
  const all = [recordings, transcripts, status, users, commands, config];
  for (const { name } of all) await storage.clear(name);
  return await msOf(async () => {
    const runner = startProjections({ store: log, storage, projections: all });
    await runner.applied('all', log.head(), { timeoutMs: 600_000 });
    await runner.stop();
  });
}

async function replayBare(log: Log): Promise<number> {
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

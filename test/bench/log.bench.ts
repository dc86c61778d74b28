import { Level } from 'level';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoggedFact, OfferedFact } from '../../events/catalogue.ts';
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
import { bestOf, msOf, perSecond, type Measured } from './measure.ts';

const appends = 20_000;
const facts = Number(process.env['BENCH_FACTS'] ?? 1_000_000);
const repetitions = 3;

/** The log against bare classic-level: appends, then folding it all through every projection. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    yield* appending(root);
    yield* replaying(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function* appending(root: string): AsyncIterable<Measured> {
  const single = Math.round(appends / 10);
  const one = await bestOf(
    repetitions,
    () => appendOurs(root, single, 1),
    () => appendBare(root, single, 1),
  );
  yield {
    what: 'durable appends, 1 writer, against bare chained synced batches of the same records',
    ours: perSecond(single, one.ours),
    bare: perSecond(single, one.bare),
    ratio: one.bare / one.ours,
    aim: '≥ 0.8',
  };
  const hundred = await bestOf(
    repetitions,
    () => appendOurs(root, appends, 100),
    () => appendBare(root, appends, 100),
  );
  yield {
    what: 'durable appends, 100 writers, against the same',
    ours: perSecond(appends, hundred.ours),
    bare: perSecond(appends, hundred.bare),
    ratio: hundred.bare / hundred.ours,
    aim: '≥ 0.8',
  };
  yield {
    what: 'durable appends, 100 writers against 1',
    ours: perSecond(appends, hundred.ours),
    bare: perSecond(single, one.ours),
    ratio: (one.ours / single) * (appends / hundred.ours),
    aim: '≥ 5',
  };
}

async function* replaying(root: string): AsyncIterable<Measured> {
  const directory = join(root, 'replay');
  const log = await openAt(directory);
  await fill(log, facts);
  const best = await bestOf(
    2,
    () => replayOurs(log),
    () => replayBare(log),
  );
  await log.close();
  yield {
    what: `replay of ${facts.toLocaleString('en')} content-free facts through all projections, against bare iterate + JSON.parse (time)`,
    ours: perSecond(facts, best.ours),
    bare: perSecond(facts, best.bare),
    ratio: best.ours / best.bare,
    aim: '≤ 2',
  };
}

const openAt = async (directory: string): Promise<Log> =>
  await openLog({
    directory: join(directory, 'log'),
    keys: await openFileKeys(join(directory, 'keys')),
  });

const factOf = (index: number): OfferedFact => ({
  type: 'stage.started',
  data: { stage: 'transcribe' },
  by: 'system',
  command: `01M7YB8DQZG1E7K5Q61TP77TYM/transcribe@${index}/1`,
  run: 1,
  attempt: index + 1,
  from: 'transcribing.recognising',
  to: 'transcribing.recognising',
  machine: 1,
});

let stores = 0;

async function appendOurs(root: string, count: number, writers: number): Promise<number> {
  const log = await openAt(join(root, `ours-${(stores += 1)}`));
  const ms = await msOf(async () => {
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let version = 0; version < count / writers; version += 1) {
          await log.append(`recording-${writer}`, [factOf(version)], version);
        }
      }),
    );
  });
  await log.close();
  return ms;
}

/** As many records as there are writers in each batch: what a perfect group commit would do. */
async function appendBare(root: string, count: number, writers: number): Promise<number> {
  const db = new Level(join(root, `bare-${(stores += 1)}`));
  await db.open();
  const ms = await msOf(async () => {
    for (let position = 1; position <= count; position += writers) {
      const batch = db.batch();
      for (let writer = 0; writer < writers; writer += 1) {
        const at = String(position + writer).padStart(16, '0');
        batch.put(`log!${at}`, JSON.stringify(recordOf(position + writer, writer)));
        batch.put(`streams!recording-${writer}!${at}`, at);
      }
      await batch.write({ sync: true });
    }
  });
  await db.close();
  return ms;
}

const recordOf = (position: number, writer: number) => ({
  id: '01M7YB8DQZG1E7K5Q61TP77TYM',
  position,
  stream: `recording-${writer}`,
  version: position,
  at: '2026-11-21T06:03:51.000Z',
  ...factOf(position),
});

/** Streams of recordings as they are, without what was said. */
async function fill(log: Log, count: number): Promise<void> {
  const perStream = 50;
  const streams = Math.ceil(count / perStream);
  const together = 100;
  for (let first = 0; first < streams; first += together) {
    await Promise.all(
      Array.from({ length: Math.min(together, streams - first) }, async (_, offset) => {
        const imported: OfferedFact = {
          type: 'audio.imported',
          data: {
            owner: `user-${(first + offset) % 20}`,
            kind: 'solo',
            language: null,
            speakers: null,
            path: 'audio.wav',
            bytes: 1,
            sha256: 'ab'.repeat(32),
            duration: 10,
            started_at: '2026-11-20T09:00:00Z',
          },
          by: 'anna',
          command: `import-${first + offset}`,
          from: 'idle.new',
          to: 'transcribing.recognising',
          machine: 1,
        };
        const rest = Array.from({ length: perStream - 1 }, (_unused, index) => factOf(index));
        await log.append(`recording-${first + offset}`, [imported, ...rest], 0);
      }),
    );
  }
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
    let seen: LoggedFact | undefined;
    for (;;) {
      const page = await iterator.nextv(1000);
      if (page.length === 0) break;
      for (const record of page) seen = JSON.parse(record.slice(16)) as LoggedFact;
    }
    await iterator.close();
    if (!seen) throw new Error('nothing was read');
  });
}

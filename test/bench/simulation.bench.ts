import pino from 'pino';
import { type EventStore } from '../../events/store.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { type ProjectionRunner, startProjections } from '../../projections/runner/runner.ts';
import { served } from '../../projections/served.ts';
import { type RecordingAggregate, openAggregate } from '../../src/recordings/control/aggregate.ts';
import { type RecordingHandler, recordingHandler } from '../../src/recordings/handle.ts';
import { openPostgres } from '../../src/storage/postgres/connection.ts';
import { openPostgresLog } from '../../src/storage/postgres/postgres-log.ts';
import { postgresProjectionStorage } from '../../src/storage/postgres/projection-storage.ts';
import { sealedRows } from '../../src/storage/sealed-rows.ts';
import { memoryProjectionStorage } from '../support/memory-projection-storage.ts';
import { memoryKeys, memoryStore } from '../support/memory-store.ts';
import { ask, postgresCluster } from '../support/postgres.ts';
import { type Random, seeded } from '../support/seeded.ts';
import { type Measured, countFrom, milliseconds, perSecond, percentile } from './measure.ts';
import { type Step, simulatedTalk, talkSeconds } from './simulated-talk.ts';
import { nothingPromised } from '../support/recording-service.ts';

export const about =
  'the busiest minutes of a million users, simulated: facts decided, appended and projected';
export const throughBuild = false;
export const onlyByName = true;

const users = countFrom('BENCH_SIMULATED_USERS', 1_000_000);
/** Hours of audio a day. */
const hours = countFrom('BENCH_SIMULATED_HOURS', 100_000);
const minutes = countFrom('BENCH_SIMULATED_MINUTES', 10);
const postgresMinutes = countFrom('BENCH_SIMULATED_POSTGRES_MINUTES', 1);
/** Every run does the same, but for which fact is appended first of those of a second. */
const seed = countFrom('SEED', 1);

/** The busiest hour against the mean of the day, facts an hour and bytes a fact: of the design's load model. */
const peak = 5;
const assumed = { factsAnHour: 300, bytesAFact: 800 };
/** Recordings under way at the busiest time, and how many begin a second. */
const underWay = (hours / 24) * peak;
const beginning = underWay / ((talkSeconds.shortest + talkSeconds.longest) / 2);
/** A node keeps 200 recordings folded; beyond that it would read one again for each of its facts. */
const perNode = 160;
const startedAt = Date.parse('2026-03-02T10:00:00Z');
const catchUpMs = 600_000;

/** What the facts go into, and what has become of it. */
type World = {
  store: EventStore;
  storage: ProjectionStorage;
  /** Called when a recording has ended and all its facts are in the rows. */
  letGo(stream: string): void;
  size(): Promise<{ facts: string; rows: string }>;
  close(): Promise<void>;
};

export async function* bench(): AsyncIterable<Measured> {
  let second = 0;
  const time = { set: (now: number) => (second = now) };
  const clock = () => new Date(startedAt + second * 1000);
  yield* rowsOf('memory', minutes, await simulate(inMemory(clock), minutes, time));
  if (postgresMinutes === 0) return;
  const ends: (() => unknown)[] = [];
  const { url } = await postgresCluster({ after: (end) => void ends.push(end) }, { fsync: true });
  try {
    yield* rowsOf(
      'PostgreSQL',
      postgresMinutes,
      await simulate(await inPostgres(url), postgresMinutes, time),
    );
  } finally {
    for (const end of ends) await end();
  }
}

function inMemory(clock: () => Date): World {
  const store = memoryStore({ clock, keys: memoryKeys() });
  const storage = memoryProjectionStorage();
  return {
    store,
    storage,
    letGo: store.letGo,
    async size() {
      const { rows, characters } = storage.size();
      return { facts: 'held as objects', rows: `${count(rows)} rows, ${megabytes(characters)}` };
    },
    close: () => store.close(),
  };
}

/** One connection, as a node has it; facts and rows are sealed. Its facts have the time of the host. */
async function inPostgres(url: string): Promise<World> {
  const db = await openPostgres({ url });
  const keys = memoryKeys();
  const store = openPostgresLog({ db, keys });
  const report = ({ message }: { message: string }): never => {
    throw new Error(message);
  };
  const storage = sealedRows(postgresProjectionStorage(db), { keys, projections: served, report });
  return {
    store,
    storage,
    letGo: () => {},
    async size() {
      const [sizes] = await ask<{ facts: string; rows: string; number: string }>(
        url,
        `select pg_total_relation_size('mitschrift.facts') as facts, count(*) as number,
          pg_total_relation_size('mitschrift.rows') as rows from mitschrift.rows`,
      );
      const { facts, rows, number } = sizes!;
      return {
        facts: `${megabytes(Number(facts))} with indexes`,
        rows: `${count(Number(number))} rows, ${megabytes(Number(rows))} with indexes`,
      };
    },
    async close() {
      await store.close();
      await db.close();
    },
  };
}

type Outcome = {
  facts: number;
  bytes: number;
  /** Hours of audio that were said meanwhile. */
  spoken: number;
  recordings: number;
  ended: number;
  ms: number;
  /** From the end of an append until its fact was in the rows, in milliseconds. */
  lags: number[];
  /** Resident memory at most, and when those under way at the beginning had begun. */
  rss: number;
  rssBefore: number;
  size: { facts: string; rows: string };
};

async function simulate(
  world: World,
  lasting: number,
  time: { set(second: number): void },
): Promise<Outcome> {
  const { store, storage } = world;
  const counted = counting(store);
  let failure: unknown;
  const fail = (error: unknown) => (failure ??= error);
  const projections = startProjections({ store, storage, projections: served, onStopped: fail });
  const noted = notingLags(projections, counted.at);
  await projections.ready();
  const lives = talksOf(lasting * 60, counted.store);
  time.set(0);
  // What is under way at the beginning began before it.
  await inParts(
    lives.filter(({ start }) => start < 0),
    (life) => life.goOn(1),
  );
  await projections.applied('all', await store.head(), { timeoutMs: catchUpMs });
  counted.reset();
  noted.lags.length = 0;
  const rssBefore = process.memoryUsage.rss();
  const begun = performance.now();
  const { ended, rss } = await run(lives, lasting * 60, { world, projections, time });
  await projections.applied('all', await store.head(), { timeoutMs: catchUpMs });
  const ms = performance.now() - begun;
  if (failure !== undefined) throw new Error('a projection stopped', { cause: failure });
  const size = await world.size();
  await projections.stop();
  await world.close();
  const { facts, bytes } = counted.seen();
  const spoken = underWay * (lasting / 60);
  const recordings = lives.length;
  return { facts, bytes, spoken, recordings, ended, ms, lags: noted.lags, rss, rssBefore, size };
}

/** Second by second, as fast as it goes: the rows may be one second behind what is appended. */
async function run(
  lives: Life[],
  seconds: number,
  {
    world,
    projections,
    time,
  }: { world: World; projections: ProjectionRunner; time: { set(second: number): void } },
) {
  const due = new Map<number, Life[]>();
  const wait = (life: Life): void => {
    const second = Math.max(0, Math.floor(life.due()));
    if (second < seconds) due.set(second, [...(due.get(second) ?? []), life]);
  };
  for (const life of lives) wait(life);
  let [ended, rss, head] = [0, 0, 0];
  let over: Life[] = [];
  for (let second = 0; second < seconds; second += 1) {
    time.set(second);
    const now = due.get(second) ?? [];
    due.delete(second);
    await inParts(now, (life) => life.goOn(second + 1));
    await projections.applied('all', head, { timeoutMs: catchUpMs });
    // These have ended a second ago: all is in the rows.
    for (const life of over) world.letGo(life.stream);
    over = now.filter((life) => life.due() === Infinity);
    ended += over.length;
    head = await world.store.head();
    for (const life of now) if (life.due() < Infinity) wait(life);
    rss = Math.max(rss, process.memoryUsage.rss());
  }
  return { ended, rss };
}

/** One recording, and what comes next of it. */
type Life = {
  start: number;
  stream: string;
  /** Second of its next fact; Infinity when it has ended. */
  due(): number;
  /** Appends what comes before a second. */
  goOn(until: number): Promise<void>;
};

/** All that are under way some time within the seconds, in the order in which they begin. */
function talksOf(seconds: number, store: EventStore): Life[] {
  const random = seeded(seed);
  const owners = zipf(users);
  const nodes = Array.from({ length: Math.ceil(underWay / perNode) }, () =>
    recordingHandler({ store, ...nothingPromised }),
  );
  const lives: Life[] = [];
  for (let start = -talkSeconds.longest; start < seconds; start += 1 / beginning) {
    const own = seeded(random.below(2 ** 31));
    const from = Math.max(0, -start);
    const steps = simulatedTalk(own, `user-${owners(random)}`, from);
    const life = lifeOf(`talk-${lives.length}`, start, steps, nodes[lives.length % nodes.length]!);
    // Over before it begins here.
    if (life) lives.push(life);
  }
  return lives;
}

/** Null when it is over before it begins here. */
function lifeOf(
  id: string,
  start: number,
  steps: Iterator<Step>,
  handler: RecordingHandler,
): Life | null {
  let next = steps.next();
  if (next.done) return null;
  let recording: RecordingAggregate | null = null;
  const deps = {
    handler,
    runStage: async () => {},
    actsIn: () => true,
    log: silent,
    moved() {},
    waits() {},
    left() {},
  };
  return {
    start,
    stream: recordingStream(id),
    due: () => (next.done ? Infinity : start + next.value.at),
    async goOn(until) {
      recording ??= (await openAggregate(id, deps, { create: true }))!;
      while (!next.done && start + next.value.at < until) {
        await take(recording, next.value);
        next = steps.next();
      }
      if (next.done) await recording.stop();
    },
  };
}

const silent = pino({ level: 'silent' });

/** Decides and appends, as an activity of this attempt or as its owner. */
async function take(recording: RecordingAggregate, { fact, stage }: Step): Promise<void> {
  const { sources, running } = recording.snapshot().context;
  const command = `${recording.recordingId}/${recording.version()}`;
  const metadata =
    stage === undefined
      ? { by: 'anna', command }
      : { by: 'system', command, run: sources.run, attempt: running[stage] ?? 1 };
  await recording.append([fact], metadata);
}

/** A store that counts what is appended, and notes when. */
function counting(store: EventStore) {
  let [facts, bytes] = [0, 0];
  const at = new Map<number, number>();
  return {
    at,
    seen: () => ({ facts, bytes }),
    reset: () => ([facts, bytes] = [0, 0]),
    store: {
      ...store,
      async append(stream, offered, expectedVersion) {
        const stored = await store.append(stream, offered, expectedVersion);
        facts += stored.length;
        for (const fact of stored) {
          bytes += Buffer.byteLength(JSON.stringify(fact));
          at.set(fact.position, performance.now());
        }
        return stored;
      },
    } satisfies EventStore,
  };
}

/** Fills `lags`; one that is in the rows before its append is acknowledged here has waited for nothing. */
function notingLags(projections: ProjectionRunner, at: Map<number, number>) {
  const lags: number[] = [];
  projections.onApplied((facts) => {
    const now = performance.now();
    for (const { position } of facts) {
      lags.push(now - (at.get(position) ?? now));
      at.delete(position);
    }
  });
  return { lags };
}

/** A user by rank: the second is half as often there as the first, the third a third (Zipf, exponent 1). */
function zipf(count: number): (random: Random) => number {
  const sums = new Float64Array(count);
  for (let rank = 0; rank < count; rank += 1) sums[rank] = (sums[rank - 1] ?? 0) + 1 / (rank + 1);
  return (random) => {
    const wanted = random.next() * sums[count - 1]!;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Commands decided at once; more wait for one of the database's connections longer than they may. */
const togetherMax = 100;

async function inParts(lives: readonly Life[], work: (life: Life) => Promise<void>): Promise<void> {
  for (let first = 0; first < lives.length; first += togetherMax) {
    await Promise.all(lives.slice(first, first + togetherMax).map(work));
  }
}

function* rowsOf(where: string, lasting: number, outcome: Outcome): Generator<Measured> {
  const { facts, bytes, spoken, recordings, ended, ms, lags, rss, rssBefore, size } = outcome;
  const needed = facts / (lasting * 60);
  const rate = (facts * 1000) / ms;
  const name = `${lasting} busiest min in ${where}`;
  yield {
    what: `${name}: facts decided, appended and in the rows; needed at that time`,
    ours: perSecond(facts, ms),
    bare: perSecond(needed, 1000),
    ratio: rate / needed,
    aim: '≥ 1',
  };
  const anHour = facts / spoken;
  yield {
    what: `${name}: facts, ${count(recordings)} recordings (${count(ended)} ended); an hour of audio, of the assumed`,
    ours: count(facts),
    bare: `${Math.round(anHour)} an hour`,
    ratio: anHour / assumed.factsAnHour,
    aim: '',
  };
  const aFact = bytes / facts;
  yield {
    what: `${name}: JSON of a fact, of the assumed; what holds all (${size.facts}), ${size.rows}`,
    ours: `${Math.round(aFact)} B`,
    bare: `${assumed.bytesAFact} B`,
    ratio: aFact / assumed.bytesAFact,
    aim: '',
  };
  const [p50, p99] = [percentile(lags, 0.5), percentile(lags, 0.99)];
  yield {
    what: `${name}: from append to rows at full speed, p50 and p99`,
    ours: milliseconds(p50),
    bare: milliseconds(p99),
    ratio: p50 / p99,
    aim: '',
  };
  yield {
    what: `${name}: peak memory of the process with ${count(underWay)} recordings under way at once; at the beginning`,
    ours: megabytes(rss),
    bare: megabytes(rssBefore),
    ratio: rss / rssBefore,
    aim: '',
  };
  const day = hours * anHour;
  yield {
    what: `computed from it, not run: a day of ${count(hours)} hours, of the assumed; a year; facts and JSON`,
    ours: `${count(day)}, ${gigabytes(day * aFact)}`,
    bare: `${count(day * 365)}, ${gigabytes(day * 365 * aFact)}`,
    ratio: (anHour * aFact) / (assumed.factsAnHour * assumed.bytesAFact),
    aim: '',
  };
}

const count = (number: number): string => Math.round(number).toLocaleString('en');
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

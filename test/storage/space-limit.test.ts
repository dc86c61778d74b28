import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soleOwnership } from '../../events/ownership.ts';
import { type ByOne, openByOne } from '../../src/storage/by-one.ts';
import { memoryKept } from '../support/memory-kept.ts';
import { gigabyte } from '../../src/storage/disk.ts';
import { openSpaceLimit } from '../../src/storage/quota.ts';

/** A limit of 1000 bytes over a disk that is told what lies on it; counts are held when asked to. */
function limited(
  t: { after(work: () => unknown): void },
  limitBytes: number | null = 1000,
  { byOne, time = { ms: 0 } }: { byOne?: ByOne; time?: { ms: number } } = {},
) {
  const world = {
    disk: 0,
    time,
    counts: 0,
    limit: limitBytes,
    userLimit: null as number | null,
    users: new Map<string, number>(),
    failing: false,
    /** Milliseconds that a count takes. */
    takesMs: 0,
    held: null as Promise<void> | null,
    warnings: [] as string[],
  };
  const space = openSpaceLimit({
    disk: { async admit() {} },
    async measure() {
      world.counts += 1;
      const bytes = world.disk;
      await world.held;
      time.ms += world.takesMs;
      if (world.failing) throw new Error('the disk is away');
      return { bytes, unread: 0 };
    },
    measureByUser: async () => world.users,
    settings: () => ({
      'limits.spaces_gb': world.limit === null ? null : world.limit / gigabyte,
      'limits.user_gb': world.userLimit === null ? null : world.userLimit / gigabyte,
    }),
    log: { warn: (_fields, text) => void world.warnings.push(text) },
    now: () => time.ms,
    byOne: byOne ?? byOneAt(time),
  });
  t.after(() => space.stop());
  return { world, space };
}

const byOneAt = (time: { ms: number }): ByOne =>
  openByOne(
    memoryKept(() => new Date(time.ms)),
    soleOwnership(),
  );

const refused = { code: 'SPACE_LIMIT_REACHED' };

test('what is let in counts while it comes, and when it is kept; what is gone does not', async (t) => {
  const { world, space } = limited(t);
  await space.start();
  const first = await space.admit(600, 'anna');
  assert.equal(space.taken(), 600);
  await assert.rejects(space.admit(500, 'anna'), refused);
  first.gone();
  assert.equal(space.taken(), 0);
  const second = await space.admit(1000, 'anna');
  second.kept();
  second.gone();
  assert.equal(space.taken(), 1000, 'the first of both counts');
  await assert.rejects(space.admit(1, 'anna'), refused);
  world.disk = 1000;
  world.time.ms += 20_000;
  await assert.rejects(space.admit(1, 'anna'), refused);
  assert.equal(space.taken(), 1000, 'what was counted does not count twice');
});

test('of two that come at once and do not both fit one is let in', async (t) => {
  const { space } = limited(t);
  const both = await Promise.allSettled([space.admit(600, 'anna'), space.admit(600, 'anna')]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
});

test('who would be refused finds what was deleted since, and nobody has it counted all the time', async (t) => {
  const { world, space } = limited(t);
  world.disk = 1000;
  await space.start();
  world.disk = 0;
  await assert.rejects(space.refuseWhenFull('anna'), refused, 'it was counted this moment');
  world.time.ms += 20_000;
  await space.refuseWhenFull('anna');
  assert.equal(world.counts, 2);
  world.disk = 2000;
  world.time.ms += 20_000;
  await space.admit(1, 'anna');
  assert.equal(world.counts, 2, 'as far as anybody knows there is room');
});

test('a count that takes long is not asked for again before it has paid off', async (t) => {
  const { world, space } = limited(t);
  world.disk = 1000;
  world.takesMs = 3000;
  await space.start();
  world.time.ms += 59_000;
  await assert.rejects(space.refuseWhenFull('anna'), refused);
  assert.equal(world.counts, 1);
  world.time.ms += 1000;
  await assert.rejects(space.refuseWhenFull('anna'), refused);
  assert.equal(world.counts, 2);
});

test('what was kept while it is counted is not lost to the figure', async (t) => {
  const { world, space } = limited(t);
  await space.start();
  const before = await space.admit(100, 'anna');
  before.kept();
  let go = (): void => {};
  world.time.ms += 5000;
  world.held = new Promise((resolve) => (go = resolve));
  world.disk = 100;
  const counted = space.start();
  const meanwhile = await space.admit(200, 'anna');
  meanwhile.kept();
  assert.equal(space.taken(), 300);
  go();
  await counted;
  assert.equal(space.taken(), 300);
});

test('what turns out longer than it was announced is let in or refused by what it is', async (t) => {
  const { space } = limited(t);
  const coming = await space.admit(0, 'anna');
  await coming.becomes(900);
  assert.equal(space.taken(), 900);
  await assert.rejects(coming.becomes(1100), refused);
  assert.equal(space.taken(), 900);
  await coming.becomes(10);
  assert.equal(space.taken(), 10);
});

test('a limit holds as soon as it is set, and no longer than that', async (t) => {
  const { world, space } = limited(t, null);
  world.disk = 5000;
  (await space.admit(5000, 'anna')).gone();
  assert.equal(world.counts, 0, 'without a limit nobody waits for a count');
  world.limit = 1000;
  await assert.rejects(
    space.admit(1, 'anna'),
    /needs 1 byte, but .* use 4\.88 KB of .*limits\.spaces_gb/,
  );
  assert.equal(space.warning()?.code, 'space-limit');
  world.limit = null;
  assert.equal(space.warning(), null);
  await space.admit(1, 'anna');
});

test('when counting fails what was counted before holds, and it is said', async (t) => {
  const { world, space } = limited(t);
  world.disk = 700;
  await space.start();
  (await space.admit(200, 'anna')).kept();
  world.failing = true;
  world.time.ms += 600_000;
  await space.start();
  assert.equal(space.taken(), 900);
  assert.equal(world.warnings.length, 1);
});

test('listeners are told when a count has changed whether there is a warning', async (t) => {
  const { world, space } = limited(t);
  const told: boolean[] = [];
  space.onWarning(() => told.push(space.warning() !== null));
  for (const bytes of [0, 1000, 1000, 999]) {
    world.disk = bytes;
    await space.start();
    world.time.ms += 600_000;
  }
  assert.deepEqual(told, [true, false]);
});

test('nothing is counted where nothing is limited, and at once when a limit is set', async (t) => {
  const { world, space } = limited(t, null);
  world.disk = 900;
  await space.start();
  assert.equal(world.counts, 0);
  assert.equal(space.taken(), null);
  (await space.admit(50, 'anna')).kept();
  assert.equal(world.counts, 0);
  world.limit = 1000;
  await assert.rejects(space.admit(200, 'anna'), refused);
  assert.equal(world.counts, 1);
});

test('one of many nodes counts for all, and what each took in since that began is not lost to it', async (t) => {
  const time = { ms: 0 };
  const byOne = byOneAt(time);
  const [one, other] = [1, 2].map(() => limited(t, 1000, { byOne, time }));
  const counts = () => one!.world.counts + other!.world.counts;
  one!.world.disk = 500;
  await one!.space.start();
  time.ms += 60_000;
  (await other!.space.admit(100, 'anna')).kept();
  assert.equal(counts(), 1, 'what one counted a minute ago will do');
  assert.equal(other!.space.taken(), 600);
  assert.equal(one!.space.taken(), 500);

  time.ms += 60_000;
  other!.world.disk = 600;
  await assert.rejects(other!.space.admit(500, 'anna'), refused);
  assert.equal(counts(), 2, 'before a refusal it is counted');
  (await other!.space.admit(100, 'anna')).kept();
  time.ms += 5000;
  // This one has not heard of that count, nor of what the other has kept since.
  await assert.rejects(one!.space.admit(501, 'ben'), refused);
  assert.equal(one!.space.taken(), 600);
  assert.equal(counts(), 2);
  time.ms += 20_000;
  one!.world.disk = 700;
  await assert.rejects(one!.space.admit(501, 'ben'), refused);
  assert.deepEqual([counts(), one!.space.taken()], [3, 700]);
});

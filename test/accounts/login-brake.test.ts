import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as decided } from 'node:timers/promises';
import { memoryKept } from '../support/memory-kept.ts';
import { loginBrake } from '../../src/accounts/login-brake.ts';

/** Every attempt comes from a /48 of its own, unless it says where. */
function at() {
  let now = Date.UTC(2026, 10, 21);
  let from = 0;
  const pauses: number[] = [];
  const ends: (() => void)[] = [];
  const brake = loginBrake(
    memoryKept(() => new Date(now)),
    (ms) => {
      pauses.push(ms);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  );
  const anywhere = () => `2001:db8:${(from += 1).toString(16)}::1`;
  /** How long an attempt is held in seconds; negative: it is to come back after so many. */
  async function attempt(account: string, address = anywhere()): Promise<number> {
    const before = pauses.length;
    const held = brake.hold(account, address);
    await decided();
    if (pauses.length > before) {
      ends.shift()!();
      assert.equal(await held, 0);
      return pauses.at(-1)! / 1000;
    }
    return 0 - (await held);
  }
  const several = async (count: number, account: () => string, address?: () => string) => {
    const held: number[] = [];
    for (let one = 0; one < count; one += 1) held.push(await attempt(account(), address?.()));
    return held;
  };
  return {
    brake,
    attempt,
    several,
    ends,
    anywhere,
    pass: (seconds: number) => (now += seconds * 1000),
  };
}

const none = (count: number): number[] => Array<number>(count).fill(0);
const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10];

test('from the eleventh attempt on, wherever they come from, an account is slowed down by ten seconds at most', async () => {
  const { several, attempt } = at();
  assert.deepEqual(await several(10, () => 'anna'), none(10));
  assert.deepEqual(await several(12, () => 'anna'), delays);
  assert.equal(await attempt('ben'), 0, 'another account is not');
});

test('a minute forgives an attempt, and none is held against an account for more than twenty', async () => {
  const { several, attempt, pass } = at();
  await several(100, () => 'anna');
  pass(60);
  assert.equal(await attempt('anna'), 10);
  pass(10 * 60);
  assert.equal(await attempt('anna'), 1);
  pass(20 * 60);
  assert.deepEqual(await several(10, () => 'anna'), none(10));
});

test('a network is slowed down whatever names it tries: an IPv4 address or a /56 after 20, a /48 after 40', async () => {
  const { several } = at();
  let names = 0;
  const any = () => `name ${(names += 1)}`;
  assert.deepEqual(await several(21, any, () => '192.0.2.1'), [...none(20), 1]);
  assert.deepEqual(await several(1, any, () => '192.0.2.2'), [0]);
  let sites = 0;
  const inSite = () => `2001:db8:aaaa:11${(sites += 1).toString(16).padStart(2, '0')}::1`;
  assert.deepEqual(await several(21, any, inSite), [...none(20), 1]);
  const inProvider = () => `2001:db8:aaaa:${(sites += 1).toString(16)}00::1`;
  assert.deepEqual(await several(20, any, inProvider), [...none(19), 1]);
});

test('what succeeded or was not looked at does not count', async () => {
  const { brake, several, attempt, anywhere } = at();
  for (let one = 0; one < 30; one += 1) {
    const address = anywhere();
    assert.equal(await attempt('anna', address), 0);
    await brake.takeBack('anna', address);
  }
  assert.deepEqual(await several(11, () => 'anna'), [...none(10), 1]);
});

test('one of a network waits for an account at a time, others of it are asked to come back, and nothing is held against it', async () => {
  const { brake, several, attempt, ends } = at();
  await several(10, () => 'anna');
  const waiting = [
    brake.hold('anna', '192.0.2.1'),
    brake.hold('anna', '2001:db8:aaaa:100::1'),
    brake.hold('anna', '198.51.100.1'),
    brake.hold('anna', '2001:db8:bbbb::1'),
  ];
  await decided();
  let last = 1;
  const neighbour = () => `192.0.2.${(last += 1)}`;
  assert.deepEqual(await several(50, () => 'anna', neighbour), Array<number>(50).fill(-10));
  assert.equal(await attempt('anna', '2001:db8:aaaa:200::1'), -10, 'of the same /48');
  assert.equal(await attempt('ben', '192.0.2.1'), 0, 'nobody else waits for them');
  for (const end of ends.splice(0)) end();
  assert.deepEqual(await Promise.all(waiting), none(4));
  assert.equal(await attempt('anna'), 5);
});

test('at most 256 wait in all', async () => {
  const { brake, several, attempt, ends } = at();
  await several(10, () => 'anna');
  const waiting = Array.from({ length: 256 }, (_, n) =>
    brake.hold('anna', `198.${Math.floor(n / 200)}.${n % 200}.1`),
  );
  await decided();
  assert.equal(await attempt('anna'), -10);
  for (let end = ends.shift(); end; end = ends.shift()) end();
  assert.deepEqual(await Promise.all(waiting), none(256));
});

test('thirty thousand counters are remembered', async () => {
  const { several, attempt } = at();
  await several(10, () => 'anna');
  let names = 0;
  // Each attempt is of an account, a /56 and a /48 of its own.
  await several(9_900, () => `name ${(names += 1)}`);
  assert.equal(await attempt('anna'), 1);
  await several(10_100, () => `name ${(names += 1)}`);
  assert.equal(await attempt('anna'), 0);
});

test('a flood out of seven networks leaves a place to the right password from any other', async () => {
  const { brake, several, ends } = at();
  await several(30, () => 'alice');
  let sites = 0;
  const flooding = Array.from({ length: 20 }, async (_, client) => {
    const site = (sites += 1).toString(16).padStart(2, '0');
    return await brake.hold('alice', `2001:db8:${client % 7}:${site}00::1`);
  });
  await decided();
  const right = Array.from({ length: 12 }, (_, home) =>
    brake.hold('alice', home % 2 === 0 ? `198.51.${home}.7` : `2001:db8:f${home}::1`),
  );
  await decided();
  for (let end = ends.shift(); end; end = ends.shift()) end();
  assert.deepEqual(await Promise.all(right), none(12));
  const held = await Promise.all(flooding);
  assert.equal(held.filter((seconds) => seconds === 0).length, 7, 'one of each network');
  assert.equal(held.filter((seconds) => seconds === 10).length, 13);
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Held, Ownership } from '../../../events/ownership.ts';
import { openPostgres } from '../../../src/storage/postgres/connection.ts';
import { postgresOwnership } from '../../../src/storage/postgres/ownership.ts';
import { openSession } from '../../../src/storage/postgres/session.ts';
import { ownershipContract } from '../../events/ownership-contract.ts';
import { within } from '../../support/eventually.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { testProgram } from '../../support/program.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';

const leaseMs = 1500;
const cluster = await postgresCluster({ after });
const { signal } = new AbortController();

ownershipContract(
  'The ownership of nodes at one database',
  async (t) => {
    const proxy = await tcpProxy(t, cluster.url);
    const through = new URL(cluster.url);
    through.port = new URL(proxy.url).port;
    const lose = async (): Promise<void> => proxy.cut();
    return { one: await owner(t, through.href), other: await owner(t), lose };
  },
  { canBeLost: true },
);

for (const [how, end, mostMs] of [
  ['is killed', 'SIGKILL', 1000],
  ['hangs', 'SIGSTOP', leaseMs + 500],
] as const) {
  it(`is free for others when its holder ${how}, and no holder believes in it then`, async (t) => {
    const other = await owner(t);
    const program = testProgram('test/support/lock-holder-process');
    const holder = spawn(process.execPath, [program, cluster.url, String(leaseMs), 'recording:a']);
    t.after(() => holder.kill('SIGKILL'));
    const said: string[] = [];
    holder.stdout.on('data', (text: Buffer) => said.push(text.toString()));
    await once(holder.stdout, 'data');
    assert.equal(await other.claim('recording:a', signal), null);
    const killed = performance.now();
    holder.kill(end);
    await claimed(other, 'recording:a');
    const tookMs = performance.now() - killed;
    assert.ok(tookMs < mostMs, `free after ${Math.round(tookMs)} ms`);
    t.diagnostic(`free after ${Math.round(tookMs)} ms`);
    if (end === 'SIGKILL') return;
    holder.kill('SIGCONT');
    await once(holder, 'close');
    assert.equal(said.join(''), 'held\nlost\n');
  });
}

it('is given up before the server frees it when the server is silent', async (t) => {
  const [one, other] = [await owner(t), await owner(t)];
  const held = (await one.claim('recording:a', signal))!;
  const [session] = await ask<{ pid: number }>(
    cluster.url,
    "select pid from pg_locks where locktype = 'advisory' and granted",
  );
  let isStopped: boolean = process.kill(session!.pid, 'SIGSTOP');
  // The cluster could not end else.
  t.after(() => isStopped && process.kill(session!.pid, 'SIGCONT'));
  const silent = performance.now();
  await once(held.lost, 'abort');
  assert.ok(performance.now() - silent < leaseMs);
  assert.equal(await other.claim('recording:a', signal), null, 'the server has it still');
  process.kill(session!.pid, 'SIGCONT');
  isStopped = false;
  await claimed(other, 'recording:a');
});

it('is given up a lease after the last question that was answered, however late the answer came', async (t) => {
  const open = async () => {
    const proxy = await tcpProxy(t, cluster.url);
    const through = new URL(cluster.url);
    through.port = new URL(proxy.url).port;
    const session = await openSession(await openedDatabase(t, through.href), leaseMs);
    t.after(() => session.end());
    const lostAt = once(session.lost, 'abort').then(() => performance.now());
    return { proxy, session, lostAt };
  };
  const [late, soon] = [await open(), await open()];
  const answerMs = 0.6 * leaseMs;
  const answered = late.session.ask(`select pg_sleep(${answerMs / 1000})`);
  await soon.session.ask('select 1');
  soon.proxy.freeze();
  await answered;
  late.proxy.freeze();
  // Asked at the same time, they are lost at the same time.
  const laterMs = (await late.lostAt) - (await soon.lostAt);
  assert.ok(laterMs < answerMs / 2, `${Math.round(laterMs)} ms later`);
});

it('can be claimed again over a new session when the old one was lost', async (t) => {
  const one = await owner(t);
  const [a, b] = [await one.claim('a', signal), await one.claim('b', signal)];
  await ask(
    cluster.url,
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted",
  );
  await Promise.all(
    [a, b].map(async (held) => held!.lost.aborted || (await once(held!.lost, 'abort'))),
  );
  const again = await claimed(one, 'a');
  assert.equal(again.lost.aborted, false);
  await one.close();
  assert.equal(again.lost.aborted, true);
  await assert.rejects(one.claim('a', signal), /closed/);
});

it('asks one question at a time, however many are claimed at once', async (t) => {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => {
    if (message.includes('client.query()')) warnings.push(message);
  };
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const one = await owner(t);
  const names = Array.from({ length: 50 }, (_, n) => `recording:${n}`);
  const held = await Promise.all(names.map((name) => one.claim(name, signal)));
  await Promise.all(held.map((name) => name!.release()));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(warnings, []);
});

it('hears again what is told when its connection froze while it began to listen', async (t) => {
  const proxy = await tcpProxy(t, cluster.url);
  const through = new URL(cluster.url);
  through.port = new URL(proxy.url).port;
  const [db, other] = [
    await openPostgres({ url: through.href, leaseMs, answerMs: leaseMs }),
    await openedDatabase(t, cluster.url),
  ];
  t.after(() => db.close());
  let opened = 0;
  const heard = new Promise<string>((resolve) => {
    db.channels.listen('test', {
      heard: resolve,
      async opened() {
        opened += 1;
        if (opened > 1) return await other.channels.tell('test', 'said');
        proxy.freeze();
        throw new Error('it could not ask what it has missed');
      },
    });
  });
  assert.equal(await within('it hears', heard), 'said');
});

async function owner(t: TestContext, url = cluster.url) {
  const ownership = postgresOwnership(await openedDatabase(t, url), { leaseMs });
  t.after(() => ownership.close());
  return ownership;
}

/** Asks until the name is granted. */
async function claimed(ownership: Ownership, name: string): Promise<Held> {
  for (;;) {
    const held = await ownership.claim(name, signal);
    if (held) return held;
    await delay(10);
  }
}

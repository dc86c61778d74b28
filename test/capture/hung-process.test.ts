import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { watchForHang } from '../../src/capture/hung-process.ts';
import { eventually, within } from '../support/eventually.ts';

const idleMs = 300;

/** A process that computes for ever, and what is seen of it. */
function busy(t: TestContext, mostMs: number) {
  const child = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const pid = child.pid!;
  let wasHung = false;
  let stop = () => {};
  const hung = new Promise<void>((resolve) => {
    stop = watchForHang(pid, { idleMs, mostMs }, () => {
      wasHung = true;
      resolve();
    });
  });
  t.after(stop);
  return { child, pid, hung, wasHung: () => wasHung };
}

test('a process that goes on does not hang, however long it takes; one that has stopped does', async (t) => {
  const { child, pid, hung, wasHung } = busy(t, 3_600_000);
  const ticks = async () =>
    Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ')[11]);
  // A second of processor time is more than three times the limit.
  await eventually('it has computed for a second', async () => (await ticks()) >= 100, 120_000);
  assert.equal(wasHung(), false);
  child.kill('SIGSTOP');
  await within('it hangs', hung);
});

test('a process that goes on is given up when it has had all the time there is', async (t) => {
  const { hung } = busy(t, 900);
  await within('it is given up', hung);
});

test('a process that is gone, or that nothing is known of, hangs by the clock', async () => {
  const child = spawn('true');
  await new Promise((resolve) => child.once('close', resolve));
  const hung = new Promise<void>(
    (resolve) => void watchForHang(child.pid!, { idleMs, mostMs: 3_600_000 }, resolve),
  );
  await within('it hangs', hung);
});

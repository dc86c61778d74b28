import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { uploadLocks } from '../../src/http/uploads/upload-locks.ts';
import { toProblem } from '../../src/http/to-problem.ts';
import { away } from '../../src/storage/blobs/blobs.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';

const id = '0'.repeat(32);
const never = new AbortController().signal;

test('one node at a time takes an upload; the other waits, and gives up after a bounded time', async () => {
  const shared = sharedOwnership();
  const nodes = [shared.node(), shared.node()] as const;
  const first = uploadLocks(nodes[0]).newLock(id);
  await first.lock(never, () => {});
  const hasty = uploadLocks(nodes[1], 20);
  const refused = hasty.newLock(id);
  await assert.rejects(
    refused.lock(never, () => {}),
    { body: /timeout/ },
  );
  await refused.unlock();
  // What was refused holds nothing back, neither there nor here.
  const patient = uploadLocks(nodes[1]).newLock(id);
  const waiting = patient.lock(never, () => {});
  await first.unlock();
  await waiting;
  await patient.unlock();
  const again = hasty.newLock(id);
  await again.lock(never, () => {});
  await again.unlock();
});

test('a node that is cut off from the locks lets its upload go', async () => {
  const shared = sharedOwnership();
  const node = shared.node();
  let asked = 0;
  const mine = uploadLocks(node).newLock(id);
  await mine.lock(never, () => void (asked += 1));
  node.cutOff();
  assert.equal(asked, 1);
  const other = uploadLocks(shared.node()).newLock(id);
  await other.lock(never, () => {});
  // The one that lost it takes nothing from the one that has it.
  await mine.unlock();
  await assert.rejects(
    uploadLocks(shared.node(), 20)
      .newLock(id)
      .lock(never, () => {}),
    { body: /timeout/ },
  );
  await other.unlock();
});

test('a wait ends also when memory is collected meanwhile (nodejs/node#57736)', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const node = sharedOwnership().node();
  const locks = uploadLocks(node, 200);
  const mine = locks.newLock(id);
  await mine.lock(never, () => {});
  // At the same node, and at another.
  const elsewhere = uploadLocks(node, 200);
  const waits = [locks, elsewhere].map((of) => of.newLock(id).lock(never, () => {}));
  const ended = Promise.allSettled(waits);
  await wait(0);
  collect();
  // Ends the test where nothing else would.
  const limit = new AbortController();
  const late = wait(20_000, 'still waiting', { signal: limit.signal }).catch(() => 'in time');
  const outcome = await Promise.race([ended, late]);
  limit.abort();
  assert.deepEqual(Array.isArray(outcome) ? outcome.map(({ status }) => status) : outcome, [
    'rejected',
    'rejected',
  ]);
  await mine.unlock();
});

test('files that are away are a problem that passes, and does not say where they are', () => {
  const { status, type, headers, message } = toProblem(away('/mnt/notes', 'directory'));
  assert.deepEqual([status, type], [503, 'files-unavailable']);
  assert.equal(headers['Retry-After'], '5');
  assert.doesNotMatch(message, /mnt/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyError, type KeyStore } from '../../events/key-store.ts';
import type { Projection, ProjectionStorage } from '../../projections/runner/projection.ts';
import { sealedRows } from '../../src/storage/sealed-rows.ts';
import { memoryProjectionStorage, rowsOf } from '../support/memory-projection-storage.ts';
import { memoryKeys } from '../support/memory-store.ts';

const word = 'Zwetschgenkuchen';

/** `t/<subject>` is sealed as a whole, `r/<subject>` but for its state, `l/…` is not. */
const view: Pick<Projection, 'name' | 'seal'> = {
  name: 'view',
  seal(key) {
    const [kind, subject = ''] = key.split('/');
    if (kind === 'r') return { subject, open: ['state'] };
    return kind === 't' ? { subject } : undefined;
  },
};

test('rows are sealed below and read as they were written', async () => {
  const { plain, storage, put } = await world();
  const whole = Array.from({ length: 5000 }, (_, index) => `${word} ${index}`);
  await put({ 'r/a': { state: 'idle', title: word }, 't/a': whole, 'l/a': 1, 't/b': word });
  assert.doesNotMatch(JSON.stringify(await rowsOf(plain, 'view')), new RegExp(word));
  const expected = { 'l/a': 1, 'r/a': { state: 'idle', title: word }, 't/a': whole, 't/b': word };
  assert.deepEqual(await rowsOf(storage, 'view'), expected);
  assert.deepEqual(await storage.get('view', 'r/a'), expected['r/a']);
  assert.deepEqual(await storage.getMany('view', ['t/b', 'none', 'l/a']), [word, undefined, 1]);
  await put({ 't/b': undefined });
  assert.equal(await storage.get('view', 't/b'), undefined);
});

test('with its key erased only the open fields of a row are left, and nothing is written but them', async () => {
  const { plain, storage, put, keys, problems } = await world();
  await put({ 'r/a': { state: 'idle', title: word }, 't/a': word, 'r/b': { state: 'idle' } });
  await keys.forget('a');
  const left = { 'r/a': { state: 'idle' }, 'r/b': { state: 'idle' } };
  assert.deepEqual(await rowsOf(storage, 'view'), left);
  await put({ 'r/a': { state: 'erased', title: word }, 't/a': word });
  assert.deepEqual(await storage.get('view', 'r/a'), { state: 'erased' });
  assert.equal(await storage.get('view', 't/a'), undefined);
  assert.doesNotMatch(JSON.stringify(await rowsOf(plain, 'view')), new RegExp(word));
  assert.deepEqual(problems, [], 'an erasure is nothing to report');
});

test('what was written after an erasure is nothing to report where it is not known of yet', async () => {
  const { plain, storage, put, keys } = await world();
  await put({ 'r/a': { state: 'idle', title: word } });
  const key = await keys.find('a');
  await keys.forget('a');
  await put({ 'r/a': { state: 'erased', title: word } });
  const problems: unknown[] = [];
  const elsewhere = sealedRows(plain, {
    keys: { find: async () => key },
    projections: [view],
    report: (problem) => problems.push(problem),
  });
  assert.deepEqual(await elsewhere.get('view', 'r/a'), { state: 'erased' });
  assert.deepEqual(await storage.get('view', 'r/a'), { state: 'erased' });
  assert.deepEqual(problems, []);
});

test('a row whose key is damaged or missing harms only itself, and is reported once', async () => {
  for (const code of ['DAMAGED', 'MISSING'] as const) {
    const { storage, put, problems, harm } = await world();
    await put({
      'r/a': { state: 'idle', title: word },
      't/a': word,
      'r/b': { state: 'busy', title: word },
    });
    harm('a', code);
    assert.deepEqual(await rowsOf(storage, 'view'), {
      'r/a': { state: 'idle', unreadable: true },
      'r/b': { state: 'busy', title: word },
    });
    assert.deepEqual(
      problems.map(({ subject }) => subject),
      ['a'],
    );
    await put({ 'r/a': { state: 'error', title: word, unreadable: true } });
    assert.deepEqual(await storage.get('view', 'r/a'), { state: 'error', unreadable: true });
  }
});

test('a sealed row opens in its own place only', async () => {
  const { plain, storage, put, problems } = await world();
  await put({ 'r/a': { state: 'idle', title: word }, 't/a': word });
  const sealed = await plain.get<{ sealed: string }>('view', 't/a');
  await plain.commit(
    'view',
    { version: 1, position: 2 },
    new Map([['r/a', { open: { state: 'x' }, ...sealed }]]),
  );
  assert.deepEqual(await storage.get('view', 'r/a'), { state: 'x', unreadable: true });
  assert.equal(problems.length, 1);
});

test('keys that cannot be read now stop a commit, and it can be tried again', async () => {
  const { storage, put, harm } = await world();
  await put({ 't/a': word });
  harm('a', 'EIO');
  await assert.rejects(put({ 't/a': 'other' }), { code: 'BUSY', retriable: true });
  await assert.rejects(storage.get('view', 't/a'), { code: 'BUSY' });
  harm('a', undefined);
  assert.equal(await storage.get('view', 't/a'), word);
});

async function world() {
  const keys = memoryKeys();
  for (const subject of ['a', 'b']) await keys.obtain(subject);
  const harmed = new Map<string, 'DAMAGED' | 'MISSING' | 'EIO' | undefined>();
  const found: Pick<KeyStore, 'find'> = {
    async find(subject) {
      const code = harmed.get(subject);
      if (code === 'EIO') throw Object.assign(new Error('the disk says no'), { code });
      if (code) throw new KeyError(code, `The key of ${subject} is ${code}`);
      return await keys.find(subject);
    },
  };
  const plain = memoryProjectionStorage();
  const problems: { subject: string; message: string }[] = [];
  const storage: ProjectionStorage = sealedRows(plain, {
    keys: found,
    projections: [view],
    report: (problem) => problems.push(problem),
  });
  return {
    plain,
    storage,
    keys,
    problems,
    harm: (subject: string, code: 'DAMAGED' | 'MISSING' | 'EIO' | undefined) =>
      void harmed.set(subject, code),
    put: (rows: Record<string, unknown>) =>
      storage.commit('view', { version: 1, position: 1 }, new Map(Object.entries(rows))),
  };
}

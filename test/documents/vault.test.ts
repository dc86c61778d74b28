import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { documentPaths } from '../../src/documents/documents.ts';
import { openSpace } from '../../src/documents/space.ts';
import { copyIntoVault, removeFromVault } from '../../src/documents/vault.ts';
import type { Kept, KeptKind } from '../../src/storage/kept.ts';
import { memoryKept } from '../support/memory-kept.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a note that a person saves while it is copied stays, and ours is put beside it', async (t) => {
  const dataDir = await tempDir(t);
  const vault = join(await tempDir(t), 'Notes');
  await mkdir(vault);
  const space = await openSpace(dataDir, 'ada');
  const { index } = documentPaths('2026-11-21 09.05 Talk');
  const theirs = join(vault, index);
  await writeFile(join(space.root, index), 'ours');
  await writeFile(theirs, 'mine');
  const inner = memoryKept(() => new Date());
  const kept: Kept = {
    ...inner,
    of(kind) {
      const rows = inner.of(kind);
      return {
        ...rows,
        // Behind the first look at the note.
        async get(key) {
          if (kind.name === 'vault-folders') await rm(theirs, { force: true });
          return await rows.get(key);
        },
        // Behind the last one.
        async change(keys, decide) {
          const result = await rows.change(keys, decide);
          if (kind.name === 'vault-copies' && (await readdir(vault)).length === 0)
            await writeFile(theirs, 'my own words');
          return result;
        },
      };
    },
  };
  const { copied, conflicts } = await copyIntoVault(space, vault, [index], { dataDir, kept });
  assert.equal(await readFile(theirs, 'utf8'), 'my own words');
  assert.deepEqual([copied, conflicts.map(({ path }) => path)], [[index], [index]]);
  assert.equal(await readFile(join(vault, conflicts[0]!.copy), 'utf8'), 'ours');
  assert.equal((await readdir(vault)).length, 2);
});

test('what another user has in the same folder is found by its place, not among all copies', async (t) => {
  const dataDir = await tempDir(t);
  const vault = join(dataDir, 'vault');
  await mkdir(vault);
  const memory = memoryKept(() => new Date());
  const listed: string[] = [];
  const kept: Kept = {
    ...memory,
    of<V>(kind: KeptKind<V>) {
      const rows = memory.of(kind);
      const list = (prefix: string) => {
        listed.push(`${kind.name} ${prefix}`);
        return rows.list(prefix);
      };
      return { ...rows, list };
    },
  };
  const records = { dataDir, kept };
  for (const user of ['ada', 'ben']) {
    const root = join(dataDir, user);
    await mkdir(root);
    await writeFile(join(root, 'Plan.md'), `of ${user}`);
    await copyIntoVault({ root, user }, vault, ['Plan.md'], records);
  }
  // Ben's is where Ada's was.
  const plan = join(vault, 'Plan.md');
  await writeFile(plan, 'of ben');
  const { left, away } = await removeFromVault('ada', vault, ['Plan.md'], records);
  assert.deepEqual([left, away], [[], []]);
  assert.equal(await readFile(plan, 'utf8'), 'of ben');
  assert.ok(!listed.includes('vault-copies '), listed.join(', '));
});

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyIntoVault, removeFromVault } from '../../src/documents/vault.ts';
import type { Kept, KeptKind } from '../../src/storage/kept.ts';
import { memoryKept } from '../support/memory-kept.ts';
import { tempDir } from '../support/temp-dir.ts';

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

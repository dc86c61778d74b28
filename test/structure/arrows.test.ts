import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { wrongImports } from './imports.ts';

const root = join(import.meta.dirname, '../..');

test('imports point inwards only', async () => {
  assert.deepEqual(await wrongImports(root), []);
});

for (const [path, source, complaint] of [
  ['events/a.ts', `import { x } from '../machines/b.ts';`, '../machines/b.ts'],
  ['machines/a.ts', `import type { X } from '../projections/b.ts';`, '../projections/b.ts'],
  ['machines/sub/a.ts', `export * from '../../src/b.ts';`, '../../src/b.ts'],
  ['machines/a.ts', `import { readFile } from 'node:fs/promises';`, 'node:fs/promises'],
  ['projections/a.ts', `const b = await import('../machines/b.ts');`, '../machines/b.ts'],
  ['projections/a.ts', `import 'node:fs';`, 'node:fs'],
  ['web/a.ts', `import { x } from '../src/b.ts';`, '../src/b.ts'],
] as const) {
  test(`the check notices ${path}: ${source}`, async () => {
    const tree = await mkdtemp(join(tmpdir(), 'arrows-'));
    try {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), source);
      assert.deepEqual(await wrongImports(tree), [`${path} imports ${complaint}`]);
    } finally {
      await rm(tree, { recursive: true });
    }
  });
}

test('the top level holds the folders that were agreed on and no others', async () => {
  const folders = (await readdir(root, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .filter((name) => !['node_modules', 'dist'].includes(name));
  assert.deepEqual(folders.toSorted(), ['events', 'machines', 'projections', 'src', 'test', 'web']);
});

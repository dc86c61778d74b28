import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';
import { wrongImports } from './imports.ts';

const root = join(import.meta.dirname, '../..');

test('imports point down the floors only', async () => {
  assert.deepEqual(await wrongImports(root), []);
});

for (const [path, source, complaint] of [
  ['events/a.ts', `import { x } from '../machines/b.ts';`, '../machines/b.ts'],
  ['events/a.ts', `import { x } from '../src/config/b.ts';`, '../src/config/b.ts'],
  ['machines/a.ts', `import type { X } from '../projections/b.ts';`, '../projections/b.ts'],
  ['machines/a.ts', `import { x } from '../src/shared/retry.ts';`, '../src/shared/retry.ts'],
  ['machines/sub/a.ts', `export * from '../../src/b.ts';`, '../../src/b.ts'],
  ['machines/a.ts', `import { readFile } from 'node:fs/promises';`, 'node:fs/promises'],
  ['projections/a.ts', `const b = await import('../machines/b.ts');`, '../machines/b.ts'],
  ['projections/a.ts', `import 'node:fs';`, 'node:fs'],
  ['web/a.ts', `import { x } from '../src/b.ts';`, '../src/b.ts'],
  ['src/shared/audio-uplink.ts', `import { x } from './errors.ts';`, './errors.ts'],
  ['src/shared/a.ts', `import { x } from '../../events/b.ts';`, '../../events/b.ts'],
  ['src/recordings/a.ts', `import { x } from '../http/b.ts';`, '../http/b.ts'],
  ['src/http/routes/a.ts', `import { x } from '../../main.ts';`, '../../main.ts'],
  ['src/search/a.ts', `import { x } from '../export/b.ts';`, '../export/b.ts'],
  [
    'src/http/a.ts',
    `import { x } from '../../events/log/level-log.ts';`,
    '../../events/log/level-log.ts',
  ],
  [
    'src/integrity/a.ts',
    `import { x } from '../../events/log/streams.ts';`,
    '../../events/log/streams.ts',
  ],
  ['src/new-folder/a.ts', `import { x } from '../shared/b.ts';`, '../shared/b.ts'],
] as const) {
  test(`the check notices ${path}: ${source}`, async (t) => {
    const tree = await tempDir(t);
    await write(tree, path, source);
    assert.deepEqual(await wrongImports(tree), [`${path} imports ${complaint}`]);
  });
}

test('the check lets pass what points down', async (t) => {
  const tree = await tempDir(t);
  await write(tree, 'src/main.ts', `import './service/pipeline.ts'; import './http/app.ts';`);
  await write(
    tree,
    'src/http/routes/a.ts',
    `import '../body.ts'; import '../../search/search.ts';`,
  );
  await write(tree, 'web/client/a.ts', `import '../../src/shared/audio-uplink.ts';`);
  await write(tree, 'projections/a.ts', `import '../src/shared/b.ts'; import 'lru-cache';`);
  await write(tree, 'src/config/a.ts', `import '../../projections/config.ts'; import 'node:fs';`);
  assert.deepEqual(await wrongImports(tree), []);
});

test('the top level holds the folders that were agreed on and no others', async () => {
  const folders = (await readdir(root, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .filter((name) => !['node_modules', 'dist'].includes(name));
  assert.deepEqual(folders.toSorted(), ['events', 'machines', 'projections', 'src', 'test', 'web']);
});

async function write(tree: string, path: string, source: string): Promise<void> {
  await mkdir(dirname(join(tree, path)), { recursive: true });
  await writeFile(join(tree, path), source);
}

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';

const root = join(import.meta.dirname, '../..');
const folders = ['events', 'machines', 'projections', 'src', 'test', 'web'];

test('every source file that a page of a folder names exists', async () => {
  const { named, missing } = await namedFiles(root);
  assert.ok(named > 200, `${named} names found`);
  assert.deepEqual(missing, []);
});

test('the check notices a name without a file, and knows the ways to name one', async (t) => {
  const tree = await tempDir(t);
  const write = async (path: string, text: string) => {
    await mkdir(join(tree, posix.dirname(path)), { recursive: true });
    await writeFile(join(tree, path), text);
  };
  await write('src/http/routes/uploads.ts', '');
  await write('events/store.ts', '');
  await write('src/README.md', '`http/routes/uploads.ts` `http/uploads.ts` `../events/store.ts`\n');
  await write('src/http/decisions.md', '`gone.ts`\n');
  await write(
    'src/http/README.md',
    '`uploads.ts`, `events/store.ts`, `store.ts` and `x.test.ts`\n',
  );
  assert.deepEqual((await namedFiles(tree)).missing, [
    'src/README.md names http/uploads.ts',
    'src/http/README.md names store.ts',
    'src/http/README.md names x.test.ts',
    'src/http/decisions.md names gone.ts',
  ]);
});

/**
 * Names of source files in the folders' pages (README.md, decisions.md, …), and those that are of no file: a path from
 * the page's folder, from `src` or from the top; a bare name of a file below the page's folder, of any in
 * `src/README.md`, which walks through the whole house.
 */
async function namedFiles(tree: string): Promise<{ named: number; missing: string[] }> {
  const files = new Set<string>();
  for (const folder of folders) {
    const names = await readdir(join(tree, folder), { recursive: true }).catch(() => []);
    for (const name of names) files.add(posix.join(folder, name));
  }
  let named = 0;
  const missing = new Set<string>();
  const isPage = (path: string) => path.endsWith('.md') && !path.includes('/fixtures/');
  for (const page of [...files].filter(isPage).toSorted()) {
    const folder = posix.dirname(page);
    const text = await readFile(join(tree, page), 'utf8');
    for (const [, name = ''] of text.matchAll(/`([a-z\d./-]+\.ts)`/g)) {
      named += 1;
      const paths = [posix.join(folder, name), posix.join('src', name), posix.normalize(name)];
      const isBare = !name.includes('/');
      const isBelow = (path: string) =>
        (folder === 'src' || path.startsWith(`${folder}/`)) && path.endsWith(`/${name}`);
      if (paths.some((path) => files.has(path)) || (isBare && [...files].some(isBelow))) continue;
      missing.add(`${page} names ${name}`);
    }
  }
  return { named, missing: [...missing] };
}

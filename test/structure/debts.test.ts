import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';
import { compare, debtsOf, listPath, type Debts } from './debts.ts';

const root = join(import.meta.dirname, '../..');
const none: Debts = { longFunctions: {}, longFiles: {}, names: {} };

test('no function over 70 lines, no file over 400, no name exported twice, but those that are listed', async () => {
  const listed = JSON.parse(await readFile(listPath, 'utf8')) as Debts;
  const { added, paid } = compare(await debtsOf(root), listed);
  assert.deepEqual(added, [], 'make it smaller, or commit it: npm run debts -- --add');
  assert.deepEqual(paid, [], 'these are paid: npm run debts takes them out of the list');
});

const lines = (count: number, line: string) => `${line}\n`.repeat(count);
for (const [what, files, complaint] of [
  [
    'a long function',
    { 'src/a.ts': `export function long() {\n${lines(69, '  void 0;')}}\n` },
    'src/a.ts long has 71 lines',
  ],
  [
    'a long function without a name',
    { 'src/a.ts': `[1].map(() => {\n${lines(70, '  void 0;')}});\n` },
    'src/a.ts (without a name) has 72 lines',
  ],
  ['a long file', { 'events/a.ts': lines(401, 'void 0;') }, 'events/a.ts has 401 lines'],
  [
    'a long component',
    { 'web/A.svelte': `<script lang="ts">\n  void 0;\n</script>\n${lines(398, '<br />')}` },
    'web/A.svelte has 401 lines',
  ],
  [
    'a long function of a component',
    { 'web/A.svelte': `<script>\nfunction long() {\n${lines(69, '  void 0;')}}\n</script>\n` },
    'web/A.svelte long has 71 lines',
  ],
  [
    'a name in two files',
    { 'src/a.ts': 'export type Same = 1;\n', 'machines/b.ts': 'export const Same = 2;\n' },
    'Same is exported by machines/b.ts and src/a.ts',
  ],
] as const) {
  test(`the check notices ${what}`, async (t) => {
    const tree = await tempDir(t);
    for (const [path, source] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), source);
    }
    const now = await debtsOf(tree);
    assert.deepEqual(compare(now, none), { added: [complaint], paid: [] });
    assert.deepEqual(compare(now, now), { added: [], paid: [] });
    assert.equal(compare(none, now).paid.length, 1);
  });
}

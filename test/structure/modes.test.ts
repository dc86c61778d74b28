import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/**
 * What knows whether one process has the log or many nodes share it: the ports' adapters, what opens them, and what works
 * on one of them by its name (a cluster's doctor, the files of LevelDB, commands of the host).
 */
const mayAsk = [
  'events/log/',
  'events/ownership.ts',
  'src/storage/',
  'src/service/',
  'src/integrity/',
  'src/doctor/',
  'src/cli/',
  'src/shared/cluster-settings.ts',
  'src/shared/data-directory.ts',
  // Sentences name the database to whoever runs one.
  'src/words/',
];

/** Words of code that asks which it is, or forks on it. */
const modes =
  /\b(is_?shared|is_?alone|sole\w*|postgres\w*|level_?(db|log|store)\w*|advisory\w*)\b|\bcluster\b\s*([!=]==|\?\s)|!\s*\w*\.?cluster\b/i;

test('nothing above the ports asks whether one process has the log or many nodes share it', async () => {
  const lines: string[] = [];
  for (const folder of ['events', 'machines', 'projections', 'src']) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      const path = join(folder, name);
      if (!path.endsWith('.ts') || mayAsk.some((place) => path.startsWith(place))) continue;
      const code = withoutComments(await readFile(join(root, path), 'utf8'));
      for (const line of code.split('\n')) if (modes.test(line)) lines.push(`${path}: ${line}`);
    }
  }
  assert.deepEqual(lines, []);
});

test('the check notices a fork, and lets comments pass', () => {
  for (const line of [
    'if (store.isShared) await readOn();',
    'others: standing.isAlone ? null : nodes,',
    'const { ownership = soleOwnership() } = deps;',
    'if (cluster === null) return;',
    'const rows = postgresRows(db);',
  ])
    assert.match(withoutComments(line), modes);
  for (const line of [
    '// PostgreSQL says so',
    ' * as LevelDB has it',
    'const nodes = (await cluster?.nodes()) ?? [];',
    'const { absolute, resolved } = path;',
  ])
    assert.doesNotMatch(withoutComments(line), modes);
});

const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*(\/\/|\*).*$/gm, '');

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { neededBy } from './needed-by.ts';

const root = join(import.meta.dirname, '../..');

/** What the first question to a server waits for: many small files, else. */
const loadedWithServers = ['openai', 'undici'];
/** One that is added here is waited for at every start. */
const loadedAtStart = [
  '@koa/router',
  'koa',
  'level',
  'lru-cache',
  'p-limit',
  'pino',
  'prom-client',
  'proxy-addr',
  'range-parser',
  'ulid',
  'ws',
  'xstate',
  'zod',
];

test('the start loads these packages and no others', async () => {
  const { packages } = await neededBy(root, 'src/cli/serve.ts');
  assert.deepEqual(packages, loadedAtStart);
});

test('what the start loads is built into one file, but for the native part', async () => {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  const { builtIn } = JSON.parse(text) as { builtIn: string[] };
  assert.deepEqual(
    [...builtIn, 'level'].toSorted(),
    [...loadedAtStart, ...loadedWithServers].toSorted(),
  );
});

for (const path of [
  'src/cli/program.ts',
  'src/export/word-file.ts',
  'src/http/openapi/document.ts',
  'src/http/uploads/resumable-uploads.ts',
  'src/integrity/backup.ts',
  'src/integrity/export-log.ts',
  'src/integrity/restore.ts',
  'src/language/openai-model.ts',
  'src/recordings/stages/attribute.ts',
  'src/recordings/stages/diarize.ts',
  'src/recordings/stages/finish.ts',
  'src/recordings/stages/transcribe.ts',
  'src/recordings/stages/write.ts',
  'src/recordings/replay-from.ts',
  'src/search/search.ts',
  'src/speech/choose-engine.ts',
]) {
  test(`the start does not wait for ${path}`, async () => {
    assert.ok(existsSync(join(root, path)), 'a part that is there');
    const { files } = await neededBy(root, 'src/cli/serve.ts');
    assert.ok(!files.includes(path), `${files.length} files, and this one among them`);
  });
}

test('zod is imported so that its parts can be told apart', async () => {
  const { files } = await neededBy(root, 'src/cli/serve.ts');
  for (const file of files) {
    const source = await readFile(join(root, file), 'utf8');
    // By `import { z }` come all its forty languages.
    assert.doesNotMatch(source, /^import (?!type)\{[^}]*\bz\b[^}]*\} from 'zod'/m, file);
  }
});

import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';
import { seed } from '../support/seeded.ts';
import { specimen } from './damaged-files.ts';

for (const [what, ending] of [
  ['CURRENT', 'CURRENT'],
  ['a manifest', /^MANIFEST/],
  ['a table', '.ldb'],
  ['the newest facts', '.log'],
] as const) {
  for (const how of ['missing', 'empty'] as const) {
    test(`a log in which ${what} is ${how} is not taken for a whole one`, async (t) => {
      const { files, harm } = await specimen(await tempDir(t), 60, seed);
      const names =
        typeof ending === 'string'
          ? await files(ending)
          : (await files('')).filter((name) => ending.test(name));
      for (const name of names) {
        const verdict = await harm((directory) => {
          const path = join(directory, name);
          return how === 'missing' ? rm(path) : writeFile(path, '');
        });
        assert.ok(verdict === 'refused' || verdict === 'damaged', `${name}: ${verdict}`);
      }
    });
  }
}

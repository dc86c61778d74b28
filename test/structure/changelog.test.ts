import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageVersion } from '../../src/shared/package.ts';

const root = join(import.meta.dirname, '../..');
const wordsMax = 25;

test('the change log has this version on top, and so have the packages', async () => {
  const releases = [...(await changelog()).matchAll(/^## \[(.+?)\](?: - (\S+))?$/gm)];
  assert.equal(releases[0]?.[1], 'Unreleased');
  assert.equal(releases[1]?.[1], packageVersion());
  for (const [, name, day] of releases.slice(1)) assert.match(day ?? '', /^\d{4}-\d\d-\d\d$/, name);
  const news = await readFile(join(root, 'web/app/news.ts'), 'utf8');
  const [told] = /(?<=newest = ')\d+\.\d+/.exec(news) ?? [];
  assert.equal(told, packageVersion().replace(/\.\d+$/, ''), 'the pages tell of this release');
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    version: string;
    packages: { '': { version: string } };
  };
  assert.deepEqual([lock.version, lock.packages[''].version], [packageVersion(), packageVersion()]);
});

test('an entry of the change log is one line of at most 25 words, below an area', async () => {
  const lines = (await changelog()).split('\n').slice(5);
  const entries = lines.filter((line) => line.startsWith('- '));
  assert.ok(entries.length > 100, `${entries.length} entries`);
  const long = entries.filter((line) => line.slice(2).split(/\s+/).length > wordsMax);
  assert.deepEqual(long, []);
  assert.deepEqual(
    lines.filter((line) => /^\s+\S/.test(line)),
    [],
    'an entry has one line',
  );
});

const changelog = async () => await readFile(join(root, 'CHANGELOG.md'), 'utf8');

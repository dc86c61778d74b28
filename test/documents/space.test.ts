import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  link,
  mkdir,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { deleteDocument, temporaryName } from '../../src/documents/write.ts';
import {
  type FolderSpace,
  listTaken,
  openSpace,
  readDocument,
  resolveInSpace,
} from '../../src/documents/space.ts';
import { tempDir } from '../support/temp-dir.ts';
import { fc } from '../support/properties.ts';
import { times } from '../support/seeded.ts';

const outside = { name: 'ConfinementError', code: 'OUTSIDE_SPACE' };

test('a space is a folder of the user’s own', async (t) => {
  const { data, space } = await ours(t);
  assert.equal(space.root, join(data, 'spaces', '01ANNA'));
  assert.equal((await stat(space.root)).mode & 0o777, 0o700);
  assert.deepEqual(await openSpace(data, '01ANNA'), space);
  for (const user of ['', '.', '..', 'a/b', '../x', 'a\u0000', 'ä', 'x'.repeat(65), '-x']) {
    await assert.rejects(openSpace(data, user), outside);
  }
});

test('a space that is a link is refused', async (t) => {
  const { data } = await ours(t);
  await symlink('/', join(data, 'spaces', 'eve'));
  await assert.rejects(openSpace(data, 'eve'), outside);
});

test('a document is read with its hash; what is not there is undefined', async (t) => {
  const { space } = await ours(t);
  const document = await readDocument(space, 'talk/transkript.md');
  assert.equal(document?.bytes.toString(), 'said');
  assert.equal(document?.sha256, createHash('sha256').update('said').digest('hex'));
  for (const none of ['nothing.md', 'talk/nothing.md', 'no/such/folder.md', 'talk', 'talk.md/x']) {
    assert.equal(await readDocument(space, none), undefined);
  }
});

test('names that lead out, or would on some system, are refused', async (t) => {
  const { space } = await ours(t);
  const names = [
    '',
    '/',
    '..',
    '.',
    '../bert/secret.md',
    'talk/../../bert/secret.md',
    '/etc/passwd',
  ];
  names.push('//etc/passwd', '..\\bert\\secret.md', 'C:\\x', 'C:x', '~/x', '~root/x', 'talk.md/');
  names.push(
    'talk//transkript.md',
    './talk.md',
    'talk.md\u0000.png',
    'a\nb',
    'talk.md.',
    'talk.md ',
  );
  names.push('CON', 'nul.md', 'com1.txt', 'LPT¹', 'talk.md::$DATA', '.hidden', '.obsidian/x.json');
  names.push('x'.repeat(256), 'a/'.repeat(9) + 'b', '\uD800.md');
  for (const name of names) {
    await assert.rejects(readDocument(space, name), outside, JSON.stringify(name));
    await assert.rejects(deleteDocument(space, name), outside, JSON.stringify(name));
    await assert.rejects(resolveInSpace(space, name), outside, JSON.stringify(name));
  }
});

test('links are refused wherever they stand and wherever they lead', async (t) => {
  const { data, space } = await ours(t);
  await symlink(join(data, 'spaces', 'bert'), join(space.root, 'folder'));
  await symlink(join(data, 'spaces', 'bert', 'secret.md'), join(space.root, 'file.md'));
  await symlink('talk.md', join(space.root, 'inside.md'));
  await symlink('nowhere', join(space.root, 'dangling.md'));
  await symlink('talk', join(space.root, 'again'));
  const links = ['folder/secret.md', 'file.md', 'inside.md', 'dangling.md', 'again/transkript.md'];
  for (const name of [...links, 'again']) {
    await assert.rejects(resolveInSpace(space, name), outside, name);
    await assert.rejects(readDocument(space, name), outside, name);
    if (name !== 'again') await assert.rejects(deleteDocument(space, name), outside, name);
  }
  assert.equal(await readFile(join(data, 'spaces/bert/secret.md'), 'utf8'), 'secret');
  assert.equal((await readdir(space.root)).length, 7);
});

test('a pipe is refused without waiting for its writer', async (t) => {
  const { space } = await ours(t);
  await promisify(execFile)('mkfifo', [join(space.root, 'pipe.md')]);
  await assert.rejects(readDocument(space, 'pipe.md'), outside);
});

test('a folder that becomes a link while it is used leads nowhere else', async (t) => {
  const { data, space } = await ours(t);
  const folder = join(space.root, 'talk');
  const race = new AbortController();
  const swapping = (async () => {
    while (!race.signal.aborted) {
      await rename(folder, join(space.root, 'aside'));
      await symlink(join(data, 'spaces', 'bert'), folder);
      await rm(folder);
      await rename(join(space.root, 'aside'), folder);
    }
  })();
  try {
    for (let round = 0; round < 500; round += 1) {
      assert.equal(await orRefused(readDocument(space, 'talk/secret.md')), undefined);
      assert.deepEqual((await orRefused(deleteDocument(space, 'talk/secret.md'))) ?? [], []);
    }
  } finally {
    race.abort();
    await swapping;
  }
});

test('thousands of nasty names: nothing outside the space is read, changed or deleted', async (t) => {
  const { data, space } = await ours(t);
  await symlink(join(data, 'spaces', 'bert'), join(space.root, 'folder'));
  const before = await outsideOf(data, space);
  const inside = new Set(['index', 'said', 'sum']);
  await fc.assert(
    fc.asyncProperty(nastyPath, async (name) => {
      const document = await orRefused(readDocument(space, name));
      if (document) assert.ok(inside.has(document.bytes.toString()));
      const path = await orRefused(resolveInSpace(space, name));
      if (path !== undefined) assert.doesNotMatch(relative(space.root, path), /^\.\.|^\//u);
      await orRefused(deleteDocument(space, name));
    }),
    { numRuns: times({ short: 1000, long: 10_000 }) },
  );
  assert.deepEqual(await outsideOf(data, space), before);
});

test('a document that is too large to be one is not read', async (t) => {
  const { space } = await ours(t);
  await writeFile(join(space.root, 'huge.md'), Buffer.alloc(10 * 1024 * 1024 + 1));
  await assert.rejects(readDocument(space, 'huge.md'), { code: 'DOCUMENT_TOO_LARGE' });
});

test('deleting a document deletes it, deleting the index all three', async (t) => {
  const { space } = await ours(t);
  assert.deepEqual(await deleteDocument(space, 'talk/transkript.md'), ['talk/transkript.md']);
  assert.deepEqual((await readdir(space.root)).toSorted(), ['talk', 'talk.md']);
  assert.deepEqual(await deleteDocument(space, 'talk/transkript.md'), []);
  await writeFile(join(space.root, 'talk', temporaryName('talk/transkript.md')), 'half');
  assert.deepEqual(await deleteDocument(space, 'talk.md'), ['talk/zusammenfassung.md', 'talk.md']);
  assert.deepEqual(await readdir(space.root), []);
  assert.deepEqual(await deleteDocument(space, 'talk.md'), []);
});

test('what a person keeps beside the documents stays', async (t) => {
  const { space } = await ours(t);
  await writeFile(join(space.root, 'talk', 'mine.md'), 'mine');
  await deleteDocument(space, 'talk.md');
  assert.deepEqual(await readdir(join(space.root, 'talk')), ['mine.md']);
});

test('taken names are those of files and folders, in any case', async (t) => {
  const { space } = await ours(t);
  await mkdir(join(space.root, 'Größe'));
  const taken = await listTaken(space);
  for (const base of ['talk', 'TALK', 'größe', 'GRÖSSE', 'Gro\u0308\u00DFe'])
    assert.ok(taken.has(base));
  assert.equal(taken.has('tal'), false);
});

/** Anna's space with the documents of one talk, and beside it Bert's with a secret. */
async function ours(t: TestContext): Promise<{ data: string; space: FolderSpace }> {
  const data = await realpath(await tempDir(t));
  const space = await openSpace(data, '01ANNA');
  const bert = await openSpace(data, 'bert');
  await writeFile(join(bert.root, 'secret.md'), 'secret');
  await link(join(bert.root, 'secret.md'), join(data, 'secret'));
  await mkdir(join(space.root, 'talk'));
  await writeFile(join(space.root, 'talk.md'), 'index');
  await writeFile(join(space.root, 'talk', 'transkript.md'), 'said');
  await writeFile(join(space.root, 'talk', 'zusammenfassung.md'), 'sum');
  return { data, space };
}

/** Every path beside the space with its content. */
async function outsideOf(data: string, space: FolderSpace): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
    const path = join(entry.path, entry.name);
    if (path.startsWith(space.root)) continue;
    found[path] = entry.isFile() ? await readFile(path, 'utf8') : 'folder';
  }
  return found;
}

async function orRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'OUTSIDE_SPACE');
    return undefined;
  }
}

const nastyPath = fc
  .array(
    fc.oneof(
      fc.constantFrom('..', '.', '', '~', 'talk', 'talk.md', 'transkript.md', 'bert', 'secret.md'),
      fc.constantFrom(
        'folder',
        'spaces',
        '..\\',
        '%2e%2e',
        '．．',
        '\u2024.',
        '..\u0000',
        '.. ',
        '...',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .chain((parts) => fc.constantFrom('/', '\\', '//', '/./').map((slash) => parts.join(slash)));

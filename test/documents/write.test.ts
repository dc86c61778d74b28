import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type PerDocument, documentNames, documentPaths } from '../../src/documents/documents.ts';
import { type FolderSpace, openSpace } from '../../src/documents/space.ts';
import { temporaryName, writeDocuments } from '../../src/documents/write.ts';
import { testProgram } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';

const paths = documentPaths('2026-11-21 09.05 Talk');
const first: PerDocument = { index: 'index 1', transcript: 'said 1', summary: 'sum 1' };
const second: PerDocument = { index: 'index 2', transcript: 'said 2', summary: 'sum 2' };

test('the three documents are written, readable by their owner only', async (t) => {
  const { space } = await empty(t);
  const written = await writeDocuments(space, paths, first, null);
  assert.deepEqual(written, []);
  assert.deepEqual(await present(space), first);
  for (const name of documentNames) {
    assert.equal((await stat(join(space.root, paths[name]))).mode & 0o777, 0o600);
  }
  assert.equal((await stat(join(space.root, '2026-11-21 09.05 Talk'))).mode & 0o777, 0o700);
});

test('what is the same is not written again, what is ours is replaced', async (t) => {
  const { space } = await empty(t);
  await writeDocuments(space, paths, first, null);
  const sha256 = hashes(first);
  const before = await stat(join(space.root, paths.index));
  await writeDocuments(space, paths, { ...second, index: first.index }, sha256);
  const after = await stat(join(space.root, paths.index));
  assert.deepEqual([after.ino, after.mtimeMs], [before.ino, before.mtimeMs]);
  assert.deepEqual(await present(space), { ...second, index: first.index });
});

test('what a person changed is kept and told; what a person deleted comes back', async (t) => {
  const { space } = await empty(t);
  await writeDocuments(space, paths, first, null);
  const sha256 = hashes(first);
  await writeFile(join(space.root, paths.summary), 'my own words');
  await unlink(join(space.root, paths.transcript));
  const written = await writeDocuments(space, paths, second, sha256);
  assert.deepEqual(written, ['summary']);
  assert.deepEqual(await present(space), { ...second, summary: 'my own words' });
  const again = await writeDocuments(space, paths, first, hashes(second));
  assert.deepEqual(again, ['summary']);
  assert.deepEqual(await present(space), { ...first, summary: 'my own words' });
});

test('a file that was there before the first save is a person’s', async (t) => {
  const { space } = await empty(t);
  await writeFile(join(space.root, paths.index), 'mine');
  assert.deepEqual(await writeDocuments(space, paths, first, null), ['index']);
  assert.equal(await readFile(join(space.root, paths.index), 'utf8'), 'mine');
});

test('a person who saves while we write wins', async (t) => {
  const { space } = await empty(t);
  await writeDocuments(space, paths, first, null);
  const sha256 = hashes(first);
  const { writeFileSync } = await import('node:fs');
  const written = await writeDocuments(space, paths, second, sha256, (step, document) => {
    if (step === 'sync' && document === 'index') {
      writeFileSync(join(space.root, paths.summary), 'just saved');
    }
  });
  assert.deepEqual(written, ['summary']);
  assert.deepEqual(await present(space), { ...second, summary: 'just saved' });
  assert.deepEqual(await temporaries(space), []);
});

test('a full disk changes nothing, leaves nothing behind, and may be tried again', async (t) => {
  const { space } = await empty(t);
  await writeDocuments(space, paths, first, null);
  const sha256 = hashes(first);
  for (const document of documentNames) {
    const full = (step: string, at?: string) => {
      if (step !== 'write' || at !== document) return;
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    await assert.rejects(writeDocuments(space, paths, second, sha256, full), {
      name: 'StageError',
      code: 'disk-full',
      retriable: true,
    });
    assert.deepEqual(await present(space), first);
    assert.deepEqual(await temporaries(space), []);
  }
  await writeDocuments(space, paths, second, sha256);
  assert.deepEqual(await present(space), second);
});

test('killed at any step, the documents are whole, and writing again leads to the same end', async (t) => {
  const steps: string[] = [];
  const { space: counted } = await empty(t);
  await writeDocuments(counted, paths, first, null);
  const sha256 = hashes(first);
  await writeDocuments(counted, paths, second, sha256, (step) => steps.push(step));
  assert.ok(steps.length >= 12);

  const dirs = await Promise.all(steps.map(() => empty(t)));
  for (const { space } of dirs) await writeDocuments(space, paths, first, null);
  await killedAtEach(dirs.map(({ space }) => space));
  for (const [step, { space }] of dirs.entries()) {
    const left = await present(space);
    for (const name of documentNames) {
      assert.ok([first[name], second[name]].includes(left[name]), `${name} at step ${step}`);
    }
    assert.deepEqual(await writeDocuments(space, paths, second, sha256), []);
    assert.deepEqual(await present(space), second);
    assert.deepEqual(await temporaries(space), []);
  }
});

test('a link or a file where a folder has to be is not written through', async (t) => {
  const { space, data } = await empty(t);
  await mkdir(join(data, 'elsewhere'));
  await symlink(join(data, 'elsewhere'), join(space.root, '2026-11-21 09.05 Talk'));
  await assert.rejects(writeDocuments(space, paths, first, null), { code: 'OUTSIDE_SPACE' });
  await unlink(join(space.root, '2026-11-21 09.05 Talk'));
  await writeFile(join(space.root, '2026-11-21 09.05 Talk'), 'a note without .md');
  await assert.rejects(writeDocuments(space, paths, first, null), { code: 'name-in-use' });
  await unlink(join(space.root, '2026-11-21 09.05 Talk'));
  await mkdir(join(space.root, paths.index));
  await assert.rejects(writeDocuments(space, paths, first, null), { code: 'name-in-use' });
  assert.deepEqual(await readdir(join(data, 'elsewhere')), []);
});

async function empty(t: TestContext): Promise<{ data: string; space: FolderSpace }> {
  const data = await tempDir(t);
  return { data, space: await openSpace(data, '01ANNA') };
}

/** Writes `second` in one process a space, killed (SIGKILL) before its n-th step in the n-th space. */
async function killedAtEach(spaces: FolderSpace[]): Promise<void> {
  const script = testProgram('test/documents/document-writer');
  const kill = (space: FolderSpace, step: number) =>
    new Promise<void>((resolve, reject) => {
      const order = JSON.stringify({ to: [space, paths, second, hashes(first)], n: step });
      execFile(process.execPath, [script, order], (error, _stdout, stderr) => {
        if (error?.signal === 'SIGKILL') resolve();
        else reject(new Error(`step ${step} was not reached: ${stderr}`));
      });
    });
  // Three at a time: starting a process is most of the time it takes.
  for (let at = 0; at < spaces.length; at += 3) {
    await Promise.all(spaces.slice(at, at + 3).map((space, more) => kill(space, at + more)));
  }
}

async function present(space: FolderSpace): Promise<PerDocument> {
  const read = async (path: string) => readFile(join(space.root, path), 'utf8');
  return {
    index: await read(paths.index),
    transcript: await read(paths.transcript),
    summary: await read(paths.summary),
  };
}

async function temporaries(space: FolderSpace): Promise<string[]> {
  const names = await readdir(space.root, { recursive: true });
  const ours = Object.values(paths).map(temporaryName);
  return names.filter((name) => ours.some((temporary) => name.endsWith(temporary)));
}

function hashes(contents: PerDocument): PerDocument {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  return {
    index: hash(contents.index),
    transcript: hash(contents.transcript),
    summary: hash(contents.summary),
  };
}

test('a process that lost its claim replaces nothing any more, and takes nothing away', async (t) => {
  const { space } = await empty(t);
  let isMine = true;
  const assertMine = async (): Promise<void> => {
    if (!isMine) throw new Error('another has it');
  };
  await writeDocuments(space, paths, first, null, undefined, { assertMine });
  const sha256 = hashes(first);
  // It is frozen before the first rename; another one writes, and it wakes.
  const third = { index: 'index 3', transcript: 'said 3', summary: 'sum 3' };
  let written: Promise<unknown> = Promise.resolve();
  const late = writeDocuments(
    space,
    paths,
    second,
    sha256,
    (step) => {
      if (step !== 'rename' || !isMine) return;
      isMine = false;
      written = writeDocuments(space, paths, third, sha256, undefined, {
        assertMine: async () => {},
      });
    },
    {
      async assertMine() {
        await written;
        await assertMine();
      },
    },
  );
  await assert.rejects(late, /another has it/);
  await written;
  assert.deepEqual(await present(space), third);
  const names = await readdir(space.root, { recursive: true });
  assert.deepEqual(
    names.filter((name) => name.includes('.tmp')),
    [],
  );
});

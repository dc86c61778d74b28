import assert from 'node:assert/strict';
import { access, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { archiveSpace } from '../../src/accounts/user-removal.ts';
import { dataFolder, prepare } from '../../src/shared/data-directory.ts';
import {
  listQuarantined,
  purgeQuarantined,
  quarantineUnknown,
} from '../../src/storage/quarantine.ts';
import { tempDir } from '../support/temp-dir.ts';

const ben = '01JD8Y7QK3W6H5V4N2M1R0P9ZX';
const lost = '01JD8Y7QK3W6H5V4N2M1R0P9ZY';
const retiredAt = new Date('2026-11-20T08:09:10.123Z');

/** A data directory with a deleted user's documents, an unknown recording and a file of somebody's. */
async function filled(t: TestContext) {
  const data = dataFolder(await tempDir(t));
  await prepare(data);
  await mkdir(join(data.spaces, ben, 'transcripts'), { recursive: true });
  await writeFile(join(data.spaces, ben, 'transcripts', 'talk.md'), 'x'.repeat(1000));
  await archiveSpace(data, () => retiredAt)(ben);
  // As who erases what they left makes it again.
  await mkdir(join(data.spaces, ben));
  await archiveSpace(data, () => new Date())(ben);
  assert.equal((await readdir(join(data.quarantine, 'spaces'))).length, 1);
  await mkdir(join(data.recordings, lost));
  await writeFile(join(data.recordings, lost, 'audio.wav'), 'x'.repeat(200));
  await quarantineUnknown(
    { recordingsDir: data.recordings, quarantineDir: data.quarantine, log: { warn: () => {} } },
    [lost],
    async () => false,
  );
  await writeFile(join(data.quarantine, 'note.txt'), 'mine');
  return { data, named: (await listQuarantined(data.quarantine)).entries };
}

test('a folder that cannot be put aside is said, and stays', async (t) => {
  const data = dataFolder(await tempDir(t));
  await prepare(data);
  for (const name of [ben, lost]) await mkdir(join(data.recordings, name));
  await writeFile(data.quarantine, 'in the way');
  const warned: object[] = [];
  const log = { warn: (about: object) => void warned.push(about) };
  const moved = await quarantineUnknown(
    { recordingsDir: data.recordings, quarantineDir: data.quarantine, log },
    [ben, lost],
    async () => false,
  );
  assert.deepEqual(moved, []);
  assert.deepEqual((await readdir(data.recordings)).toSorted(), [ben, lost]);
  assert.equal(warned.length, 2);
});

const purge = async (folder: string, ...names: string[]): Promise<string[]> => {
  const gone: string[] = [];
  for await (const name of purgeQuarantined(folder, names)) gone.push(name);
  return gone;
};

test('what was put aside is listed: what, whose, since when, how large; the oldest first', async (t) => {
  const before = new Date().toISOString();
  const { named } = await filled(t);
  const [documents, ...others] = named;
  assert.deepEqual(documents, {
    name: `spaces/${ben}-20261120T080910123Z`,
    kind: 'documents',
    id: ben,
    since: retiredAt.toISOString(),
    bytes: 1000,
    unread: 0,
  });
  const recording = others.find(({ kind }) => kind === 'recording');
  assert.deepEqual([recording?.id, recording?.bytes], [lost, 200]);
  assert.ok(recording!.since >= before);
  const other = others.find(({ kind }) => kind === 'other');
  assert.deepEqual([other?.name, other?.id, other?.bytes], ['note.txt', null, 4]);
});

test('there is nothing in a quarantine that was never needed', async (t) => {
  const { quarantine } = dataFolder(await tempDir(t));
  assert.deepEqual(await listQuarantined(quarantine), { entries: [], more: 0 });
});

test('what is purged is gone whole, and nothing else is', async (t) => {
  const { data, named } = await filled(t);
  const [documents, ...rest] = named.map(({ name }) => name);
  const outside = join(data.spaces, 'kept.md');
  await writeFile(outside, 'kept');
  await symlink(data.spaces, join(data.quarantine, documents!, 'link'));
  assert.deepEqual(await purge(data.quarantine, documents!), [documents]);
  assert.deepEqual(
    (await listQuarantined(data.quarantine)).entries.map(({ name }) => name),
    rest,
  );
  assert.equal(await readFile(outside, 'utf8'), 'kept', 'a link is removed, not followed');
  assert.deepEqual(await purge(data.quarantine, ...rest), rest);
  assert.deepEqual(await readdir(data.quarantine), ['spaces']);
});

test('no name leads out of the quarantine', async (t) => {
  const { data, named } = await filled(t);
  const names = ['..', '../spaces', 'spaces', 'spaces/', 'spaces/..', '.', '', '/', data.log];
  for (const name of [...names, `${named[0]!.name}/transcripts`, `./${named[0]!.name}`]) {
    await assert.rejects(purge(data.quarantine, name), /is not in the quarantine/, name);
  }
  await access(data.spaces);
  assert.deepEqual((await listQuarantined(data.quarantine)).entries, named);
});

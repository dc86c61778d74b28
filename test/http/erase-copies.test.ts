import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDesktop } from '../../src/documents/desktop.ts';
import type { KeptKind } from '../../src/storage/kept.ts';
import { eventually } from '../support/eventually.ts';
import { type TestService, startService, withAda } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

type Documents = Record<'index' | 'transcript' | 'summary', string>;

test('an erasure removes the copies in the vault that are as we put them there', async (t) => {
  const { erase, open, documents, vault } = await withVault(t);
  const own = join(vault, 'Meine Notiz.md');
  await writeFile(own, 'mine');
  await open();
  // Beside a note that was changed meanwhile; then the note is as it was.
  const index = join(vault, documents.index);
  const ours = await readFile(index);
  await writeFile(index, 'changed');
  const { conflicts } = await open();
  assert.equal(conflicts?.length, 1);
  await writeFile(index, ours);
  assert.deepEqual(await erase(), { status: 204, left: undefined, away: undefined });
  assert.deepEqual(await readdir(vault), ['Meine Notiz.md'], 'nor is a folder left');
  assert.equal(await readFile(own, 'utf8'), 'mine');
});

test('of two whose notes have one name in the house’s folder, an erasure takes away one’s own copies alone', async (t) => {
  const vault = await tempDir(t);
  const service = await startService(t, {
    env: { MITSCHRIFT_NOTES_VAULT: vault },
    overrides: { desktop: openDesktop({}, 'linux') },
  });
  const saved = async (token: string) => {
    const fields = { started_at: '2026-03-01T10:00:00Z', title: 'Plan' };
    const id = await service.settled(token, fields);
    const { documents } = (
      await service.call<{ documents: Documents }>('GET', `/recordings/${id}`, { token })
    ).body;
    const json = { mode: 'notes', paths: [documents.index] };
    const open = async () =>
      (
        await service.call<{ conflicts?: { copy: string }[] }>('POST', '/open', {
          token,
          json,
          headers: { 'X-Forwarded-For': '203.0.113.5' },
        })
      ).body.conflicts ?? [];
    const erase = () => service.call<{ left?: string[] }>('DELETE', `/recordings/${id}`, { token });
    return { documents, open, erase };
  };
  const adas = await saved(await service.setUp());
  const bens = await saved(await service.addUser('ben', true));
  assert.deepEqual(adas.documents, bens.documents);
  assert.deepEqual(await adas.open(), []);
  const copies = (await bens.open()).map(({ copy }) => copy);
  assert.equal(copies.length, 3);
  assert.equal((await adas.erase()).status, 204);
  for (const copy of copies) assert.ok(existsSync(join(vault, copy)), copy);
  for (const path of Object.values(adas.documents)) assert.ok(!existsSync(join(vault, path)), path);
  assert.equal((await bens.erase()).status, 204);
  assert.deepEqual(await readdir(vault), []);
});

test('a copy whose name a file system took apart leaves with its note', async (t) => {
  const { erase, open, documents, vault } = await withVault(t, { marker: () => 'Übergabe' });
  await open();
  const index = join(vault, documents.index);
  const apart = join(vault, documents.index.normalize('NFD'));
  assert.notEqual(apart, index);
  await rename(index, apart);
  assert.deepEqual(await erase(), { status: 204, left: undefined, away: undefined });
  assert.deepEqual(await readdir(vault), []);
});

test('a ledger of an earlier release is taken over; what it had forgotten is learnt again', async (t) => {
  const { erase, open, documents, vault, ledger, space } = await withVault(t);
  for (const path of Object.values(documents))
    await mkdir(dirname(join(vault, path)), { recursive: true });
  await writeFile(join(vault, documents.index), 'as an earlier release wrote it');
  const sha256 = createHash('sha256').update('as an earlier release wrote it').digest('hex');
  const place = createHash('sha256').update(JSON.stringify([vault, documents.index]));
  await mkdir(dirname(ledger), { recursive: true });
  await writeFile(ledger, JSON.stringify({ [place.digest('base64url')]: [sha256] }));
  await writeFile(
    join(vault, documents.transcript),
    await readFile(join(space, documents.transcript)),
  );
  assert.equal((await open()).conflicts, undefined);
  await assert.rejects(readFile(ledger), { code: 'ENOENT' });
  assert.deepEqual(await erase(), { status: 204, left: undefined, away: undefined });
  assert.deepEqual(await readdir(vault), []);
});

test('copies that a person changed stay and are named; so does what they keep beside them', async (t) => {
  const { erase, open, documents, vault } = await withVault(t);
  await open();
  await writeFile(join(vault, documents.transcript), 'my own words');
  const folder = documents.transcript.split('/')[0]!;
  await writeFile(join(vault, folder, 'idea.md'), 'mine');
  assert.deepEqual(await erase(), { status: 200, left: [documents.transcript], away: [] });
  assert.deepEqual((await readdir(vault)).toSorted(), [folder]);
  assert.deepEqual(
    (await readdir(join(vault, folder))).toSorted(),
    ['idea.md', documents.transcript.split('/')[1]].toSorted(),
  );
});

test('a copy that a person changed in the house’s folder and in their own is named once', async (t) => {
  const { erase, open, choose, documents, vault } = await withVault(t);
  await open();
  const own = await tempDir(t);
  await choose(own);
  await eventually('it is in the own folder', async () =>
    existsSync(join(own, documents.transcript)),
  );
  for (const folder of [vault, own]) await writeFile(join(folder, documents.transcript), 'mine');
  assert.deepEqual(await erase(), { status: 200, left: [documents.transcript], away: [] });
});

test('copies in folders that were set before are removed with the note, or named where they were changed', async (t) => {
  const { erase, choose, documents } = await withVault(t);
  const [first, second] = [await tempDir(t), await tempDir(t)];
  for (const folder of [first, second]) {
    await choose(folder);
    await eventually('it is in the folder', async () => areIn(folder, documents));
  }
  await choose(null);
  await writeFile(join(second, documents.transcript), 'mine');
  assert.deepEqual(await erase(), { status: 200, left: [documents.transcript], away: [] });
  assert.deepEqual(await readdir(first), []);
  assert.deepEqual(await readdir(second), [dirname(documents.transcript)]);
});

test('copies of an earlier release, which remembered no folders, are found by the log', async (t) => {
  const { erase, choose, documents, forgetFolders, restart } = await withVault(t);
  const folder = await tempDir(t);
  await choose(folder);
  await eventually('it is in the folder', async () => areIn(folder, documents));
  await choose(null);
  await forgetFolders();
  await restart();
  assert.deepEqual(await erase(), { status: 204, left: undefined, away: undefined });
  assert.deepEqual(await readdir(folder), []);
});

test('a copy in a folder of the house that is another by now is removed with the note', async (t) => {
  const { erase, open, vault, restart } = await withVault(t);
  await open();
  assert.equal((await readdir(vault)).length, 2);
  const now = await tempDir(t);
  await restart({ MITSCHRIFT_NOTES_VAULT: now });
  assert.deepEqual(await erase(), { status: 204, left: undefined, away: undefined });
  assert.deepEqual(await readdir(vault), []);
});

for (const [what, end] of [
  ['is erased', { method: 'DELETE' }],
  ['is handed over', { method: 'PATCH', json: { owner: 'ada' } }],
] as const)
  test(`what a deleted user left goes from the folder they had when it ${what}`, async (t) => {
    const { service, token } = await withAda(t);
    const bens = await service.addUser('ben');
    const id = await service.settled(bens);
    const folder = await tempDir(t);
    const chosen = { token, json: { folder } };
    assert.equal((await service.call('PUT', '/users/ben/vault', chosen)).status, 204);
    await eventually('it is in the folder', async () => (await readdir(folder)).length === 2);
    assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
    const later = await restarted(t, service);
    const { method, ...init } = { json: undefined, ...end };
    const { status } = await later.call(method, `/recordings/${id}`, { token, ...init });
    assert.ok(status < 300, String(status));
    await eventually('nothing is left', async () => (await readdir(folder)).length === 0);
  });

async function restarted(t: TestContext, service: TestService): Promise<TestService> {
  await service.close();
  return await startService(t, { dataDir: service.dataDir });
}

test('a note of the same name that was there before is neither touched nor named', async (t) => {
  const { erase, open, documents, vault } = await withVault(t);
  await writeFile(join(vault, documents.index), 'a note of my own');
  await open();
  assert.deepEqual(await erase(), { status: 204, left: undefined, away: undefined });
  assert.deepEqual(await readdir(vault), [documents.index]);
});

test('a vault that cannot be reached keeps nothing from being erased; its copies go when it is back', async (t) => {
  const { erase, open, vault, audio, restart } = await withVault(t);
  await open();
  await rename(vault, `${vault}-away`);
  // An error that says nothing of a folder that is not there, as a broken mount gives.
  await symlink(vault, vault);
  const { status } = await erase();
  assert.ok(status < 300, String(status));
  assert.deepEqual(await audio(), []);
  await rm(vault);
  await rename(`${vault}-away`, vault);
  await writeFile(join(vault, 'Meine Notiz.md'), 'mine');
  await restart();
  await eventually('no copy is left', async () => (await readdir(vault)).length === 1);
  assert.deepEqual(await readdir(vault), ['Meine Notiz.md']);
});

for (const [how, leave] of [
  ['is not there', async () => {}],
  ['is the empty place of a disk', (vault: string) => mkdir(vault)],
] as const)
  test(`copies in a vault that ${how} are not called changed, and go when it is back`, async (t) => {
    const { erase, open, documents, vault, restart } = await withVault(t);
    await open();
    await writeFile(join(vault, documents.index), 'my own words');
    await rename(vault, `${vault}-away`);
    await leave(vault);
    const { left, away } = await erase();
    assert.deepEqual(left, []);
    assert.deepEqual(away?.toSorted(), Object.values(documents).toSorted());
    await rm(vault, { recursive: true, force: true });
    await rename(`${vault}-away`, vault);
    const { logged } = await restart();
    await eventually('what was changed is told', () =>
      logged.some((line) => line.includes('changed copies of erased or deleted notes stay')),
    );
    assert.deepEqual(await readdir(vault), [documents.index]);
  });

const areIn = (folder: string, documents: Documents): boolean =>
  Object.values(documents).every((path) => existsSync(join(folder, path)));

/** A saved recording of the first administrator, and a vault. */
async function withVault(t: TestContext, more: { marker?: () => string } = {}) {
  const vault = join(await tempDir(t), 'vault');
  await mkdir(vault);
  const options = {
    env: { MITSCHRIFT_NOTES_VAULT: vault },
    overrides: { desktop: openDesktop({}, 'linux') },
    ...more,
  };
  let service = await startService(t, options);
  const token = await service.setUp();
  const id = await service.settled(token);
  const path = `/recordings/${id}`;
  const found = await service.call<{ documents: Documents }>('GET', path, { token });
  const { documents } = found.body;
  const user = service.accounts.findUser('ada')!.userId;
  return {
    vault,
    documents,
    /** Copies the documents; there is no program to open them with. */
    async open(): Promise<{ conflicts?: unknown[] }> {
      const json = { mode: 'notes', paths: [documents.index] };
      const headers = { 'X-Forwarded-For': '203.0.113.5' };
      return (await service.call('POST', '/open', { token, json, headers })).body;
    },
    async choose(folder: string | null) {
      const json = { folder };
      const { status } = await service.call('PUT', '/users/me/vault', { token, json });
      assert.equal(status, 204);
    },
    async erase() {
      const { status, body } = await service.call<{ left?: string[]; away?: string[] }>(
        'DELETE',
        path,
        { token },
      );
      return { status, left: body.left, away: body.away };
    },
    async forgetFolders() {
      const kind = { name: 'vault-folders', endsAt: () => null, volatileMax: null, keys: 'plain' };
      const rows = service.services.kept.of(kind as KeptKind<string>);
      await rows.delete((await rows.list('')).map(({ key }) => key));
    },
    audio: () => readdir(join(service.dataDir, 'recordings')),
    async restart(env: Record<string, string> = options.env) {
      await service.close();
      service = await startService(t, { ...options, env, dataDir: service.dataDir });
      return service;
    },
    /** Where earlier releases remembered copies. */
    ledger: join(service.dataDir, 'vault-copies', `${user}.json`),
    space: join(service.dataDir, 'spaces', user),
  };
}

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EventStoreError } from '../../events/store.ts';
import { eventually } from '../support/eventually.ts';
import { type ProblemAnswer, rawRequest, startService, withAda } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

type Documents = Record<'index' | 'transcript' | 'summary', string>;

test('notes arrive in a vault of one’s own: those there are when it is chosen, each save, and an erasure takes them back', async (t) => {
  const { service, token, vault, saved, choose, own } = await house(t);
  const before = await saved(token);
  assert.equal((await choose(token, vault)).status, 204);
  await arrives(vault, before.documents, service.spaceOf('ada'));
  assert.deepEqual(await own(token), {
    folder: vault,
    fault: null,
    may_choose: true,
    copies: 'each-save',
  });

  const after = await saved(token);
  await arrives(vault, after.documents, service.spaceOf('ada'));
  const mine = join(vault, before.documents.summary);
  await writeFile(mine, 'my own words');
  await service.call('PATCH', `/recordings/${before.id}`, { token, json: { title: 'Other' } });
  await eventually('the new title in the vault', async () =>
    (await readFile(join(vault, before.documents.index), 'utf8')).includes('# Other'),
  );
  assert.equal(await readFile(mine, 'utf8'), 'my own words', 'changed in the vault: it stays');

  const erased = await service.call('DELETE', `/recordings/${after.id}`, { token });
  assert.equal(erased.status, 204);
  await assert.rejects(readFile(join(vault, after.documents.index)), { code: 'ENOENT' });
});

test('a vault that is away keeps no recording from its documents, and is filled when it is back', async (t) => {
  const { service, token, vault, saved, choose, own, restart } = await house(t);
  await choose(token, vault);
  await rename(vault, `${vault}-away`);
  const { documents } = await saved(token);
  assert.match((await own(token)).fault ?? '', /doesn’t exist/);
  const tries = () =>
    service.logged.filter((line) => line.includes('notes folder cannot be written'));
  await eventually('the try is told', () => tries().length > 0);
  await saved(token);
  // One for each save, the next after a minute; and no path, which has a title in it, is in the log.
  assert.ok(tries().length <= 4, `${tries().length} tries`);
  for (const line of tries()) assert.ok(!line.includes(vault), line);
  await rename(`${vault}-away`, vault);
  const again = await restart();
  await arrives(vault, documents, service.spaceOf('ada'));
  assert.equal((await again.own(token)).fault, null);
});

test('an empty folder where the disk of notes was takes none; another one with files gets all of them', async (t) => {
  const { service, token, vault, saved, choose, own, restart, logged } = await house(t);
  await choose(token, vault);
  const first = await saved(token);
  await arrives(vault, first.documents, service.spaceOf('ada'));
  await rename(vault, `${vault}-away`);
  await mkdir(vault);
  const second = await saved(token);
  await eventually('it was tried', () =>
    logged().some((line) => line.includes('notes folder cannot be written')),
  );
  // The folder is named, and not each note.
  assert.match((await own(token)).fault ?? '', /is empty: its disk may not be mounted/);
  assert.ok(!logged().some((line) => line.includes('has no place in the notes folder')));
  type Health = { checks: { id: string; detail: string }[] };
  const { checks } = (await service.call<Health>('GET', '/doctor', { token })).body;
  assert.match(checks.find(({ id }) => id === 'vaults')!.detail, /of ada isn’t the folder it was/);
  assert.deepEqual(await readdir(vault), []);
  await rm(vault, { recursive: true });
  await rename(`${vault}-away`, vault);
  const again = await restart();
  await arrives(vault, second.documents, service.spaceOf('ada'));
  await eventually('all are looked at', async () => {
    const kept = await readFile(join(service.dataDir, 'vault-copies/position.json'), 'utf8');
    return (JSON.parse(kept) as { behind: string[] }).behind.length === 0;
  });

  await rename(vault, `${vault}-before`);
  await mkdir(join(vault, '.obsidian'), { recursive: true });
  await again.saved(token);
  await arrives(vault, first.documents, service.spaceOf('ada'));
  await rm(vault, { recursive: true });
  await mkdir(vault);
  // Whoever chooses it means it, empty or not.
  assert.equal((await again.choose(token, null)).status, 204);
  assert.equal((await again.choose(token, vault)).status, 204);
  await arrives(vault, first.documents, service.spaceOf('ada'));
});

test('a note that cannot be copied keeps no other from its place, and is named until it can', async (t) => {
  const { token, vault, saved, choose, own, service, restart } = await house(t);
  const older = await saved(token);
  const newest = await saved(token);
  const inTheWay = join(vault, dirname(newest.documents.transcript));
  await writeFile(inTheWay, 'my own file');
  await choose(token, vault);
  await arrives(vault, older.documents, service.spaceOf('ada'));
  await eventually('the fault', async () => (await own(token)).fault !== null);
  assert.match((await own(token)).fault!, /has no place for 1 note/);
  const { documents } = await saved(token);
  await arrives(vault, documents, service.spaceOf('ada'));
  await rm(inTheWay);
  const again = await restart();
  await arrives(vault, newest.documents, service.spaceOf('ada'));
  await eventually('no fault', async () => (await again.own(token)).fault === null);
});

test('notes without a place are not tried one by one where the folder is away, nor at all where nobody has it', async (t) => {
  const { token, vault, saved, choose, chooseFor, own, service, restart } = await house(t);
  const ben = await service.addUser('ben');
  const other = join(vault, '../ben');
  await mkdir(other);
  const stand = async (folder: string, as: string) =>
    await writeFile(join(folder, dirname((await saved(as)).documents.transcript)), 'my own file');
  await stand(vault, token);
  await stand(vault, token);
  await stand(other, ben);
  await choose(token, vault);
  await chooseFor(token, 'ben', other);
  for (const [as, count] of [
    [token, '2 notes'],
    [ben, '1 note'],
  ] as const)
    await eventually(
      count,
      async () => (await own(as)).fault?.includes(`has no place for ${count}`) === true,
    );
  const ids = ['ada', 'ben'].map((name) => service.accounts.findUser(name)!.userId);
  const progress = async () =>
    JSON.parse(await readFile(join(service.dataDir, 'vault-copies/position.json'), 'utf8')) as {
      behind: string[];
      stuck: Record<string, string[]>;
    };
  await eventually('it is noted', async () => Object.keys((await progress()).stuck).length === 2);
  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  await rename(vault, `${vault}-away`);
  const { logged } = await restart();
  await eventually('it was tried', async () => (await progress()).behind.includes(ids[0]!));
  const tries = logged().filter((line) => line.includes('notes folder cannot be written'));
  assert.equal(tries.length, 1);
  assert.deepEqual(Object.keys((await progress()).stuck), [ids[0]]);
});

test('what was saved while nobody followed is copied at the next start', async (t) => {
  const { service, token, vault, saved, choose, restart } = await house(t);
  await choose(token, vault);
  const first = await saved(token);
  await arrives(vault, first.documents, service.spaceOf('ada'));
  await service.close();
  // As a process leaves it that was killed between the save and the copy.
  const progress = join(service.dataDir, 'vault-copies/position.json');
  const { behind } = JSON.parse(await readFile(progress, 'utf8')) as { behind: string[] };
  assert.deepEqual(behind, []);
  await writeFile(progress, JSON.stringify({ position: 1, behind }));
  for (const path of Object.values(first.documents)) await rm(join(vault, path));
  await restart();
  await arrives(vault, first.documents, service.spaceOf('ada'));
});

test('a recording that is handed over leaves the one vault and comes into the other', async (t) => {
  const { service, token, vault, saved, choose, chooseFor } = await house(t);
  const ben = await service.addUser('ben');
  const other = join(vault, '../ben');
  await mkdir(other);
  assert.equal((await chooseFor(token, 'ben', other)).status, 204);
  await choose(token, vault);
  const { id, documents } = await saved(token);
  await arrives(vault, documents, service.spaceOf('ada'));
  const { userId } = service.accounts.findUser('ben')!;
  const given = await service.call('PATCH', `/recordings/${id}`, {
    token,
    json: { owner: userId },
  });
  assert.ok(given.status < 300, JSON.stringify(given.body));
  await eventually(
    'nothing of it is left in the first vault',
    async () => (await readdir(vault)).length === 0,
  );
  const { body } = await service.call<{ documents: Documents }>('GET', `/recordings/${id}`, {
    token: ben,
  });
  await arrives(other, body.documents, service.spaceOf('ben'));
});

test('what is handed on, and erased, takes no copies of another note along that has its name by now', async (t) => {
  const { service, token, vault, saved, choose, chooseFor } = await house(t);
  const ben = await service.addUser('ben', true);
  const cleo = await service.addUser('cleo');
  const other = join(vault, '../ben');
  await mkdir(other);
  await chooseFor(token, 'ben', other);
  await choose(token, vault);
  const at = { started_at: '2026-03-01T10:00:00Z' };
  const { id, documents } = await saved(token, at);
  await arrives(vault, documents, service.spaceOf('ada'));
  const handOver = async (as: string, name: string) => {
    const json = { owner: service.accounts.findUser(name)!.userId };
    assert.equal(
      (await service.call('PATCH', `/recordings/${id}`, { token: as, json })).status,
      200,
    );
  };
  const isEmptied = (folder: string) =>
    eventually(`nothing is left in ${folder}`, async () => (await readdir(folder)).length === 0);
  await handOver(token, 'ben');
  await isEmptied(vault);
  await eventually('it is in the next', async () => (await readdir(other)).length > 0);
  const { documents: again } = await saved(token, at);
  assert.deepEqual(again, documents, 'the name was free');
  await arrives(vault, again, service.spaceOf('ada'));
  const areThere = () => Object.values(again).every((path) => existsSync(join(vault, path)));

  await handOver(ben, 'cleo');
  // The vaults of the former owners are looked at one after the other.
  await isEmptied(other);
  assert.ok(areThere(), 'it was handed on');
  const erased = await service.call('DELETE', `/recordings/${id}`, { token: cleo });
  assert.equal(erased.status, 204);
  assert.ok(areThere(), 'it was erased');
});

test('what is handed over while the former vault is away leaves it when it is back', async (t) => {
  const { service, token, vault, saved, choose, restart, logged } = await house(t);
  await service.addUser('ben');
  await choose(token, vault);
  const { id, documents } = await saved(token);
  await arrives(vault, documents, service.spaceOf('ada'));
  await rename(vault, `${vault}-away`);
  const json = { owner: service.accounts.findUser('ben')!.userId };
  await service.call('PATCH', `/recordings/${id}`, { token, json });
  await eventually('it was tried', () => logged().some((line) => line.includes('former owner')));
  await rename(`${vault}-away`, vault);
  await restart();
  await eventually('nothing is left', async () => (await readdir(vault)).length === 0);
});

test('what is handed over while the log is away for a moment leaves the former vault all the same', async (t) => {
  const { service, token, vault, saved, choose, restart, logged } = await house(t);
  await service.addUser('ben');
  await choose(token, vault);
  const { id, documents } = await saved(token);
  await arrives(vault, documents, service.spaceOf('ada'));
  const read = service.store.read.bind(service.store);
  const namesOf = /\bnamedIn\b/u;
  let isAway = true;
  t.mock.method(service.store, 'read', (...of: Parameters<typeof read>) => {
    if (of[0] !== `recording-${id}` || !namesOf.test(new Error().stack ?? '')) return read(...of);
    if (!isAway) return read(...of);
    isAway = false;
    throw new EventStoreError('BUSY', 'it is away');
  });
  const json = { owner: service.accounts.findUser('ben')!.userId };
  await service.call('PATCH', `/recordings/${id}`, { token, json });
  await eventually('it was tried', () => !isAway);
  await eventually('that is told', () => logged().some((line) => line.includes('notes folder')));
  await restart();
  await eventually('nothing is left', async () => (await readdir(vault)).length === 0);
});

test('documents that are deleted leave the vault; what a person changed there stays', async (t) => {
  const { service, token, vault, saved, choose } = await house(t);
  await choose(token, vault);
  const { documents } = await saved(token);
  const other = await saved(token);
  for (const one of [documents, other.documents]) await arrives(vault, one, service.spaceOf('ada'));
  const remove = async (path: string) =>
    (await service.call('DELETE', `/transcripts/${encodeURIComponent(path)}`, { token })).status;
  const areIn = (paths: string[]) => paths.map((path) => existsSync(join(vault, path)));
  const { index, transcript, summary } = documents;
  assert.equal(await remove(summary), 204);
  assert.deepEqual(areIn([index, transcript, summary]), [true, true, false]);
  await writeFile(join(vault, transcript), 'my own words');
  assert.equal(await remove(index), 204);
  assert.deepEqual(areIn([index, transcript, summary]), [false, true, false]);
  assert.deepEqual(areIn(Object.values(other.documents)), [true, true, true]);
});

test('who is elsewhere chooses none; folders that cannot be one are refused with the reason', async (t) => {
  const { service, token, vault, choose, chooseFor } = await house(t);
  const ben = await service.addUser('ben');
  const { status, body } = await rawRequest(service.url, {
    method: 'PUT',
    path: '/users/me/vault',
    headers: {
      Authorization: `Bearer ${ben}`,
      'Content-Type': 'application/json',
      'X-Forwarded-For': '203.0.113.5',
    },
    body: JSON.stringify({ folder: vault }),
  });
  assert.equal(status, 403);
  assert.match((JSON.parse(body) as ProblemAnswer).detail, /ask an administrator/i);
  assert.equal((await chooseFor(ben, 'ada', vault)).status, 403);

  await choose(token, vault);
  for (const [folder, why] of [
    ['Vault', /not-absolute-path/],
    [join(vault, 'none'), /folder-missing/],
    [join(service.dataDir, 'spaces'), /folder-of-data/],
    [join(service.dataDir, '..'), /folder-of-data/],
    [vault, /another user/],
  ] as const) {
    const refused = await chooseFor(token, 'ben', folder);
    assert.equal(refused.status, 422, folder);
    assert.match(JSON.stringify(refused.body.errors), why);
  }
  assert.equal((await chooseFor(token, 'nobody', vault)).status, 404);
  assert.equal((await choose(token, null)).status, 204);
  assert.equal((await chooseFor(token, 'ben', vault)).status, 204);
});

/** An administrator, a folder for notes, and how the vault is chosen. */
async function house(t: TestContext) {
  const vault = join(await tempDir(t), 'Notes of Ada');
  await mkdir(vault);
  const { service, token } = await withAda(t);
  let present = service;
  const put = (path: string, as: string, folder: string | null) =>
    present.call<ProblemAnswer>('PUT', path, { token: as, json: { folder } });
  const parts = {
    vault,
    token,
    logged: () => present.logged,
    choose: (as: string, folder: string | null) => put('/users/me/vault', as, folder),
    chooseFor: (as: string, name: string, folder: string | null) =>
      put(`/users/${name}/vault`, as, folder),
    own: async (as: string) =>
      (
        await present.call<{ folder: string | null; fault: string | null }>(
          'GET',
          '/users/me/vault',
          { token: as },
        )
      ).body,
    async saved(as: string, fields: Record<string, string> = {}) {
      const id = await present.settled(as, fields);
      const found = await present.call<{ documents: Documents }>('GET', `/recordings/${id}`, {
        token: as,
      });
      return { id, documents: found.body.documents };
    },
    async restart() {
      await present.close();
      present = await startService(t, { dataDir: service.dataDir });
      return parts;
    },
  };
  const spaceOf = (name: string) =>
    join(service.dataDir, 'spaces', service.accounts.findUser(name)!.userId);
  return { ...parts, service: { ...service, spaceOf } };
}

/** Waits until all three documents are in the vault as they are in the space. */
async function arrives(vault: string, documents: Documents, space: string): Promise<void> {
  for (const path of Object.values(documents)) {
    await eventually(`${path} in the vault`, async () => {
      const [there, ours] = await Promise.all(
        [vault, space].map((folder) => readFile(join(folder, path)).catch(() => undefined)),
      );
      return there !== undefined && ours !== undefined && there.equals(ours);
    });
  }
}

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import {
  cp,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { StoredFact } from '../../events/facts/envelope.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { logKey } from '../../events/log/records.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import { type DataFolder, dataFolder, hostFrom } from '../../src/shared/data-directory.ts';
import { backup } from '../../src/integrity/backup.ts';
import { openBackups } from '../../src/integrity/backups.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { repair, sourceOfBackup, sourceOfData } from '../../src/integrity/repair.ts';
import { restore } from '../../src/integrity/restore.ts';
import {
  type RecordedData,
  flipped,
  mitschrift,
  recordedData,
  tamper,
  verifyAlone,
} from '../support/recorded-data.ts';
import { plainFact } from '../support/sample-facts.ts';
import { password, withAda } from '../support/http-client.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { strace } from '../faults/strace.ts';
import { program } from '../support/program.ts';

const backUp = (data: DataFolder, directory: string) =>
  withLogAlone(data, (opened) => backup({ ...opened, data }, directory));

/** Every fact there is, as readers get it. */
const factsIn = (data: DataFolder): Promise<LoggedFact[]> =>
  withLogAlone(data, async ({ store }) => {
    const facts: LoggedFact[] = [];
    for await (const fact of store.readAll()) facts.push(fact);
    return facts;
  });

/** Every file below a directory but the log's, with its bytes. */
async function filesIn(root: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (!entry.isFile() || path.startsWith('log')) continue;
    files[path] = (await readFile(join(root, path))).toString('base64');
  }
  return files;
}

async function places(t: TestContext): Promise<{ kept: string; target: DataFolder }> {
  const root = await tempDir(t);
  return { kept: join(root, 'backup'), target: dataFolder(join(root, 'restored')) };
}

test('a backup restored is the data directory it was made of', async (t) => {
  const { data } = await recordedData(t);
  const { kept, target } = await places(t);
  await writeFile(join(data.root, 'secrets.json'), '{}', { mode: 0o600 });
  await mkdir(join(data.root, 'models', 'own'), { recursive: true });
  await writeFile(join(data.root, 'models', 'own', 'model.onnx'), 'installed again');
  const made = await mitschrift(data.root, 'backup', kept, '--json');
  assert.equal(made.code, 0, made.stderr);
  assert.equal((JSON.parse(made.stdout) as { facts: number }).facts, (await factsIn(data)).length);
  const restored = await mitschrift(target.root, 'restore', kept);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /no damage/);
  assert.deepEqual(await factsIn(target), await factsIn(data));
  const files = await filesIn(data.root);
  // Made again or installed again: what is derived, models, rows, the reserve for a full disk, where the scrub is, a code for setting up.
  // What the last backup was is this directory's own.
  const notKept =
    /speech\.wav$|^rows\/|^models\/|^reserve$|^scrub\.json$|^setup-code$|^last-backup\.json$/;
  const wanted = Object.keys(files).filter((path) => !notKept.test(path));
  const back = await filesIn(target.root);
  assert.deepEqual(
    Object.keys(back)
      .filter((path) => path !== 'keys/erased.jsonl')
      .toSorted(),
    wanted.toSorted(),
  );
  for (const path of wanted) assert.equal(back[path], files[path], path);
  assert.equal((await stat(join(target.root, 'secrets.json'))).mode & 0o777, 0o600);

  const again = await mitschrift(target.root, 'restore', kept);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /not empty/);
  const rehearsal = await mitschrift(data.root, 'replay', '--check', '--data', target.root);
  assert.equal(rehearsal.code, 0, rehearsal.stderr);
  assert.match(rehearsal.stdout, /documents of 2 compared.* 0 differences/);
  const unknown = await mitschrift(data.root, 'replay', '--check', '--recording', 'nope');
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no recording nope/);
});

test('a data directory that is there and empty, as a mount is, stays; a half move there is made again', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const { kept, target } = await places(t);
  const { facts } = await backUp(data, kept);
  await mkdir(target.root);
  const mount = await stat(target.root);
  // What a restore that was killed while it moved has left: the marker is there, the log is not.
  const building = join(target.root, '.restoring');
  await restore(kept, dataFolder(building));
  await writeFile(join(building, 'moving'), '');
  await rename(join(building, 'log.json'), join(target.root, 'log.json'));
  await rename(join(building, 'keys'), join(target.root, 'keys'));
  await assert.rejects(verifyAlone(target), { code: 'DAMAGED' });
  const report = await restore(kept, target);
  assert.deepEqual([report.facts, report.directory], [facts, target.root]);
  assert.equal((await stat(target.root)).ino, mount.ino);
  assert.equal((await verifyAlone(target)).sound, true);
  assert.deepEqual(
    (await readdir(target.root)).filter((name) => name.startsWith('.')),
    [],
  );
  await assert.rejects(restore(kept, target), /not empty/);

  const salvaged = dataFolder(join(dirname(target.root), 'salvaged'));
  await mkdir(salvaged.root);
  const { ino } = await stat(salvaged.root);
  await repair(sourceOfData(data.root), salvaged.root);
  assert.equal((await stat(salvaged.root)).ino, ino);
  assert.equal((await verifyAlone(salvaged)).sound, true);
});

test('what a restore that was killed while it built has left is in no backup, and makes no data directory half', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const { kept, target } = await places(t);
  const other = await recordedData(t, { recordings: 1 });
  await cp(other.data.root, join(data.root, '.restoring'), { recursive: true });
  await backUp(data, kept);
  await restore(kept, target);
  assert.ok(!(await readdir(target.root)).includes('.restoring'));
  await rm(data.log, { recursive: true });
  await assert.rejects(restore(kept, data), /not empty/);
  assert.ok((await readdir(data.recordings)).length > 0);
});

test('no service begins anew where a restore was killed; the next restore clears what that has left', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const { kept, target } = await places(t);
  const { facts } = await backUp(data, kept);
  for (const isThere of [false, true]) {
    if (isThere) await mkdir(target.root);
    const left = isThere ? join(target.root, '.restoring') : `${target.root}.restoring`;
    const env = { ...process.env, MITSCHRIFT_DATA: target.root };
    const watching = watch(dirname(left));
    const begun = once(watching, 'change');
    const killed = spawn(process.execPath, [program, 'restore', kept], { env, stdio: 'ignore' });
    const ended = once(killed, 'exit');
    await begun;
    killed.kill('SIGKILL');
    watching.close();
    await ended;
    const started = startServiceProcess(target.root);
    started.then(
      (service) => t.after(() => service.end('SIGKILL')),
      () => {},
    );
    await assert.rejects(started, (error: Error) => {
      assert.ok(error.message.includes(left), error.message);
      assert.match(error.message, /mitschrift restore/);
      return true;
    });
    const again = await mitschrift(target.root, 'restore', kept);
    assert.equal(again.code, 0, again.stderr);
    assert.ok(!existsSync(left));
    assert.equal((await factsIn(target)).length, facts);
    await rm(target.root, { recursive: true });
  }
});

test('a damaged log that a restore left in a mount is salvaged into that mount', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const { target } = await places(t);
  const left = join(target.root, '.restoring');
  await mkdir(target.root);
  await cp(data.root, left, { recursive: true });
  await repair(sourceOfData(left), target.root);
  assert.equal((await verifyAlone(target)).sound, true);
});

test('a backup made again copies only what is new, and holds all of it', async (t) => {
  const { data, recordings } = await recordedData(t);
  const { kept, target } = await places(t);
  const first = await backUp(data, kept);
  assert.deepEqual([first.newFacts, first.files.linked], [first.facts, 0]);
  await withLogAlone(data, ({ store }) => store.append('config', [plainFact('later')], 0));
  const document = join(data.spaces, 'new.md');
  await writeFile(document, 'a person’s own');
  await writeFile(join(data.spaces, 'draft.tmp'), 'a person’s own, too');
  const second = await backUp(data, kept);
  assert.deepEqual([second.newFacts, second.files.copied], [1, 2]);
  assert.equal(second.files.linked, first.files.copied);
  // Damage that comes to the source later does not come to what is kept already.
  const audio = join(data.recordings, recordings[0]!, 'audio.wav');
  const original = await readFile(audio);
  const { atime, mtime } = await stat(audio);
  await writeFile(audio, flipped(original, 50, 3));
  await utimes(audio, atime, mtime);
  assert.equal((await backUp(data, kept)).newFacts, 0);
  assert.equal((await restore(kept, target)).verified.sound, true);
  assert.deepEqual((await factsIn(target)).length, first.facts + 1);
  assert.equal(await readFile(join(target.spaces, 'new.md'), 'utf8'), 'a person’s own');
});

test('facts appended meanwhile: all up to one position are in it, and no other', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const { kept, target } = await places(t);
  const { before, after, report } = await withLogAlone(
    data,
    async ({ store, keys, kept: rows }) => {
      let done = false;
      let version = 0;
      const appending = (async () => {
        while (!done) {
          const facts = Array.from({ length: 20 }, (_, index) => plainFact(`${version + index}`));
          version += (await store.append('recording-busy', facts, version)).length;
        }
      })();
      // The first of them are durable before the backup begins.
      await store.append('config', [plainFact('first')], 0);
      const before = await store.head();
      const report = await backup({ store, keys, kept: rows, data }, kept);
      const after = await store.head();
      done = true;
      await appending;
      return { before, after, report };
    },
  );
  assert.ok(after > report.facts, 'a log that stood still shows nothing');
  assert.ok(report.facts >= before);
  await restore(kept, target);
  const all = await factsIn(data);
  assert.deepEqual(await factsIn(target), all.slice(0, report.facts));
});

test('what was promised and not done when a backup began is done in what is restored of it', async (t) => {
  const { data, recordings } = await recordedData(t, { recordings: 1 });
  const [id] = recordings as [string];
  const { kept, target } = await places(t);
  await withLogAlone(data, async ({ jobs }) => {
    await jobs.add(id, 'keep-audio');
    // Of what is begun and not in the log yet, nothing is in a backup.
    await jobs.add('01JCZY0000000000000000000B', 'import');
  });
  await backUp(data, kept);
  await restore(kept, target);
  const promised = [{ recordingId: id, job: 'keep-audio' }];
  assert.deepEqual(await withLogAlone(target, ({ jobs }) => jobs.list()), promised);
  const salvaged = dataFolder(join(dirname(target.root), 'salvaged'));
  await repair(await sourceOfBackup(kept), salvaged.root);
  assert.deepEqual(await withLogAlone(salvaged, ({ jobs }) => jobs.list()), promised);
});

test('a backup that is killed leaves the last one, and the next goes on', async (t) => {
  const { data } = await recordedData(t);
  const { kept, target } = await places(t);
  const first = await backUp(data, kept);
  const then = await factsIn(data);
  await withLogAlone(data, ({ store }) => store.append('config', [plainFact('later')], 0));
  const files = 600;
  await mkdir(join(data.spaces, 'many'));
  for (let index = 0; index < files; index += 1) {
    await writeFile(join(data.spaces, 'many', `${index}.md`), 'text');
  }
  const child = spawn(process.execPath, [program, 'backup', kept], {
    env: { ...process.env, MITSCHRIFT_DATA: data.root },
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  const watcher = watch(kept, (_event, name) => {
    if (name === 'files-2') child.kill('SIGKILL');
  });
  assert.equal(await exited, 'SIGKILL', 'it was over before it could be killed');
  watcher.close();

  const restored = await restore(kept, target);
  assert.deepEqual([restored.facts, restored.at], [first.facts, first.at]);
  assert.deepEqual(await factsIn(target), then);
  assert.equal(restored.verified.sound, true);
  await rm(target.root, { recursive: true });
  assert.equal((await backUp(data, kept)).facts, first.facts + 1);
  assert.deepEqual(
    (await readdir(kept)).filter((name) => name.startsWith('files-')),
    ['files-2'],
  );
  assert.equal((await restore(kept, target)).facts, first.facts + 1);
  assert.equal((await readdir(join(target.spaces, 'many'))).length, files);
});

test('what was erased goes from the backup when it is made again', async (t) => {
  const { data, recordings } = await recordedData(t);
  const { kept, target } = await places(t);
  await backUp(data, kept);
  const [gone, stays] = recordings as [string, string];
  const key = (await readFile(join(data.keys, gone))).toString('base64');
  await (await openFileKeys(data.keys)).forget(gone);
  assert.ok(Object.values(await filesIn(kept)).includes(key), 'kept until it is made again');
  await backUp(data, kept);
  assert.ok(!Object.values(await filesIn(kept)).includes(key));
  await restore(kept, target);
  const facts = (await factsIn(target)).filter(({ subject }) => subject === gone);
  assert.ok(facts.length > 0 && facts.every(({ content }) => content === undefined));
  assert.ok((await factsIn(target)).some(({ subject, content }) => subject === stays && content));
});

test('what is erased while a backup copies files is not in it', async (t) => {
  const { data, recordings } = await recordedData(t);
  const { kept, target } = await places(t);
  const [gone, stays] = recordings as [string, string];
  const [lost, left] = [await documentsOf(data, gone), await documentsOf(data, stays)];
  await withLogAlone(data, async (opened) => {
    // Asked for them behind the files.
    const erasures = async () => {
      await opened.keys.forget(gone);
      return await opened.keys.erasures();
    };
    await backup({ ...opened, keys: { ...opened.keys, erasures }, data }, kept);
  });
  await restore(kept, target);
  const back = Object.keys(await filesIn(target.root));
  const has = (paths: string[]) => paths.map((path) => back.some((file) => file.endsWith(path)));
  assert.deepEqual(has([...lost, ...left]), [false, false, false, true, true, true]);
  assert.ok(!back.some((path) => path.includes(gone)), back.join('\n'));
});

test('a key that an interrupted run had listed, and that was destroyed later, is in no backup', async (t) => {
  const { data, recordings } = await recordedData(t);
  const { kept } = await places(t);
  const [gone] = recordings as [string, string];
  for (let run = 0; run < 2; run += 1)
    await withLogAlone(data, async (opened) => {
      // Listed, and there for another moment.
      const erasures = async () => [{ subject: gone, at: '2026-03-01T10:00:00.000Z' }];
      await backup({ ...opened, keys: { ...opened.keys, erasures }, data }, kept);
    });
  assert.ok(!(await readdir(join(kept, 'files-2', 'keys'))).includes(gone));
});

test('a folder on a larger disk is in the backup; what the root of a disk has, and models, are not', async (t) => {
  const { data } = await recordedData(t);
  const { kept, target } = await places(t);
  const larger = join(await tempDir(t), 'larger');
  await rename(data.recordings, larger);
  await symlink(larger, data.recordings);
  const own = join(data.root, '.local/share/mitschrift/models');
  for (const folder of [own, ...[data.root, kept, target.root].map((at) => join(at, 'lost+found'))])
    await mkdir(folder, { recursive: true });
  await writeFile(join(own, 'model.onnx'), 'installed again');
  const host = hostFrom({ MITSCHRIFT_DATA: data.root, MITSCHRIFT_MODELS: own });
  await backUp(host.data, kept);
  const restored = await mitschrift(target.root, 'restore', kept);
  assert.equal(restored.code, 0, restored.stderr);
  const back = Object.keys(await filesIn(target.root));
  const audio = Object.keys(await filesIn(larger)).filter((path) => path.endsWith('audio.wav'));
  assert.equal(audio.length, 2);
  for (const path of audio) assert.ok(back.includes(join('recordings', path)), path);
  assert.deepEqual(
    back.filter((path) => path.endsWith('model.onnx')),
    [],
  );
  await rm(larger, { recursive: true });
  const refused = await mitschrift(data.root, 'backup', kept);
  assert.equal(refused.code, 1, 'where the disk is away no backup is made without it');
  const { code } = await mitschrift(target.root, 'verify');
  assert.equal(code, 0);
});

test('a disk without hard links takes a second backup, too', async (t) => {
  const { data } = await recordedData(t);
  const { kept, target } = await places(t);
  await backUp(data, kept);
  const [command, ...args] = strace('link,linkat:error=EPERM');
  execFileSync(command!, [...args, process.execPath, program, 'backup', kept], {
    env: { ...process.env, MITSCHRIFT_DATA: data.root },
    stdio: 'pipe',
  });
  const before = await filesIn(join(kept, 'files-2'));
  assert.ok(Object.keys(before).length > 6);
  await restore(kept, target);
  assert.equal((await verifyAlone(target)).sound, true);
});

test('restore applies a later list of erasures: key, audio, documents, and the fact', async (t) => {
  const { data, recordings } = await recordedData(t);
  const { kept, target } = await places(t);
  await backUp(data, kept);
  const [gone, stays] = recordings as [string, string];
  const [lost, left] = [await documentsOf(data, gone), await documentsOf(data, stays)];
  await (await openFileKeys(data.keys)).forget(gone);
  const list = join(data.keys, 'erased.jsonl');
  const restored = await mitschrift(target.root, 'restore', kept, '--erasures', list);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /1 recordings and users erased again/);
  assert.deepEqual(await readdir(target.recordings), [stays]);
  assert.ok(!(await readdir(target.keys)).includes(gone));
  const [owner] = (await readdir(target.spaces)) as [string];
  const there = await readdir(join(target.spaces, owner), { recursive: true });
  assert.deepEqual([left.length, left.filter((path) => there.includes(path))], [3, left]);
  assert.equal(lost.length, 3);
  for (const path of lost) assert.ok(!there.includes(path) && !there.includes(dirname(path)));
  const of = (await factsIn(target)).filter(({ stream }) => stream === `recording-${gone}`);
  assert.deepEqual([of.at(-1)!.type, of.at(-1)!.to], ['recording.erased', 'idle.erased']);
});

test('documents that were saved first while a backup ran do not come back after their erasure', async (t) => {
  const { data, recordings } = await recordedData(t);
  const { kept, target } = await places(t);
  const [stays, gone] = recordings as [string, string];
  const [lost, left] = [await documentsOf(data, gone), await documentsOf(data, stays)];
  const saved = (await factsIn(data)).find(
    ({ type, stream }) => type === 'documents.saved' && stream === `recording-${gone}`,
  )!;
  const during = join(dirname(kept), 'during');
  await withLogAlone(data, async (opened) => {
    t.mock.method(opened.store, 'head', async () => saved.position - 1);
    await backup({ ...opened, data }, kept);
    const erasures = async () => {
      await opened.keys.forget(gone);
      return await opened.keys.erasures();
    };
    await backup({ ...opened, keys: { ...opened.keys, erasures }, data }, during);
  });
  await restore(kept, target, { erasures: join(data.keys, 'erased.jsonl') });
  for (const root of [during, target.root]) {
    const back = Object.keys(await filesIn(root));
    const has = (paths: string[]) => paths.map((path) => back.some((file) => file.endsWith(path)));
    assert.deepEqual(has([...lost, ...left]), [false, false, false, true, true, true]);
  }
});

test('nothing of an erased recording of a deleted user comes back from where it was put aside', async (t) => {
  const { service, token } = await withAda(t);
  const bens = await service.addUser('ben');
  const gone = await service.settled(bens, { title: 'Divorce' });
  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  await service.close();
  const data = dataFolder(service.dataDir);
  // As the start of an earlier release put it aside.
  const aside = join(data.quarantine, `${gone}-1767225600000`);
  await cp(join(data.recordings, gone), aside, { recursive: true });
  const { kept, target } = await places(t);
  await backUp(data, kept);
  assert.ok((await tracesIn(kept)).length > 3, 'what is looked for is there');
  const during = join(dirname(kept), 'during');
  await withLogAlone(data, async (opened) => {
    // Erased while its files are copied.
    const erasures = async () => {
      await opened.keys.forget(gone);
      return await opened.keys.erasures();
    };
    await backup({ ...opened, keys: { ...opened.keys, erasures }, data }, during);
  });
  assert.deepEqual(await tracesIn(during), []);

  await restore(kept, target, { erasures: join(data.keys, 'erased.jsonl') });
  assert.deepEqual(await tracesIn(target.root), []);

  async function tracesIn(root: string): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (/^log\b/.test(path.slice(root.length + 1))) continue;
      const isNamed = path.includes('Divorce') || path.includes(gone);
      const says = entry.isFile() && (await readFile(path, 'utf8')).includes('secret plan');
      if (isNamed || says) found.push(path);
    }
    return found;
  }
});

test('a user who was deleted after the backup does not come back', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const { kept, target } = await places(t);
  const inService = async (
    where: DataFolder,
    work: (api: ReturnType<typeof apiOf>, url: string) => Promise<void>,
  ) => {
    const service = await startServiceProcess(where.root, { MITSCHRIFT_LOG_LEVEL: 'warn' });
    t.after(() => service.end('SIGKILL'));
    const { token } = await apiOf(service.url).post<{ token: string }>('/login', ada);
    await work(apiOf(service.url, token), service.url);
    assert.equal(await service.end('SIGTERM'), 0);
  };
  const ada = { username: 'ada', password };
  const bob = { username: 'bob', password };
  let group = '';
  await inService(data, async (api) => {
    await api.post('/users', bob);
    group = (await api.post<{ id: string }>('/groups', { name: 'Choir' })).id;
  });
  await backUp(data, kept);
  const list = join(data.keys, 'erased.jsonl');
  await inService(data, async (api, url) => {
    const { token } = await apiOf(url).post<{ token: string }>('/login', ada);
    const headers = { authorization: `Bearer ${token}` };
    const deleted = await fetch(`${url}/users/bob`, { method: 'DELETE', headers });
    assert.equal(deleted.status, 204);
    const ended = await fetch(`${url}/groups/${group}`, { method: 'DELETE', headers });
    assert.equal(ended.status, 204);
    assert.equal((await namesIn(api)).join(), 'ada');
  });
  const { erasedAgain, verified } = await restore(kept, target, { erasures: list });
  assert.deepEqual([erasedAgain, verified.sound], [2, true]);
  assert.deepEqual(
    (await factsIn(target)).slice(-2).map(({ type }) => type),
    ['user.deleted', 'group.deleted'],
  );
  await inService(target, async (api, url) => {
    assert.deepEqual(await namesIn(api), ['ada']);
    await assert.rejects(apiOf(url).post('/login', bob), /: 401 /);
    // The name is free again.
    await api.post('/users', bob);
    assert.deepEqual(await namesIn(api), ['ada', 'bob']);
  });
});

async function namesIn(api: ReturnType<typeof apiOf>): Promise<string[]> {
  const { users } = await api.get<{ users: { username: string }[] }>('/users');
  return users.map(({ username }) => username).filter((name) => name !== 'guest');
}

test('what is made again is left out; chunks of an unfinished upload are not', async (t) => {
  const { data, recordings } = await recordedData(t, { recordings: 1 });
  const { kept, target } = await places(t);
  const folder = join(data.recordings, recordings[0]!);
  await writeFile(join(folder, 'peaks'), 'drawn from the audio');
  await writeFile(join(folder, 'speech.wav'), 'for engines');
  await mkdir(join(data.root, 'resumable'));
  await writeFile(join(data.root, 'resumable', 'a1'), 'acknowledged');
  await writeFile(join(data.root, 'resumable', 'a1.json'), '{}');
  await backUp(data, kept);
  await restore(kept, target);
  assert.deepEqual(await readdir(join(target.recordings, recordings[0]!)), ['audio.wav']);
  assert.equal(await readFile(join(target.root, 'resumable', 'a1'), 'utf8'), 'acknowledged');
});

test('a damaged log, a strange directory and another history are refused', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const { kept } = await places(t);
  const good = await backUp(data, kept);
  await assert.rejects(backUp(data, join(data.root, 'kept')), /inside the data directory/);
  const strange = await tempDir(t);
  await writeFile(join(strange, 'thesis.txt'), 'all of it');
  await assert.rejects(backUp(data, strange), /thesis\.txt/);
  const other = await recordedData(t, { recordings: 1, another: true });
  await assert.rejects(backUp(other.data, kept), /contains a backup of other data/);
  await diverge({ data, recordings: [] }, kept, t);

  await withLogAlone(data, ({ store }) => store.append('config', [plainFact('later')], 0));
  await tamper(data, (db) =>
    db.put(logKey(good.facts + 1), 'nonsense', { keyEncoding: 'buffer' } as never),
  );
  await assert.rejects(backUp(data, kept), { code: 'DAMAGED' });
  const marker = JSON.parse(await readFile(join(kept, 'backup.json'), 'utf8')) as object;
  assert.deepEqual({ ...marker, files: '' }, { ...marker, files: '', position: good.facts });
});

/** Paths of a recording's documents below its owner's space. */
async function documentsOf(data: DataFolder, recordingId: string): Promise<string[]> {
  const saved = (await factsIn(data)).find(
    ({ type, subject }) => type === 'documents.saved' && subject === recordingId,
  );
  assert.equal(saved?.type, 'documents.saved');
  return Object.values((saved as StoredFact<RecordingFactOf<'documents.saved'>>).content!.paths);
}

/** The same log, restored from its backup, goes on in two ways. */
async function diverge({ data }: RecordedData, kept: string, t: TestContext): Promise<void> {
  const { kept: mine, target } = await places(t);
  await backUp(data, mine);
  await restore(mine, target);
  await withLogAlone(target, ({ store }) => store.append('recording-x', [plainFact('x')], 0));
  await backUp(target, mine);
  const twin = dataFolder(join(await tempDir(t), 'twin'));
  await restore(kept, twin);
  await withLogAlone(twin, ({ store }) => store.append('recording-y', [plainFact('y')], 0));
  await assert.rejects(backUp(twin, mine), /contains newer events than this data/);
}

test('beside a running service, which goes on', async (t) => {
  const { data } = await recordedData(t);
  const { kept, target } = await places(t);
  const service = await startServiceProcess(data.root, { MITSCHRIFT_LOG_LEVEL: 'warn' });
  t.after(() => service.end('SIGKILL'));
  const made = await mitschrift(data.root, 'backup', kept);
  assert.equal(made.code, 0, made.stderr);
  const verified = await mitschrift(data.root, 'verify');
  assert.equal(verified.code, 0, verified.stdout);
  assert.equal((await fetch(`${service.url}/health`)).status, 200);
  assert.equal(await service.end('SIGTERM'), 0);
  await restore(kept, target);
  assert.deepEqual(await factsIn(target), await factsIn(data));
  assert.equal((await verifyAlone(target)).sound, true);
  const counts = await withLogAlone(target, ({ counted }) =>
    counted.of(new Date().toISOString().slice(0, 10)),
  );
  // The backup itself was counted when it was made; that it was restored, here alone.
  const ofBackups = counts.filter(({ type }) => type.startsWith('backup.'));
  assert.deepEqual(
    ofBackups.map(({ type, who, count }) => [type, who, count]),
    [['backup.restored', 'system', 1]],
  );
});

test('a folder that does not answer, as a network folder whose server is away, holds nothing for ever', async (t) => {
  const { data } = await recordedData(t);
  const { kept } = await places(t);
  await mkdir(kept);
  // Who opens it for reading waits until somebody writes.
  const pipe = join(kept, 'backup.json');
  execFileSync('mkfifo', [pipe]);
  const answer = () => writeFile(pipe, '').catch(() => {});
  await withLogAlone(data, async ({ store, keys, kept: rows, counted }) => {
    let isFree = true;
    const backups = (times: { stallMs: number; endMs: number }) =>
      openBackups({
        store,
        keys,
        kept: rows,
        data,
        counted,
        times,
        log: { info() {}, warn() {} },
        stopping: new AbortController().signal,
        async whileFilesStay(work) {
          isFree = false;
          return await work().finally(() => (isFree = true));
        },
      });
    const stalling = backups({ stallMs: 50, endMs: 10 });
    await assert.rejects(stalling.make(kept), /doesn’t respond/);
    const today = new Date().toISOString().slice(0, 10);
    assert.deepEqual(
      (await counted.of(today))
        .filter(({ type }) => type.startsWith('backup.'))
        .map(({ type, who }) => [type, who]),
      [['backup.failed', 'system']],
    );
    const failed = await stalling.now();
    assert.deepEqual([failed!.state, isFree], ['failed', true]);
    await stalling.close();
    await answer();

    const cancelled = backups({ stallMs: 60_000, endMs: 3_000 });
    await cancelled.begin(kept, 'system');
    await cancelled.cancel();
    assert.deepEqual([(await cancelled.now())!.state, isFree], ['cancelled', true]);
    await answer();
  });
});

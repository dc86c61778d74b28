import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, after, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { exportLog } from '../../src/integrity/export-log.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { postgresOwnership } from '../../src/storage/postgres/ownership.ts';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { postgresCluster, ask, openedDatabase } from '../support/postgres.ts';
import { program } from '../support/program.ts';
import { recordedData, verifyAlone } from '../support/recorded-data.ts';
import { tempDir } from '../support/temp-dir.ts';

const cluster = await postgresCluster({ after });
const masterKey = Buffer.alloc(32, 7).toString('base64');

type Answer = { code: number | null; stdout: string; stderr: string };

test('a data directory becomes a database and a shared directory, and a data directory again, byte for byte', async (t) => {
  const { data, recordings } = await recordedData(t);
  await (await openFileKeys(data.keys)).forget(recordings[0]!);
  const before = await filesOf(data.root);
  const { shared, root, migrate, command } = await place(t);
  const twinRoot = join(await tempDir(t), 'twin');

  // Killed when the files are on their way: nothing of the log is there, and the next call goes on.
  await migrate(['--from', data.root], /^keys: /);
  const [{ facts: none }] = (await ask<{ facts: number }>(
    cluster.url,
    'select count(*)::int as facts from mitschrift.facts',
  )) as [{ facts: number }];
  assert.equal(none, 0);
  const there = await migrate(['--from', data.root, '--json']);
  assert.equal(there.code, 0, there.stderr);
  const done = JSON.parse(there.stdout) as { facts: number; files: { present: number } };
  assert.ok(done.facts > 0 && done.files.present > 0, there.stdout);
  assert.match(there.stderr, /The database holds the same \d+ facts/);
  assert.ok(!(await readdir(join(shared, 'keys'))).includes(recordings[0]!));
  const again = await migrate(['--from', data.root, '--json']);
  assert.equal(again.code, 0, again.stderr);
  assert.equal((JSON.parse(again.stdout) as { files: { copied: number } }).files.copied, 0);
  const untouched = await filesOf(data.root);
  for (const [name, bytes] of before) assert.ok(untouched.get(name)?.equals(bytes), name);

  // Nodes, and another log, are refused.
  const db = await openedDatabase(t, cluster.url);
  const node = postgresOwnership(db, { leaseMs: 60_000 });
  await node.claim('projector', new AbortController().signal);
  const running = await migrate(['--from', data.root]);
  assert.deepEqual([running.code, /Stop all of them/.test(running.stderr)], [1, true]);
  await node.close();
  await db.close();
  const other = await recordedData(t, { recordings: 1, another: true });
  const refused = await migrate(['--from', other.data.root]);
  assert.deepEqual([refused.code, /another log/.test(refused.stderr)], [1, true], refused.stderr);

  // What is for a log in files does not make an empty one.
  for (const args of [
    ['backup', twinRoot],
    ['restore', twinRoot],
    ['users', 'list'],
    ['replay', '--check'],
  ]) {
    const misplaced = await command(args);
    assert.deepEqual([misplaced.code, /in a database/.test(misplaced.stderr)], [1, true], args[0]);
  }

  // Nor is an old log in files read, which lies there: no one could open this one.
  await mkdir(dataFolder(root).log);
  await writeFile(join(dataFolder(root).log, 'CURRENT'), 'damaged');
  const { stdout, stderr } = await command(['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { id: string }[] };
  const ids = checks.map(({ id }) => id);
  assert.ok(ids.includes('disk') && !ids.includes('log') && !ids.includes('keys'), stdout + stderr);
  assert.deepEqual(await readdir(dataFolder(root).log), ['CURRENT']);

  // And back.
  const twin = dataFolder(twinRoot);
  const back = await migrate(['--to', twin.root]);
  assert.equal(back.code, 0, back.stderr);
  assert.equal(await exported(t, twin), await exported(t, data));
  const report = await verifyAlone(twin);
  assert.ok(report.sound, JSON.stringify(report.findings));
  assert.equal(report.checked.keys.erased, 1);
  const repeated = await migrate(['--to', twin.root]);
  assert.equal(repeated.code, 0, repeated.stderr);
});

/** A shared directory, an empty database, and the command on both. */
async function place(t: TestContext) {
  await cluster.empty();
  const shared = join(await tempDir(t), 'shared');
  await mkdir(shared, { mode: 0o700 });
  const root = await tempDir(t);
  const env = {
    ...process.env,
    MITSCHRIFT_DATA: root,
    MITSCHRIFT_DATABASE_URL: cluster.url,
    MITSCHRIFT_BLOBS_URL: `file://${shared}`,
    MITSCHRIFT_MASTER_KEY: masterKey,
  };
  /** @param killAt a line of progress at which it is killed */
  const command = async (args: string[], killAt?: RegExp): Promise<Answer> => {
    const child = spawn(process.execPath, [program, ...args], { env });
    t.after(() => child.kill('SIGKILL'));
    const stdout = text(child.stdout);
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (killAt?.test(line)) child.kill('SIGKILL');
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, stdout: await stdout, stderr: lines.join('\n') };
  };
  return {
    shared,
    root,
    command,
    migrate: (args: string[], killAt?: RegExp) => command(['migrate', ...args], killAt),
  };
}

async function exported(t: TestContext, data: DataFolder): Promise<string> {
  const file = join(await tempDir(t), 'log.jsonl');
  await withLogAlone(data, (opened) => exportLog(opened, file, { decrypt: false }));
  return await readFile(file, 'utf8');
}

/** What people and facts have: not the database's own files, which opening it rewrites. */
async function filesOf(root: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const folder of ['keys', 'recordings', 'spaces']) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        const path = join(entry.parentPath, entry.name);
        found.set(path, await readFile(path));
      }
  }
  return found;
}

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, after, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { exportLog } from '../../src/integrity/export-log.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { openSecretsFile } from '../../src/config/secrets-file.ts';
import { soleOwnership } from '../../events/ownership.ts';
import { openBlobKeys } from '../../src/storage/blobs/blob-keys.ts';
import { openBlobs } from '../../src/storage/blobs/open-blobs.ts';
import { openPostgres } from '../../src/storage/postgres/connection.ts';
import { postgresOwnership } from '../../src/storage/postgres/ownership.ts';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { durableCalls } from '../faults/calls.ts';
import { postgresCluster, ask, openedDatabase } from '../support/postgres.ts';
import { program } from '../support/program.ts';
import { recordedData, verifyAlone } from '../support/recorded-data.ts';
import { s3Server } from '../support/s3-server.ts';
import { tempDir } from '../support/temp-dir.ts';

const cluster = await postgresCluster({ after });
const masterKey = Buffer.alloc(32, 7).toString('base64');

type Answer = { code: number | null; stdout: string; stderr: string };

test('a data directory becomes a database and a shared directory, and a data directory again, byte for byte', async (t) => {
  const { data, recordings } = await recordedData(t);
  await (await openFileKeys(data.keys)).forget(recordings[0]!);
  await (await openSecretsFile(data.secrets)).add(secrets);
  await mkdir(join(data.root, 'resumable'));
  await writeFile(join(data.root, 'resumable', '0'.repeat(32)), 'half');
  const before = await filesOf(data.root);
  const { shared, root, url, migrate, command } = await place(t);
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
  const done = JSON.parse(there.stdout) as Done;
  assert.ok(done.facts > 0 && done.files.present > 0, there.stdout);
  assert.equal(done.secrets, secrets.length);
  const sealed = await ask<{ value: string }>(
    cluster.url,
    "select value from mitschrift.kept where kind = 'secrets'",
  );
  assert.equal(sealed.length, secrets.length + 1, 'these, and the proof of the master key');
  assert.ok(!JSON.stringify(sealed).includes('sk-'), 'what is in the database is sealed');
  assert.match(there.stderr, /The database contains the same \d+ events/);
  assert.match(there.stderr, /Unfinished uploads are not copied \(1\)/);
  assert.ok(!(await readdir(join(shared, 'keys'))).includes(recordings[0]!));
  const again = await migrate(['--from', data.root, '--json']);
  assert.equal(again.code, 0, again.stderr);
  assert.equal((JSON.parse(again.stdout) as Done).files.copied, 0);
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
  const renamed = await openPostgres({ url: `${cluster.url}?application_name=notes` });
  t.after(() => renamed.close());
  const alsoNode = postgresOwnership(renamed, { leaseMs: 60_000 });
  await alsoNode.claim('projector', new AbortController().signal);
  const beside = await migrate(['--from', data.root]);
  assert.deepEqual([beside.code, /Stop all of them/.test(beside.stderr)], [1, true]);
  await alsoNode.close();
  await renamed.close();
  const other = await recordedData(t, { recordings: 1, another: true });
  const refused = await migrate(['--from', other.data.root]);
  assert.deepEqual(
    [refused.code, /contains other data/.test(refused.stderr)],
    [1, true],
    refused.stderr,
  );

  // What is for a log in files does not make an empty one.
  for (const args of [
    ['backup', twinRoot],
    ['restore', twinRoot],
    ['users', 'list'],
    ['replay', '--check'],
  ]) {
    const misplaced = await command(args);
    assert.deepEqual(
      [
        misplaced.code,
        /works only with a data directory|No node is running/.test(misplaced.stderr),
      ],
      [1, true],
      args[0],
    );
  }

  // Nor is an old log in files read, which lies there: no one could open this one.
  await mkdir(dataFolder(root).log);
  await writeFile(join(dataFolder(root).log, 'CURRENT'), 'damaged');
  const { stdout, stderr } = await command(['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { id: string }[] };
  const ids = checks.map(({ id }) => id);
  assert.ok(ids.includes('disk') && !ids.includes('log') && !ids.includes('keys'), stdout + stderr);
  assert.deepEqual(await readdir(dataFolder(root).log), ['CURRENT']);

  // What a node erases there is no damage, and stays erased.
  await openedKeys(url, done.log, (keys) => keys.forget(recordings[1]!));
  const verified = await command(['verify']);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.match(verified.stdout, /\(2 erased\): no damage/);

  // And back, with the right key only.
  const wrongKey = { MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 8).toString('base64') };
  const closed = await command(['migrate', '--to', twinRoot], { env: wrongKey });
  assert.deepEqual([closed.code, /MASTER_KEY is not the key/.test(closed.stderr)], [1, true]);
  const twin = dataFolder(twinRoot);
  // Killed between two files: no copy of a key lies about, nor when it has gone on.
  const calls = await durableCalls(t);
  await command(['migrate', '--to', twin.root], {
    env: { UV_THREADPOOL_SIZE: '1', ...calls.dieAt('rename', 2) },
  });
  assert.ok((await readdir(twin.root)).includes('.migrating'), 'it was killed');
  await writeFile(join(twin.keys, '.migrating-older'), 'a copy that 888c70e left');
  const back = await migrate(['--to', twin.root]);
  assert.equal(back.code, 0, back.stderr);
  const left = [...(await filesOf(twin.root)).keys(), ...(await readdir(shared))];
  assert.deepEqual(
    left.filter((name) => name.includes('.migrating')),
    [],
  );
  assert.deepEqual(await (await openSecretsFile(twin.secrets)).all(), secrets);
  await (await openFileKeys(data.keys)).forget(recordings[1]!);
  assert.equal(await withoutErasures(t, twin), await withoutErasures(t, data));
  const report = await verifyAlone(twin);
  assert.ok(report.sound, JSON.stringify(report.findings));
  assert.equal(report.checked.keys.erased, 2);
  const repeated = await migrate(['--to', twin.root]);
  assert.equal(repeated.code, 0, repeated.stderr);
});

test('a data directory moves into a bucket, is verified there, and comes back', async (t) => {
  const { data, recordings } = await recordedData(t);
  const server = await s3Server(t);
  const { command, migrate, url } = await place(t, server.url('notes'));
  await writeFile(join(data.spaces, '.hidden'), 'of a person');
  await mkdir(join(data.quarantine, 'aside'), { recursive: true });
  await writeFile(join(data.quarantine, 'aside', 'audio.wav'), 'aside');

  const recorded = join(data.recordings, recordings[0]!, 'capture-browser.json');
  await writeFile(recorded, '{"rate":48000}');
  const unfinished = await migrate(['--from', data.root]);
  assert.deepEqual(
    [unfinished.code, /A recording is still running/.test(unfinished.stderr)],
    [1, true],
  );
  await rm(recorded);
  const there = await migrate(['--from', data.root]);
  assert.equal(there.code, 0, there.stderr);
  assert.match(there.stdout, /2 files were not copied because a bucket can’t store them/);
  const { log } = JSON.parse((await migrate(['--from', data.root, '--json'])).stdout) as Done;
  const sound = await command(['verify']);
  assert.equal(sound.code, 0, sound.stdout + sound.stderr);
  assert.match(sound.stdout, /2 audio files, 6 documents, .*: no damage/);
  assert.ok(!sound.stdout.includes('–'), sound.stdout);

  const blobs = await openBlobs(url, { logId: log, ownership: soleOwnership() });
  t.after(() => blobs.close());
  const [first, second] = recordings;
  const audio = await readFile(join(data.recordings, first!, 'audio.wav'));
  await blobs.put(`recordings/${first}/audio.wav`, audio.subarray(1));
  await blobs.delete(`recordings/${second}/audio.wav`);
  const harmed = await command(['verify']);
  assert.equal(harmed.code, 1);
  assert.match(harmed.stdout, /the audio was altered \([\d,]+ bytes instead of [\d,]+\)/);
  assert.match(harmed.stdout, /the audio is missing/);
  for (const id of recordings)
    await blobs.put(`recordings/${id}/audio.wav`, {
      path: join(data.recordings, id, 'audio.wav'),
    });

  const twin = dataFolder(join(await tempDir(t), 'twin'));
  await blobs.put(`recordings/${first}/live/1-48000-0`, Buffer.alloc(2));
  const live = await migrate(['--to', twin.root]);
  assert.deepEqual([live.code, /A recording is still running/.test(live.stderr)], [1, true]);
  await blobs.delete(`recordings/${first}/live/1-48000-0`);
  const back = await migrate(['--to', twin.root]);
  assert.equal(back.code, 0, back.stderr);
  assert.equal(await exported(t, twin), await exported(t, data));
  const report = await verifyAlone(twin);
  assert.deepEqual(report.findings, []);
});

type Done = {
  log: string;
  facts: number;
  files: { copied: number; present: number };
  secrets: number;
};

/** As a service keeps them: under the fingerprints that its facts have. */
const secrets = [
  { name: 'llm.api_key', fingerprint: 'a'.repeat(32), text: 'sk-language' },
  { name: 'stt.api_key', fingerprint: 'b'.repeat(32), text: 'sk-speech' },
];

async function openedKeys(
  url: string,
  logId: string,
  work: (keys: Awaited<ReturnType<typeof openBlobKeys>>) => Promise<void>,
): Promise<void> {
  const blobs = await openBlobs(url, { logId, ownership: soleOwnership() });
  try {
    await work(await openBlobKeys(blobs));
  } finally {
    await blobs.close();
  }
}

/** A shared directory, an empty database, and the command on both. @param bucket in the place of the directory */
async function place(t: TestContext, bucket?: string) {
  await cluster.empty();
  const shared = join(await tempDir(t), 'shared');
  const url = bucket ?? `file://${shared}`;
  await mkdir(shared, { mode: 0o700 });
  const root = await tempDir(t);
  const env = {
    ...process.env,
    MITSCHRIFT_DATA: root,
    MITSCHRIFT_DATABASE_URL: cluster.url,
    MITSCHRIFT_BLOBS_URL: url,
    MITSCHRIFT_MASTER_KEY: masterKey,
  };
  /** @param how.killAt a line of progress at which it is killed */
  const command = async (
    args: string[],
    { killAt, env: more = {} }: { killAt?: RegExp | undefined; env?: Record<string, string> } = {},
  ): Promise<Answer> => {
    const child = spawn(process.execPath, [program, ...args], { env: { ...env, ...more } });
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
    url,
    command,
    migrate: (args: string[], killAt?: RegExp) => command(['migrate', ...args], { killAt }),
  };
}

async function exported(t: TestContext, data: DataFolder): Promise<string> {
  const file = join(await tempDir(t), 'log.jsonl');
  await withLogAlone(data, (opened) => exportLog(opened, file, { decrypt: false }));
  return await readFile(file, 'utf8');
}

/** The moments of erasures are each one's own. */
const withoutErasures = async (t: TestContext, data: DataFolder): Promise<string> =>
  (await exported(t, data)).replaceAll(/^\{"erasure".*$\n/gm, '');

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

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { logKey } from '../../events/log/records.ts';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { backup } from '../../src/integrity/backup.ts';
import { exists } from '../../src/shared/files.ts';
import { exportLog } from '../../src/integrity/export-log.ts';
import { importLog } from '../../src/integrity/import-log.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { repair, sourceOfData } from '../../src/integrity/repair.ts';
import { restore } from '../../src/integrity/restore.ts';
import { flipped, recordedData, tamper, verifyAlone } from '../support/recorded-data.ts';
import { plainFact } from '../support/sample-facts.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { durableCalls, type DurableCall } from './calls.ts';
import { program } from '../support/program.ts';

const rounds = times({ short: 1, long: 30 });
/** A command that is not over by then hangs, in milliseconds. */
const endsWithinMs = 60_000;
const killedIn: readonly DurableCall[] = ['fsync', 'fdatasync', 'rename'];

/** Runs `mitschrift` under faults; answers whether these killed it. */
async function isKilled(
  dataDir: string,
  faults: Record<string, string>,
  args: string[],
): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, ...args],
      {
        env: { ...process.env, MITSCHRIFT_DATA: dataDir, UV_THREADPOOL_SIZE: '1', ...faults },
        timeout: endsWithinMs,
      },
      (error, _stdout, stderr) => {
        if (error === null) resolve(false);
        else if (error.signal === 'SIGKILL') resolve(true);
        else reject(new Error(`${args[0]} ended with ${error.code}: ${stderr}`));
      },
    );
  });
}

/**
 * Kills a command again and again, each time at another sync or rename.
 * @param fresh where it is to work next: the data directory and the arguments, nothing done yet
 * @param judge what is there afterwards: nothing that counts, or all of it; then whether it can be repeated
 */
async function killAgainAndAgain(
  t: TestContext,
  fresh: () => Promise<{ dataDir: string; args: string[] }>,
  judge: (dataDir: string) => Promise<'nothing' | 'whole'>,
): Promise<void> {
  const random = seeded(seed);
  const undisturbed = await fresh();
  const calls = await durableCalls(t);
  const { env, made } = calls.counted();
  assert.equal(await isKilled(undisturbed.dataDir, env, undisturbed.args), false);
  const counts = await made();
  assert.equal(await judge(undisturbed.dataDir), 'whole');
  const found = { killed: 0, nothing: 0, whole: 0 };
  // One that makes fewer calls than it did undisturbed lives: until enough were killed.
  const enough = () => found.killed > rounds / 2;
  for (let round = 0; round < rounds || (!enough() && round < 5 * rounds); round += 1) {
    const { dataDir, args } = await fresh();
    const call = random.pick(killedIn.filter((one) => counts[one] > 0));
    const kill = calls.dieAt(call, 1 + random.below(counts[call]));
    if (await isKilled(dataDir, kill, args)) found.killed += 1;
    found[await judge(dataDir)] += 1;
  }
  t.diagnostic(JSON.stringify(found));
  assert.ok(enough(), 'a run in which hardly anything was killed shows nothing');
}

/** The log of a data directory, byte for byte. */
async function exported(t: TestContext, data: DataFolder): Promise<string> {
  const file = join(await tempDir(t), 'log.jsonl');
  await withLogAlone(data, (opened) => exportLog(opened, file, { decrypt: false }));
  return await readFile(file, 'utf8');
}

const isEmpty = async (root: string): Promise<boolean> =>
  !(await exists(root)) || (await readdir(root)).length === 0;

test(`${rounds} times a restore is killed: nothing is there, or everything (SEED=${seed})`, async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const kept = join(await tempDir(t), 'backup');
  await withLogAlone(data, (opened) => backup({ ...opened, data }, kept));
  const expected = await exported(t, data);
  let isThere = false;
  await killAgainAndAgain(
    t,
    async () => {
      const dataDir = join(await tempDir(t), 'data');
      // Every other one is there and empty, as a mount is.
      isThere = !isThere;
      if (isThere) await mkdir(dataDir);
      return { dataDir, args: ['restore', kept] };
    },
    async (dataDir) => {
      const target = dataFolder(dataDir);
      const nothing = !(await exists(target.log));
      if (nothing) await restore(kept, target);
      assert.equal((await verifyAlone(target)).sound, true);
      assert.equal(await exported(t, target), expected);
      return nothing ? 'nothing' : 'whole';
    },
  );
});

test(`${rounds} times an import is killed: no log is there, or all of it (SEED=${seed})`, async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const file = join(await tempDir(t), 'log.jsonl');
  await withLogAlone(data, (opened) => exportLog(opened, file, { decrypt: false }));
  const expected = await readFile(file, 'utf8');
  await killAgainAndAgain(
    t,
    async () => {
      const dataDir = join(await tempDir(t), 'data');
      // An exported log is imported beside what it speaks of.
      for (const folder of ['keys', 'recordings', 'spaces']) {
        await cp(join(data.root, folder), join(dataDir, folder), { recursive: true });
      }
      return { dataDir, args: ['import-log', file] };
    },
    async (dataDir) => {
      const target = dataFolder(dataDir);
      const nothing = await verifyAlone(target).then(
        () => false,
        (error: Error) => /There is no log/.test(error.message) || Promise.reject(error),
      );
      if (nothing) await importLog(target, file);
      else await assert.rejects(importLog(target, file), /already has an event log/);
      assert.equal(await exported(t, target), expected);
      return nothing ? 'nothing' : 'whole';
    },
  );
});

test(`${rounds} times a backup is killed: the one before counts, or the new one (SEED=${seed})`, async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const first = join(await tempDir(t), 'backup');
  await withLogAlone(data, (opened) => backup({ ...opened, data }, first));
  const old = await exported(t, data);
  await withLogAlone(data, ({ store }) => store.append('config', [plainFact('later')], 0));
  const now = await exported(t, data);
  let kept = '';
  await killAgainAndAgain(
    t,
    async () => {
      kept = join(await tempDir(t), 'backup');
      await cp(first, kept, { recursive: true, preserveTimestamps: true });
      return { dataDir: data.root, args: ['backup', kept] };
    },
    async () => {
      const target = dataFolder(join(await tempDir(t), 'data'));
      assert.equal((await restore(kept, target)).verified.sound, true);
      const log = await exported(t, target);
      assert.ok(log === old || log === now);
      await rm(target.root, { recursive: true });
      await withLogAlone(data, (opened) => backup({ ...opened, data }, kept));
      assert.equal((await restore(kept, target)).verified.sound, true);
      assert.equal(await exported(t, target), now);
      return log === old ? 'nothing' : 'whole';
    },
  );
});

test(`${rounds} times a repair is killed: nothing is there, or all that can be salvaged (SEED=${seed})`, async (t) => {
  const { data, recordings } = await recordedData(t);
  await tamper(data, async (db) => {
    const binary = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;
    const key = logKey(Number(await db.get(`!streams!recording-${recordings[0]}!000000000004`)));
    await db.put(key, flipped(await db.get<Buffer, Buffer>(key, binary), 60, 2), binary);
  });
  const reference = dataFolder(join(await tempDir(t), 'reference'));
  const { facts } = await repair(sourceOfData(data.root), reference.root);
  let target = dataFolder('');
  await killAgainAndAgain(
    t,
    async () => {
      target = dataFolder(join(await tempDir(t), 'salvaged'));
      return { dataDir: data.root, args: ['repair', '--out', target.root] };
    },
    async () => {
      const nothing = await isEmpty(target.root);
      if (nothing) await repair(sourceOfData(data.root), target.root);
      const { sound, checked } = await verifyAlone(target);
      assert.deepEqual([sound, checked.records], [true, facts]);
      return nothing ? 'nothing' : 'whole';
    },
  );
});

import { Level } from 'level';
import { execFile } from 'node:child_process';
import { cp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, after } from 'node:test';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { type VerifyReport, verifyData } from '../../src/integrity/verify.ts';
import { scrubStateFile } from '../../src/integrity/scrub.ts';
import { wav, withAda } from './http-client.ts';
import { program } from './program.ts';
import { type HasEnd, tempDir } from './temp-dir.ts';

export type RecordedData = {
  data: DataFolder;
  /** Ids of finished recordings, with audio and documents. */
  recordings: string[];
};

const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends) await end();
});
/** By how many recordings are in it; tests get copies. */
const originals = new Map<number, Promise<RecordedData>>();

/**
 * A data directory that a service of real parts worked in and has left. The same for all tests of a file, each
 * with a copy of its own; `another` has another history.
 */
export async function recordedData(
  t: TestContext,
  { recordings: count = 2, another = false } = {},
): Promise<RecordedData> {
  if (another) return await record(t, count);
  const original = originals.get(count) ?? record({ after: (end) => ends.push(end) }, count);
  originals.set(count, original);
  const { data, recordings } = await original;
  const copy = dataFolder(join(await realpath(await tempDir(t)), 'data'));
  const filter = (path: string) => !path.startsWith(join(data.root, 'reserve'));
  await cp(data.root, copy.root, { recursive: true, preserveTimestamps: true, filter });
  return { data: copy, recordings };
}

async function record(t: HasEnd, count: number): Promise<RecordedData> {
  const { service, token } = await withAda(t);
  const recordings: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const audio = wav(0.1 + index / 100);
    const fields = { title: `Meeting ${index}` };
    recordings.push(await service.settled(token, fields, { audio }));
  }
  await service.close();
  // As if nobody had looked through it yet: tests do, on clocks of their own.
  await rm(join(service.dataDir, scrubStateFile), { force: true });
  return { data: dataFolder(service.dataDir), recordings };
}

/** `verifyData` on a data directory that nobody has open. */
export const verifyAlone = (data: DataFolder): Promise<VerifyReport> =>
  withLogAlone(data, (opened) => verifyData({ ...opened, data }));

/** Works on the database of a closed log behind its back. */
export async function tamper(data: DataFolder, work: (db: Level) => Promise<void>): Promise<void> {
  const db = new Level(data.log);
  await db.open({ createIfMissing: false });
  try {
    await work(db);
  } finally {
    await db.close();
  }
}

/** A copy of some bytes with one bit changed. */
export function flipped(bytes: Uint8Array, byte: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[byte] = copy[byte]! ^ (1 << bit);
  return copy;
}

/** Runs `mitschrift` from source in a data directory; never throws for an exit code. */
export function mitschrift(
  dataDir: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const root = join(import.meta.dirname, '../..');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      { cwd: root, env: { ...process.env, MITSCHRIFT_DATA: dataDir } },
      (error, stdout, stderr) => {
        resolve({
          code: typeof error?.code === 'number' ? error.code : error ? 1 : 0,
          stdout,
          stderr,
        });
      },
    );
  });
}

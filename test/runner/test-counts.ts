import { readFile, writeFile } from 'node:fs/promises';
import type { FileRun } from './run-together.ts';

/** The number of tests of each file that is at least expected. */
export type TestCounts = Record<string, number>;

/** All tests of a file, however they ended. */
export function testsOf({ result }: FileRun): number {
  if (result === undefined) return 0;
  return result.passed + result.failed.length + result.hidden.length;
}

export async function readCounts(path: string): Promise<TestCounts> {
  return JSON.parse(await readFile(path, 'utf8')) as TestCounts;
}

/** Where a file has fewer tests than were committed, a sentence. */
export function fewerThan(counts: TestCounts, run: FileRun): string[] {
  const expected = counts[run.file] ?? 0;
  const actual = testsOf(run);
  // A file that ended early says so itself.
  if (run.result === undefined || actual >= expected) return [];
  return [`It has ${actual} tests, ${expected} are committed (npm run counts commits fewer)`];
}

/** The committed files that are not there any more. */
export function missingFiles(counts: TestCounts, files: readonly string[]): string[] {
  const present = new Set(files);
  return Object.keys(counts).filter((file) => !present.has(file));
}

/** Commits what has run; other files keep their count as long as they exist. */
export async function writeCounts(
  path: string,
  { before, runs, files }: { before: TestCounts; runs: FileRun[]; files: readonly string[] },
): Promise<void> {
  const present = new Set(files);
  const kept = Object.entries(before).filter(([file]) => present.has(file));
  const counted = runs.map((run): [string, number] => [run.file, testsOf(run)]);
  const all = Object.fromEntries([...new Map([...kept, ...counted])].toSorted());
  await writeFile(path, `${JSON.stringify(all, null, 2)}\n`);
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRun } from './run-together.ts';

/** The files that took longest when `npm run counts` ran them all; the longest first. */
const listPath = join(import.meta.dirname, 'longest.json');
/** What is over sooner may come in any order. */
const listedSeconds = 8;

/** The same files: what takes long is begun early, so that nothing runs alone at the end. */
export async function longestFirst(files: readonly string[]): Promise<string[]> {
  const listed = JSON.parse(await readFile(listPath, 'utf8')) as string[];
  const present = new Set(files);
  const long = listed.filter((file) => present.has(file));
  return [...new Set([...long, ...files])];
}

export async function writeLongest(runs: readonly FileRun[]): Promise<void> {
  const long = runs.filter(({ seconds }) => seconds >= listedSeconds);
  const names = long.toSorted((a, b) => b.seconds - a.seconds).map(({ file }) => file);
  await writeFile(listPath, `${JSON.stringify(names, null, 2)}\n`);
}

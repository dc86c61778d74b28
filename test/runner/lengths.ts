import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRun } from './run-together.ts';

/** Seconds that files took when `npm run counts` ran them all; those that are not listed were over sooner. */
export type Lengths = Readonly<Record<string, number>>;

const lengthsPath = join(import.meta.dirname, 'lengths.json');
/** `npm test` leaves files that take as long to `npm run test:all`. */
const listedSeconds = 6;

/** Those that `npm test` runs all the same, for what no shorter file shows. */
const always: Readonly<Record<string, string>> = {
  'test/capture/recording.test.ts': 'a recording from a device',
  'test/e2e/first-steps.test.ts': 'the first page of the README',
  'test/faults/kill.test.ts': 'a service, killed',
  'test/http/isolation.test.ts': 'nothing of others is answered',
  'test/http/repeated-after-restart.test.ts': 'every request that is sent twice',
  'test/integrity/backup.test.ts': 'a backup, restored',
  'test/machines/graph.test.ts': 'every state of the statechart',
  'test/model/histories.test.ts': 'histories of everything, on both stores',
  'test/security/every-operation.test.ts': 'every operation, asked by strangers',
  'test/speech/local-engine.test.ts': 'the built-in recogniser',
  'test/web/editing.test.ts': 'corrections',
  'test/web/first-note.test.ts': 'from setting up to the first note',
  'test/web/login.test.ts': 'logging in',
  'test/web/microphone.test.ts': 'recording with a browser: no sample is lost',
  'test/web/settings.test.ts': 'settings and people',
};

export async function readLengths(): Promise<Lengths> {
  return JSON.parse(await readFile(lengthsPath, 'utf8')) as Lengths;
}

/** The same files: what takes long is begun early, so that nothing runs alone at the end. */
export const longestFirst = (files: readonly string[], lengths: Lengths): string[] =>
  files.toSorted((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0));

/** Of these files, those that `npm test` runs. @throws {Error} one that always runs is gone */
export function filesOfShortRun(files: readonly string[], lengths: Lengths): string[] {
  const gone = Object.keys(always).filter((file) => !files.includes(file));
  if (gone.length > 0) throw new Error(`Not there any more: ${gone.join(', ')}`);
  return files.filter((file) => file in always || !(file in lengths));
}

export async function writeLengths(runs: readonly FileRun[]): Promise<void> {
  const long = runs
    .map(({ file, seconds }): [string, number] => [file, Math.round(seconds)])
    .filter(([, seconds]) => seconds >= listedSeconds);
  const lengths = Object.fromEntries(long.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(lengthsPath, `${JSON.stringify(lengths, null, 2)}\n`);
}

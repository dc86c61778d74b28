import { readFile } from 'node:fs/promises';

/**
 * Run on LevelDB and, beside that, in every run as nodes on PostgreSQL: commands, their rows, the search and sessions. Each
 * adapter has its contract (`test/storage/postgres/`), and `test/model/histories.test.ts` lives on both stores.
 */
const core: readonly string[] = [
  'test/http/erasing.test.ts',
  'test/http/idempotency.test.ts',
  'test/http/search.test.ts',
  'test/http/session.test.ts',
];

/** What does not run there, and why. */
const notOnPostgres: Readonly<Record<string, string>> = {
  'test/http/audio.test.ts': 'looks for audio.wav and peaks beside it; nodes have other names',
  'test/http/backup.test.ts': 'a database is backed up by its own tools',
  'test/http/doctor.test.ts':
    'of a log in files; of a cluster: nodes.test.ts, doctor/cluster.test.ts',
  'test/http/erase-copies.test.ts': 'copies in notes.vault, which has no effect on nodes',
  'test/http/models.test.ts': 'starts a process on files',
  'test/http/open.test.ts': 'copies into notes.vault, which has no effect on nodes',
  'test/http/readings.test.ts': 'ends with mitschrift verify on files',
  'test/http/starting.test.ts': 'opening and damage of LevelDB',
  'test/security/dependencies.test.ts': 'lists devices, which nodes do not record',
};

/** Tests of whole services, which `test/support/test-store.ts` starts on either. */
const folders = ['test/http/', 'test/recordings/', 'test/security/'];
const starting =
  /\b(?:startService|withAda|wholeService|testPipeline|openMeetingWorld|spelledWorld)\(/;

/** Which of these files run on PostgreSQL too. @param isLong all that can; else the core */
export async function filesOnPostgres(
  files: readonly string[],
  isLong: boolean,
): Promise<string[]> {
  const left = new Set(Object.keys(notOnPostgres));
  const gone = [...core, ...left].filter((file) => !files.includes(file));
  if (gone.length > 0) throw new Error(`Not there any more: ${gone.join(', ')}`);
  if (!isLong) return files.filter((file) => core.includes(file));
  const found: string[] = [];
  for (const file of files) {
    if (!folders.some((folder) => file.startsWith(folder)) || left.has(file)) continue;
    if (starting.test(await readFile(file, 'utf8'))) found.push(file);
  }
  return found;
}

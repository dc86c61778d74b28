import { readFile } from 'node:fs/promises';

/** Run on LevelDB and, beside that, in every run as nodes on PostgreSQL: a core of what people do. */
const core: readonly string[] = [];

/** What cannot run there, and why. */
export const notOnPostgres: Readonly<Record<string, string>> = {};

/** Tests of whole services, which `test/support/test-store.ts` starts on either. */
const folders = ['test/http/', 'test/recordings/', 'test/search/', 'test/security/'];
const starting = /\b(?:startService|wholeService|testPipeline|openMeetingWorld)\(/;

/** Which of these files run on PostgreSQL too. @param isLong all that can; else the core */
export async function filesOnPostgres(
  files: readonly string[],
  isLong: boolean,
): Promise<string[]> {
  const gone = [...core, ...Object.keys(notOnPostgres)].filter((file) => !files.includes(file));
  if (gone.length > 0) throw new Error(`Not there any more: ${gone.join(', ')}`);
  if (!isLong) return files.filter((file) => core.includes(file));
  const found: string[] = [];
  for (const file of files) {
    if (!folders.some((folder) => file.startsWith(folder)) || file in notOnPostgres) continue;
    if (starting.test(await readFile(file, 'utf8'))) found.push(file);
  }
  return found;
}

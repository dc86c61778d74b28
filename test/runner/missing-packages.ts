import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Programs that tests start, and the Debian packages they are in: `.ci/run` reads it too. */
const tablePath = join(import.meta.dirname, 'debian-packages.json');

/** What to install for the programs that tests start and that are missing; empty when none is. */
export async function adviceOnMissing(outputs: readonly string[]): Promise<string> {
  const table = JSON.parse(await readFile(tablePath, 'utf8')) as Record<string, string>;
  const lookedFor = outputs.flatMap((output) =>
    [...output.matchAll(/spawn ([\w.-]+) ENOENT/g)].map(([, program]) => program!),
  );
  const missing: string[] = [];
  for (const program of new Set([...Object.keys(table), ...lookedFor])) {
    if (!(await isInstalled(program))) missing.push(program);
  }
  if (missing.length === 0) return '';
  const packages = missing.flatMap((program) => table[program] ?? []).toSorted();
  const install =
    packages.length === 0 ? '' : `\nInstall: apt-get install -y ${packages.join(' ')}`;
  return `Programs that tests start are missing: ${missing.join(', ')}.${install}`;
}

async function isInstalled(program: string): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = await Promise.allSettled(
    folders.map((folder) => access(join(folder, program), constants.X_OK)),
  );
  return found.some(({ status }) => status === 'fulfilled');
}

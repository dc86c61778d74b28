import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json: above `src/` in development, above `dist/src/` when built. */
export const packageRoot: string = findRoot(import.meta.dirname);

/** The version in package.json. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string })
    .version;

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('Mitschrift is not complete: package.json is missing');
  return findRoot(above);
}

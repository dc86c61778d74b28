import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { createRequire } from 'node:module';

/** The folder of package.json: above `src/` in development, above `dist/src/` when built. */
export const packageRoot: string = findRoot(import.meta.dirname);

/** The version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(join(packageRoot, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

/**
 * The file of a separate program, to be started by path: TypeScript in development (tsx), below `dist/`
 * when built, also after bundling.
 * @param name its path from the root without ending, e.g. `src/speech/local/local-worker`; `.build.mjs` knows all
 */
export function programPath(name: string): string {
  const ending = extname(import.meta.filename);
  return ending === '.ts'
    ? join(packageRoot, `${name}.ts`)
    : join(packageRoot, 'dist', `${name}${ending}`);
}

/** Whether an optional package is there. */
export function isInstalled(packageName: string): boolean {
  try {
    createRequire(import.meta.url).resolve(packageName);
    return true;
  } catch {
    return false;
  }
}
/**
 * A part of the program that is loaded when it is first needed, so that the start need not wait for it.
 * All who ask at once get the same; a failure is theirs, and who asks next tries again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    if (loaded) return loaded;
    const loading = load();
    loaded = loading;
    loading.catch(() => {
      if (loaded === loading) loaded = undefined;
    });
    return loading;
  };
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('Mitschrift is not complete: package.json is missing');
  return findRoot(above);
}

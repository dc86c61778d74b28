import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

export type Needed = {
  /** Our own files, paths from the root, sorted. */
  files: string[];
  /** Names of packages, sorted; Node's own modules are not told. */
  packages: string[];
};

/** What is loaded before a file runs: what it imports, what that imports, and so on. Not what waits for an `import()`. */
export async function neededBy(root: string, entry: string): Promise<Needed> {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    files.add(path);
    for (const specifier of importedBy(await readFile(join(root, path), 'utf8'))) {
      if (specifier.startsWith('.')) {
        waiting.push(posix.join(posix.dirname(path), specifier));
      } else if (!specifier.startsWith('node:')) {
        packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0]);
      }
    }
  }
  return { files: [...files].toSorted(), packages: [...packages].toSorted() };
}

/** Static imports and re-exports that are there at run time; types are not. */
function importedBy(source: string): string[] {
  const pattern = /^(?:(?:import|export)\s+(?!type\b)[^;'"]*?from\s+|import\s+)'([^'\n]+)'/gm;
  return [...source.matchAll(pattern)]
    .filter(([statement]) => !/^(?:import|export)\s+\{(?:\s*type\s[^,}]*,?)+\s*\}/.test(statement))
    .map((match) => match[1]!);
}

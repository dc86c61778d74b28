import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** Which of our folders a folder may import from. */
const mayImport: Record<string, readonly string[]> = {
  events: ['events'],
  machines: ['machines', 'events'],
  projections: ['projections', 'events'],
  src: ['src', 'machines', 'events', 'projections'],
  web: ['web'],
};

/** Packages that folders without I/O may use; the others may use any. */
const packages: Record<string, RegExp> = {
  machines: /^xstate(\/graph)?$/,
  projections: /^(?!node:)/,
  web: /^(?!node:)/,
};

/** Imports in the tree below `root` that point the wrong way, a line each. */
export async function wrongImports(root: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const folder of Object.keys(mayImport)) {
    const files = await readdir(join(root, folder), { recursive: true }).catch(() => []);
    for (const file of files.filter((name) => /\.(ts|js|mjs)$/.test(name))) {
      const path = posix.join(folder, file);
      const source = await readFile(join(root, path), 'utf8');
      for (const specifier of specifiersIn(source)) {
        const allowed = specifier.startsWith('.')
          ? mayBe(folder, posix.normalize(posix.join(posix.dirname(path), specifier)))
          : (packages[folder]?.test(specifier) ?? true);
        if (!allowed) wrong.push(`${path} imports ${specifier}`);
      }
    }
  }
  return wrong;
}

/** `src/shared` is below all folders: it imports nothing of ours. */
const mayBe = (folder: string, target: string): boolean =>
  mayImport[folder]!.includes(target.split('/')[0]!) ||
  (['events', 'projections'].includes(folder) && target.startsWith('src/shared/'));

/** What a source imports: static, side-effect, dynamic and type imports, re-exports, require. */
function specifiersIn(source: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"\n]+)['"]/g;
  return [...source.matchAll(pattern)].map((match) => match[1]!);
}

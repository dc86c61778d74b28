import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

/**
 * The floors of the house, from the lowest. A folder imports from itself and from floors below its own,
 * never from another folder of its own floor. A path ends with `/`, or names a file; `main.ts` belongs to
 * the folder that puts the service together.
 */
const floors: readonly (readonly (readonly string[])[])[] = [
  [['src/words/']],
  [['src/shared/']],
  [['events/'], ['src/audio/'], ['src/servers/']],
  [['machines/'], ['projections/']],
  [['src/config/'], ['src/language/']],
  [['src/storage/']],
  [['src/speech/'], ['src/documents/'], ['src/tray/']],
  [['src/recordings/'], ['src/export/'], ['src/search/']],
  [['src/capture/'], ['src/integrity/'], ['src/meaning/'], ['src/metrics/'], ['src/order/']],
  [['src/accounts/'], ['src/doctor/']],
  [['src/retention/']],
  [['src/http/']],
  [['src/recorder/']],
  [['src/main.ts', 'src/service/']],
  [['src/cli/']],
];

/** Narrower than the floors: which of our top folders one may import from. */
const mayImport: Record<string, readonly string[]> = {
  events: ['events', 'src/shared', 'src/words'],
  machines: ['machines', 'events'],
  projections: ['projections', 'events', 'src/shared', 'src/words'],
  src: ['src', 'machines', 'events', 'projections'],
  web: ['web'],
};

/** What browsers share with the service's side: such a file imports nothing but others of these. */
const sharedWithBrowsers = [
  'src/shared/audio-uplink.ts',
  'src/shared/once-more.ts',
  'src/shared/pauses.ts',
  'src/shared/people-limits.ts',
];

/** What of `events/log/` is not about LevelDB: sealing and keys. */
const notOfLevel = ['sealing.ts', 'file-keys.ts'];

/** Who reaches the log in LevelDB: who opens it, the rows beside it, and what works on its very files. */
const mayReachLevel = [
  'events/',
  'src/service/',
  'src/storage/',
  'src/integrity/backup.ts',
  'src/integrity/erased-files.ts',
  'src/integrity/import-log.ts',
  'src/integrity/new-directory.ts',
  'src/integrity/open-mark.ts',
  'src/integrity/repair.ts',
  'src/integrity/restore.ts',
  'src/integrity/tables/',
];

/** Packages that folders without I/O may use; the others may use any. */
const packages: Record<string, RegExp> = {
  machines: /^xstate(\/graph)?$/,
  projections: /^(?!node:)/,
  web: /^(?!node:)/,
};

/** Runs in Node when the web app is built. */
const buildOfWeb = 'web/vite.config.ts';

/** Imports in the tree below `root` that point the wrong way, a line each. */
export async function wrongImports(root: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const folder of Object.keys(mayImport)) {
    const files = await readdir(join(root, folder), { recursive: true }).catch(() => []);
    for (const file of files.filter((name) => /\.(ts|js|mjs|svelte)$/.test(name)).toSorted()) {
      const path = posix.join(folder, file);
      const source = await readFile(join(root, path), 'utf8');
      for (const specifier of specifiersIn(source)) {
        const target = posix.normalize(posix.join(posix.dirname(path), specifier));
        const allowed = sharedWithBrowsers.includes(path)
          ? sharedWithBrowsers.includes(target)
          : isOfBuild(path, specifier)
            ? true
            : specifier.startsWith('.')
              ? mayBe(path, target)
              : path === buildOfWeb || (packages[folder]?.test(specifier) ?? true);
        if (!allowed) wrong.push(`${path} imports ${specifier}`);
      }
    }
  }
  return wrong;
}

/** What both builds do together lies beside them, above all folders. */
const isOfBuild = (path: string, specifier: string): boolean =>
  path === buildOfWeb && specifier === '../.build-licences.mjs';

function mayBe(path: string, target: string): boolean {
  const top = path.split('/')[0]!;
  if (top === 'web' && sharedWithBrowsers.includes(target)) return true;
  if (!mayImport[top]!.some((folder) => target.startsWith(`${folder}/`))) return false;
  if (top === 'web') return true;
  if (isOfLevel(target) && !mayReachLevel.some((from) => path.startsWith(from))) return false;
  const [from, to] = [placeOf(path), placeOf(target)];
  // A file outside the table has no place in the house.
  if (from === undefined || to === undefined) return false;
  return from.folder === to.folder || from.floor > to.floor;
}

/** Everybody else goes by the ports: `events/store.ts`, `events/event-log.ts`. */
const isOfLevel = (target: string): boolean =>
  target.startsWith('events/log/') && !notOfLevel.some((file) => target === `events/log/${file}`);

function placeOf(path: string): { floor: number; folder: readonly string[] } | undefined {
  for (const [floor, folders] of floors.entries()) {
    const folder = folders.find((parts) =>
      parts.some((part) => (part.endsWith('/') ? path.startsWith(part) : path === part)),
    );
    if (folder) return { floor, folder };
  }
  return undefined;
}

/** What a source imports: static, side-effect, dynamic and type imports, re-exports, require. */
function specifiersIn(source: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"\n]+)['"]/g;
  return [...source.matchAll(pattern)].map((match) => match[1]!);
}

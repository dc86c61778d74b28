/**
 * The tests as plain JavaScript, put together by Rolldown (https://rolldown.rs) once a run: starting a
 * file through a TypeScript loader, module by module, takes four to six times the processor's time.
 */
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { transform } from 'rolldown/utils';
import { browserPackages, webSources } from './web-plugin.ts';

export type TestBundle = {
  /** The built files: as in the tree, with the ending `.js`. */
  folder: string;
  /** Where a file is built to. @param path of its source. */
  builtPath(path: string): string;
  remove(): Promise<void>;
};

/** In the process of test files. */
const ofProcess = ['test/runner/file-reporter', 'test/runner/in-order'];
/** Processes that tests start (`testProgram` in `support/program.ts`). */
const programs = [
  'test/documents/document-writer',
  'test/faults/capturer',
  'test/faults/cluster-node',
  'test/faults/forgetter',
  'test/faults/log-reader',
  'test/faults/writer',
  'test/support/lock-holder-process',
  'test/support/projector-process',
  'test/support/no-network-process',
  'test/support/pulse-service-process',
  'test/support/spelling-process',
];
/** Packages of many files that most tests load, besides those built into the service; the others are loaded from `node_modules`. */
const bundledPackages = ['ajv', 'ajv-formats', 'fast-check'];

/**
 * Builds test files, below `.tests/` in a folder of this run's own.
 * @param files paths of test files, in the tree or elsewhere.
 * @throws {Error} when one cannot be read or parsed, or imports what is not there.
 */
export async function bundleTests(root: string, files: readonly string[]): Promise<TestBundle> {
  const all = join(root, '.tests');
  await removeLeftOver(all);
  const folder = join(all, String(process.pid));
  const nameOf = (path: string) => relative(root, path).replace(/\.ts$/, '').replaceAll('..', '_');
  // Files from elsewhere (the tests of the runner's own) start none of them.
  const isOurs = files.some((file) => file.startsWith(join(root, 'test/')));
  const built = isOurs ? [...ofProcess, ...programs] : ofProcess;
  const entries = [...files, ...built.map((name) => join(root, `${name}.ts`))];
  const packages = await loadedPackages(root);
  await mkdir(folder, { recursive: true });
  await build({
    cwd: root,
    input: Object.fromEntries(entries.map((path) => [nameOf(path), path])),
    platform: 'node',
    external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [
      ...webSources(root),
      {
        name: 'places',
        transform: { filter: { id: /\.ts$/, code: /import\.meta/ }, handler: asInTheTree },
      },
    ],
    checks: { eval: false, ineffectiveDynamicImport: false },
    // As Vite would say it.
    transform: { define: { 'import.meta.env.MODE': '"test"' } },
    logLevel: 'warn',
    output: {
      dir: folder,
      format: 'esm',
      // Otherwise a chunk that files share may run before what a file imports first, as a document for components.
      strictExecutionOrder: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      comments: false,
      sourcemap: true,
    },
  });

  /** Tests find fixtures and files of the tree beside themselves; the product is as it is when built. */
  async function asInTheTree(code: string, path: string) {
    if (!entries.includes(path) && !path.startsWith(join(root, 'test/'))) return null;
    const define = {
      'import.meta.dirname': JSON.stringify(dirname(path)),
      'import.meta.filename': JSON.stringify(path),
      'import.meta.url': JSON.stringify(pathToFileURL(path).href),
    };
    const { code: js, map, errors } = await transform(path, code, { define, sourcemap: true });
    if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
    return { code: js, map: map ?? null, moduleType: 'js' as const };
  }

  return {
    folder,
    builtPath: (path) => join(folder, `${nameOf(path)}.js`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function loadedPackages(root: string): Promise<string[]> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
  type Package = Record<(typeof kinds)[number], Record<string, string>> & { builtIn: string[] };
  const parsed = JSON.parse(text) as Package;
  const bundled = new Set([...parsed.builtIn, ...bundledPackages, ...browserPackages]);
  return kinds.flatMap((kind) => Object.keys(parsed[kind])).filter((name) => !bundled.has(name));
}

/** What runs left here that were killed: their folders are named by their processes. */
async function removeLeftOver(all: string): Promise<void> {
  const names = await readdir(all).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    if (!isRunning(Number(name))) await rm(join(all, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';

/** What the house does not allow to anything new; a number of lines each, or the files that export a name. */
export type Debts = {
  /** By path and name; those without a name count as one for each file. */
  longFunctions: Record<string, number>;
  longFiles: Record<string, number>;
  /** Names that are exported twice. */
  names: Record<string, string[]>;
};

/** The list that may only get shorter: `npm run debts` takes out what is paid. */
export const listPath = join(import.meta.dirname, 'debts.json');

const service = ['events', 'machines', 'projections', 'src'];
/** Its folders have words of the same names; oxlint sees of a component the script alone. */
const web = 'web';
const limits = join(import.meta.dirname, 'size-limits.json');
const linesMax = 400;

/** What the tree below `root` owes. */
export async function debtsOf(root: string): Promise<Debts> {
  const there = await readdir(root);
  const folders = service.filter((name) => there.includes(name));
  const debts: Debts = {
    longFunctions: {},
    longFiles: there.includes(web) ? await longComponents(root) : {},
    names: await twice(root, folders),
  };
  const found = await lint(root, there.includes(web) ? [...folders, web] : folders);
  for (const { message, filename } of found.toSorted((a, b) =>
    a.filename < b.filename ? -1 : 1,
  )) {
    const lines = Number(/\((\d+)\)/.exec(message)![1]);
    const path = filename.replaceAll('\\', '/');
    if (message.startsWith('File ')) {
      debts.longFiles[path] ??= lines;
      continue;
    }
    const name = `${path} ${/`(.+)`/.exec(message)?.[1] ?? '(without a name)'}`;
    debts.longFunctions[name] = (debts.longFunctions[name] ?? 0) + lines;
  }
  return debts;
}

/** What `now` owes beyond `listed`, and what is listed and paid, a line each. */
export function compare(now: Debts, listed: Debts): { added: string[]; paid: string[] } {
  const added: string[] = [];
  const paid: string[] = [];
  for (const kind of ['longFunctions', 'longFiles'] as const) {
    for (const [name, lines] of Object.entries(now[kind])) {
      if (lines > (listed[kind][name] ?? 0)) added.push(`${name} has ${lines} lines`);
    }
    for (const name of Object.keys(listed[kind])) if (!(name in now[kind])) paid.push(name);
  }
  for (const [name, files] of Object.entries(now.names)) {
    const known = listed.names[name]?.length ?? 0;
    if (files.length > known) added.push(`${name} is exported by ${files.join(' and ')}`);
  }
  for (const name of Object.keys(listed.names)) if (!(name in now.names)) paid.push(name);
  return { added, paid };
}

type Diagnostic = { message: string; filename: string };

function lint(root: string, folders: readonly string[]): Promise<Diagnostic[]> {
  const require = createRequire(import.meta.url);
  const oxlint = join(require.resolve('oxlint/package.json'), '../bin/oxlint');
  // Of types that are made, nobody writes a line.
  const args = [oxlint, '-c', limits, '-f', 'json', '--ignore-pattern', '**/*.d.ts', ...folders];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 1 << 26 }, (error, stdout) => {
      // It ends with 1 when it has found something.
      if (error && error.code !== 1) reject(error);
      else resolve((JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics);
    });
  });
}

async function longComponents(root: string): Promise<Record<string, number>> {
  const names = (await readdir(join(root, web), { recursive: true })).toSorted();
  const long: Record<string, number> = {};
  for (const name of names.filter((each) => each.endsWith('.svelte'))) {
    const text = await readFile(join(root, web, name), 'utf8');
    const lines = text.split('\n').length - 1;
    if (lines > linesMax) long[posix.join(web, name)] = lines;
  }
  return long;
}

async function twice(root: string, folders: readonly string[]): Promise<Record<string, string[]>> {
  const exportedBy = new Map<string, string[]>();
  for (const folder of folders) {
    const files = (await readdir(join(root, folder), { recursive: true })).toSorted();
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const path = posix.join(folder, file);
      for (const name of exportsOf(await readFile(join(root, path), 'utf8'))) {
        exportedBy.set(name, [...(exportedBy.get(name) ?? []), path]);
      }
    }
  }
  return Object.fromEntries([...exportedBy].filter(([, paths]) => paths.length > 1).toSorted());
}

/** A type and a value of one name are one. */
function exportsOf(source: string): Set<string> {
  const declared =
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|type|interface|enum) +(\w+)/gm;
  return new Set([...source.matchAll(declared)].map(([, name]) => name!));
}

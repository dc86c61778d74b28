/**
 * `npm run build`, after the type check: `dist/`, put together by Rolldown (https://rolldown.rs).
 *
 * What the service needs until it listens is one file, because finding and reading six hundred takes
 * longer than running them. Everything else is loaded when it is needed: our own parts from files beside
 * (`chunks/`), packages from `node_modules` as ever. `node .build.mjs [folder [program]]`: the
 * service, or one program alone (a path from here without its ending).
 */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import { noteBundled } from './.build-licences.mjs';

const root = import.meta.dirname;
const [dir = join(root, 'dist'), only] = process.argv.slice(2);
/**
 * `builtIn`: packages that are needed until the service listens, and those of many files that the first question to a
 * server waits for (as one file each 0.2 s instead of 0.37). Not `level`: its native part is looked for beside its own
 * files. Not koa-body: as one file it takes longer.
 */
const { builtIn, dependencies, optionalDependencies } = JSON.parse(
  await readFile(join(root, 'package.json'), 'utf8'),
);
const apart = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
  (name) => !builtIn.includes(name),
);

// Parts that are no more must not stay beside those that are.
for (const part of ['src', 'chunks']) await rm(join(dir, part), { recursive: true, force: true });
const moduleIds = [];
if (only !== undefined) {
  await put(only, true);
  process.exit();
}
await put('src/cli/mitschrift', true);
await put('src/cli/serve', { groups: [{ name: 'service', tags: ['$initial'] }] });
// A key press waits for its command: none of them is to load the service for the few parts both have.
await put('src/cli/program');
// Processes that the service starts by path (`programPath`): each as small as it can be.
for (const program of [
  'src/capture/process/capture-process',
  'src/capture/device/list-devices-process',
  'src/export/word-file-process',
  'src/speech/local/local-worker',
]) {
  await put(program, true);
}
// What /docs is made of. The package is not needed beside it: that one reports who installs it.
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt']) {
  const file = join('node_modules/swagger-ui-dist', name);
  await cp(join(root, file), join(dir, 'docs', name));
  moduleIds.push(file);
}
await noteBundled(dir, 'service', moduleIds);
// The guides, for where there is no repository beside `dist/`.
const listed = await readFile(join(root, 'src/doctor/guide.ts'), 'utf8');
for (const [, file] of listed.matchAll(/'([\w./-]+\.md)'/g))
  await cp(join(root, file), join(dir, 'guides', file));

async function put(program, codeSplitting) {
  const { output } = await build({
    cwd: root,
    input: { [program]: join(root, `${program}.ts`) },
    platform: 'node',
    external: (id) => apart.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [
      {
        name: 'halves',
        resolveId: { filter: { id: /^\.\/(?:serve|program)\.ts$/ }, handler: besides },
      },
      {
        name: 'list',
        load: { filter: { id: /language-common.+\.json$/ }, handler: onlyUsed },
      },
      { name: 'tables', transform: { filter: { id: /\.json$/ }, handler: tableAsText } },
    ],
    // One dependency of Koa's has an `eval`, and some parts are loaded both early and late.
    checks: { eval: false, ineffectiveDynamicImport: false },
    output: {
      dir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting,
      comments: false,
      sourcemap: true,
    },
  });
  for (const { type, fileName, moduleIds: its } of output) {
    if (type !== 'chunk') continue;
    moduleIds.push(...its);
    const file = join(dir, fileName);
    await writeFile(file, inAscii(await readFile(file, 'utf8')));
  }
}

/** Large tables (of media types) as text: V8 parses JSON sooner than the same as a program. */
function tableAsText(json) {
  const text = JSON.stringify(JSON.stringify(JSON.parse(json)));
  return { code: `module.exports = JSON.parse(${text});`, moduleType: 'js', map: null };
}

/**
 * Other characters written as escapes: with one of them V8 keeps the whole file in two bytes a character and reads it
 * slower, a start by a fourteenth. There are none but in strings, templates and patterns (comments are left out).
 */
function inAscii(code) {
  if (/(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.test(code))
    throw new Error('An escaped character is not ASCII');
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Of the list of common passwords what `common-passwords.ts` takes of it: a fifth. */
async function onlyUsed(path) {
  const all = JSON.parse(await readFile(path, 'utf8'));
  return JSON.stringify(all.filter((password) => password.length >= 8).slice(0, 10_000));
}

/** The service and the commands are built apart, each with all it needs. */
function besides(name) {
  return { id: name.replace(/ts$/, 'js'), external: true };
}

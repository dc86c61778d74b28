/** `npm test`: every check and the tests that are over soon, or with `--all` all tests; a last line `N passed, N failed`. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { bundleTests } from './runner/bundle.ts';
import { processesOf } from './runner/processes.ts';
import { adviceOnMissing } from './runner/missing-packages.ts';
import { endAllFiles, runTogether, type FileRun, type FileTry } from './runner/run-together.ts';
import { filesOfShortRun, longestFirst, readLengths, writeLengths } from './runner/lengths.ts';
import { filesOnPostgres } from './runner/on-postgres.ts';
import { fewerThan, missingFiles, readCounts, writeCounts } from './runner/test-counts.ts';
import { program } from './support/program.ts';
import { seed as freshSeed } from './support/seeded.ts';

const help = `Usage: npx tsx test/run.ts [options] [files or folders]

Runs types, lint, format, unused code, and each test that is over soon or shows what no shorter one does
(runner/lengths.ts); with files or folders, only the tests in them.

  --all               all tests, as npm run test:all
  --long              all tests, with the full counts of kills, faults and fuzz; all that can, on PostgreSQL too; *.long.test.ts
                      (MITSCHRIFT_LONG=1 before the command does the same)
  --counts            commits the number of tests of each file that runs: it may fall then
  --counts-file=path  the committed numbers (default: test/runner/counts.json)
  --limit=seconds     how long a file may take (default: 600; with --long 21600)
  --help              prints this

The random tests of the same sources have the same seed: what passed here passes elsewhere, and each
change is tried with another one. With --long it is a fresh one. SEED=n repeats a run that printed n.`;

const root = join(import.meta.dirname, '..');
/** What is built, the newest of whose sources say whether it has to be built again. */
const builds = [
  {
    made: program,
    from: ['events', 'machines', 'projections', 'src', 'package.json', '.build.mjs'],
    by: ['.build.mjs'],
  },
  {
    made: join(root, 'dist/web/index.html'),
    from: ['web', 'package.json'],
    by: ['node_modules/vite/bin/vite.js', 'build', 'web', '--logLevel', 'warn'],
  },
];

/** With what they are given here: checkers of types at once each look through what they have in common. */
const checks: readonly (readonly [name: string, ...args: string[]])[] = [
  ['types', '--checkers', '1'],
  ['types:web'],
  ['lint'],
  ['format'],
  ['unused'],
];
/**
 * Processes at once: one that mostly waits for sound to pass, one with a browser (of two, pages are too slow), and another: they
 * keep two cores busy. Four that compute end no sooner than two, each takes twice as long, and the processor a sixth more.
 * A lane without files of its own takes any, but for that of sound: three at once end later, even where one has a low priority.
 */
const lanes = ['sound', 'browser', 'other'] as const;
function laneOf(file: string): (typeof lanes)[number] {
  if (/^test\/(capture|e2e|recorder)\//.test(file)) return 'sound';
  return file.startsWith('test/web/') ? 'browser' : 'other';
}
/** Files that are repeated when they failed, at most. */
const repeatedMax = 8;
const options = {
  all: { type: 'boolean', default: false },
  long: { type: 'boolean', default: process.env['MITSCHRIFT_LONG'] === '1' },
  counts: { type: 'boolean', default: false },
  'counts-file': { type: 'string', default: join(import.meta.dirname, 'runner/counts.json') },
  limit: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
  return refused((error as Error).message);
});

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const unknown = positionals.find((path) => !existsSync(path));
  if (unknown !== undefined) return refused(`There is no ${unknown}`);
  process.once('SIGINT', () => interrupted(130)).once('SIGTERM', () => interrupted(143));
  const started = performance.now();
  const isGiven = process.env['SEED'] !== undefined || values.long;
  const seed = isGiven ? freshSeed : await seedOfSources();
  console.log(`SEED=${seed} repeats this run. ${loadOfMachine()}`);
  const whole = positionals.length === 0;
  const all = await testFiles([join(root, 'test')]);
  const lengths = await readLengths();
  const every = all.filter((file) => values.long || !isLong(file));
  const isShort = whole && !(values.all || values.long || values.counts);
  const onPostgres = whole && !values.counts ? await filesOnPostgres(every, values.long) : [];
  const chosen = isShort ? [...filesOfShortRun(every, lengths), ...onPostgres] : every;
  const files = whole ? [...new Set(chosen)] : await testFiles(positionals);
  // Files from elsewhere are the runner's own tests: while others use the pages, nothing may be built in their place.
  if (files.some((file) => all.includes(file))) await buildIfStale();
  const limitSeconds = Number(values.limit ?? (values.long ? 21_600 : 600));
  const env = environmentOf({ seed, whole, long: values.long });
  const before = await readCounts(values['counts-file']);
  const bundle = await bundleTests(
    root,
    files.map((file) => join(root, file)),
  );
  const runSome: RunSome = async (some, isMapped = !whole) => {
    const ended = await runTogether(some, { bundle, cwd: root, env, limitSeconds, isMapped });
    for (const run of ended) {
      // Some tests of a file are of what only files have.
      if (!values.counts && run.store === undefined) run.problems.push(...fewerThan(before, run));
    }
    return ended;
  };
  const tried = [...tries(longestFirst(files, lengths)), ...tries(onPostgres, 'postgres')];
  const [failedChecks, first] = await Promise.all([
    whole ? runChecks(checks) : [],
    // What takes minutes is not queued behind another.
    runFiles(values.long ? tried.map((one) => [one]) : await processesOf(tried), runSome),
  ]);
  const { runs, flaky } = values.counts
    ? { runs: first, flaky: [] }
    : await repeatFailed(first, runSome);
  await bundle.remove();
  if (values.counts) {
    await writeCounts(values['counts-file'], { before, runs, files: all });
    if (whole) await writeLengths(runs);
  }
  const missing = whole && !values.counts ? missingFiles(before, all) : [];
  const gone = missing.map((file) => `${file} › The file is missing (npm run counts commits that)`);
  const failures = [...failedChecks, ...runs.flatMap(failuresOf), ...gone];
  if (files.length === 0) failures.push('No test file was found');
  const passed =
    (whole ? checks.length - failedChecks.length : 0) +
    sum(runs.map((run) => run.result?.passed ?? 0));

  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\n${seconds} s. ${loadOfMachine()}`);
  if (failures.length > 0) {
    console.log(`\nFailed (SEED=${seed}):\n${failures.map((text) => `✖ ${text}`).join('\n')}`);
    const advice = await adviceOnMissing(runs.map((run) => run.output));
    if (advice !== '') console.log(`\n${advice}`);
  }
  if (flaky.length > 0) {
    const lines = flaky.map((text) => `⚠ ${text}`).join('\n');
    console.log(`\nFlaky: failed, then passed when repeated alone (SEED=${seed}):\n${lines}`);
  }
  const left = every.length - files.length;
  if (isShort) console.log(`\n${left} of ${every.length} files take longer: npm run test:all`);
  console.log(`\n${passed} passed, ${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
}

function refused(why: string): number {
  console.error(`${why}\n\n${help}`);
  return 2;
}

/** What each file is told of the run. */
function environmentOf({ seed, whole, long }: { seed: number; whole: boolean; long: boolean }) {
  return {
    SEED: String(seed),
    MITSCHRIFT_LONG: long ? '1' : '',
    // Nobody looks at those of a whole run.
    MITSCHRIFT_TEST_SCREENS: whole && !long ? '' : '1',
  };
}

/** Tests run the built commands (`support/program.ts`) and pages: built here when a source is newer. */
async function buildIfStale(): Promise<void> {
  for (const { made, from, by } of builds) {
    const built = await stat(made).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const sources = await Promise.all(from.map((name) => newestIn(join(root, name))));
    if (Math.max(...sources) <= built) continue;
    const child = spawn(process.execPath, by, { cwd: root, stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${by.join(' ')} failed: see above`);
  }
}

/** A number of six digits that changes with every source and test. */
async function seedOfSources(): Promise<number> {
  const hash = createHash('sha256');
  for (const folder of ['events', 'machines', 'projections', 'src', 'test']) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((file) => file.endsWith('.ts')).toSorted()) {
      hash.update(name).update(await readFile(join(root, folder, name)));
    }
  }
  return hash.digest().readUInt32BE() % 1_000_000;
}

async function newestIn(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const names = await readdir(path, { recursive: true });
  const times = await Promise.all(
    names.map(async (name) => (await stat(join(path, name))).mtimeMs),
  );
  return Math.max(...times);
}

/** One after the other, beside the first tests. Returns the names of those that failed. */
async function runChecks(some: typeof checks): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, ...args] of some) {
    const child = spawn('npm', ['run', '--silent', name, '--', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    if (code !== 0) console.log(`\n${out}${err}`);
    console.log(`${code === 0 ? '✔' : '✖'} ${name}`);
    if (code !== 0) failed.push(name);
  }
  return failed;
}

/** In one process. `isMapped`: stacks name lines of the sources; else only where files were named. */
type RunSome = (some: readonly FileTry[], isMapped?: boolean) => Promise<FileRun[]>;

/** Some processes at once; what each printed is shown in one piece when it has ended. */
async function runFiles(
  processes: readonly (readonly FileTry[])[],
  run: RunSome,
): Promise<FileRun[]> {
  const waiting = [...processes];
  const runs: FileRun[] = [];
  const next = (own: string) => {
    const mine = waiting.findIndex(([one]) => laneOf(one!.file) === own);
    if (mine === -1 && own === 'sound') return undefined;
    return waiting.splice(Math.max(0, mine), 1)[0];
  };
  const lane = async (own: string) => {
    for (let some = next(own); some !== undefined; some = next(own)) {
      const ended = await run(some);
      // Those after the file in which a process ended had no turn.
      const reached = ended.findIndex(({ result }) => result === undefined) + 1 || ended.length;
      const begun = ended.slice(0, reached);
      waiting.unshift(...some.slice(reached).map((one) => [one]));
      runs.push(...begun);
      show(begun);
    }
  };
  await Promise.all(lanes.map(lane));
  return runs;
}

/**
 * Each failed file once more, alone, since one that fails beside others alone must not refuse a day's work. A run
 * whose repetition passes takes the place of the first, and what failed in the first is flaky. Where more files
 * failed than `repeatedMax`, the fault is no flake: none is repeated. Only what fails again names lines of the sources:
 * reading where each error comes from takes a tenth of the processor.
 */
async function repeatFailed(
  runs: readonly FileRun[],
  run: RunSome,
): Promise<{ runs: FileRun[]; flaky: string[] }> {
  const failed = runs.filter((one) => failuresOf(one).length > 0);
  const flaky: string[] = [];
  const last = [...runs];
  for (const one of failed.length > repeatedMax ? [] : failed) {
    const { file, store } = one;
    const again = await run([store === undefined ? { file } : { file, store }], true);
    show(again, ', repeated alone');
    if (again.some((run) => failuresOf(run).length > 0)) continue;
    flaky.push(...failuresOf(one));
    last.splice(runs.indexOf(one), 1, ...again);
  }
  return { runs: last, flaky };
}

/** The runs of one process. */
function show(runs: readonly FileRun[], how = ''): void {
  console.log('');
  for (const run of runs) {
    const processor = run.result?.processorSeconds.toFixed(0) ?? '?';
    console.log(
      `▶▶ ${nameOf(run)} (${run.seconds.toFixed(1)} s, ${processor} of the processor${how})`,
    );
  }
  process.stdout.write(runs[0]?.output ?? '');
  for (const run of runs) for (const problem of run.problems) console.log(`✖ ${problem}`);
}

/** Paths as the counts have them, in order: below the root, with `/`. */
async function testFiles(paths: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths.map((given) => resolve(given))) {
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder ? await readdir(path, { recursive: true }) : [''];
    const files = names.map((name) => join(path, name));
    found.push(...(isFolder ? files.filter((name) => name.endsWith('.test.ts')) : files));
  }
  return [...new Set(found.map((path) => relative(root, path)))].toSorted();
}

/** What takes minutes or a registry of packages: with `--long`, and where it is named. */
function isLong(file: string): boolean {
  return file.endsWith('.long.test.ts');
}

function tries(files: readonly string[], store?: 'postgres'): FileTry[] {
  return files.map((file) => (store === undefined ? { file } : { file, store }));
}

function nameOf({ file, store }: FileTry): string {
  return store === undefined ? file : `${file} on PostgreSQL`;
}

function failuresOf(run: FileRun): string[] {
  const { result, problems, load } = run;
  const where = `${nameOf(run)} (load ${load.toFixed(1)}) › `;
  const failed = (result?.failed ?? []).map(({ name, why }) =>
    why === '' ? name : `${name}\n${why.replace(/^/gm, '    ')}`,
  );
  return [...failed, ...problems].map((what) => where + what);
}

function loadOfMachine(): string {
  const [minute, five] = loadavg().map((load) => load.toFixed(1));
  return `Load of the machine: ${minute} (${five} over 5 minutes), ${availableParallelism()} cores.`;
}

function interrupted(code: number): void {
  endAllFiles();
  process.exit(code);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { type HasEnd, tempDir } from '../support/temp-dir.ts';
import { filesOfShortRun, readLengths } from './lengths.ts';

const root = join(import.meta.dirname, '../..');
const head = "import { test } from 'node:test';\n";
const good = `${head}test('good', () => {});\n`;

test('a file of good tests passes, and the seed and the load are said', async (t) => {
  const { code, text } = await run(t, { 'good.test.ts': good }, { env: { SEED: '4711' } });
  assert.match(text, /SEED=4711 repeats this run\. Load of the machine: \d/);
  assert.match(text, /^1 passed, 0 failed$/m);
  assert.equal(code, 0);
});

const failures: [what: string, source: string, said: RegExp][] = [
  [
    'a failed test',
    `${head}test('bad', () => { throw new Error('no'); });`,
    /› bad\n    Error: no$/m,
  ],
  [
    'a file that ends in its second test',
    `${head}test('one', () => {});
     test('two', () => process.exit(0));
     test('three', () => { throw new Error('never seen'); });`,
    /ended before its tests were done: process\.exit/,
  ],
  [
    'a file that ends before its tests are registered',
    `process.exitCode = 0; setTimeout(() => process.exit(0)); await new Promise(() => {});`,
    /ended before its tests were done/,
  ],
  ['a file without a test', `if (process.env.NOT_SET) await import('node:test');`, /no test is/],
  [
    'a suite without a test',
    `import { suite } from 'node:test'; suite('empty', () => {});`,
    /no test/,
  ],
  ['a skipped test', `${good}test.skip('forgotten', () => {});`, /Skipped .*: forgotten/],
  ['a test still to do', `${good}test.todo('later');`, /Skipped or still to do: later/],
  [
    'an error after the end of its test',
    `${head}test('early', () => { setTimeout(() => { throw new Error('late'); }, 20); });`,
    /It ended with 1, no test failed/,
  ],
  // Node 20 and 22 notice that nothing is left to wait for; for Node 24 it hangs.
  [
    'a test that never ends',
    `${head}test('pending', () => new Promise(() => {}));`,
    /› pending$|at its limit of 4 s/m,
  ],
  ['a file that hangs', `${good}setInterval(() => {}, 1000);`, /It was ended at its limit of 4 s/],
  [
    'a file that fails and prints that it does not',
    `${head}console.log('ℹ tests 5\\nℹ pass 5\\nℹ fail 0\\n{"passed":5,"failed":[],"hidden":[]}');
     test('bad', () => { throw new Error('no'); });`,
    /› bad\n/,
  ],
];
/** All of them in one run, since a run costs seconds: what it says of each file, by its name. */
const { ended, saidOf } = await runAll();

for (const [at, [what, , said]] of failures.entries()) {
  test(`fails: ${what}`, () => assert.match(saidOf.get(`file-${at}.test.ts`) ?? '', said));
}

test('fails when a file has fewer tests than were committed, and not when it has more', () => {
  assert.match(saidOf.get('fewer.test.ts') ?? '', /› It has 1 tests, 2 are committed/);
  assert.equal(saidOf.get('more.test.ts'), undefined);
});

test('the last line counts what the runner saw, whatever files print', () => {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(ended.text)!;
  // The good test beside each bad thing, and those of the two files that were counted.
  assert.ok(Number(passed) <= 7, passed);
  assert.ok(Number(failed) > failures.length, failed);
  assert.equal(ended.code, 1);
});

test('a failed file is repeated once, alone: what passes then is green and named as flaky', async (t) => {
  const folder = await tempDir(t);
  const mark = join(folder, 'mark');
  const flaky = `${head}import { existsSync, writeFileSync } from 'node:fs';
    test('steady', () => {});
    test('only once', () => {
      const isFirst = !existsSync(${JSON.stringify(mark)});
      writeFileSync(${JSON.stringify(mark)}, '');
      if (isFirst) throw new Error('too soon');
    });`;
  const alone = await run(t, { 'flaky.test.ts': flaky }, { folder });
  assert.match(
    alone.text,
    /^Flaky: .*SEED=\d+.*\n⚠ .*flaky\.test\.ts.* › only once\n {4}Error: too soon$/m,
  );
  assert.doesNotMatch(alone.text, /^Failed /m);
  assert.match(alone.text, /^2 passed, 0 failed$/m);
  assert.equal(alone.code, 0);
});

test('a file that fails again stays failed', async (t) => {
  const bad = `${head}test('bad', () => { throw new Error('no'); });`;
  const { code, text } = await run(t, { 'bad.test.ts': bad });
  assert.equal(text.match(/^▶▶ .*bad\.test\.ts/gm)?.length, 2);
  assert.doesNotMatch(text, /^Flaky/m);
  assert.match(text, /^0 passed, 1 failed$/m);
  assert.equal(code, 1);
});

test('--counts commits how many tests there are now, and keeps what did not run', async (t) => {
  const folder = await tempDir(t);
  const other = 'test/runner/run.test.ts';
  const counts = { [pathOf(folder, 'good.test.ts')]: 2, [other]: 3, 'test/gone.test.ts': 1 };
  const args = ['--counts'];
  const { code } = await run(t, { 'good.test.ts': good }, { folder, counts, args });
  assert.equal(code, 0);
  const written = JSON.parse(await readFile(join(folder, 'counts.json'), 'utf8')) as object;
  assert.deepEqual(written, { [pathOf(folder, 'good.test.ts')]: 1, [other]: 3 });
});

test('after a failure, names the missing programs and the Debian packages they are in', async (t) => {
  const bad = `${head}import { execFileSync } from 'node:child_process';
    test('needs', () => void execFileSync('no-such-program'));
    test('needs too', async () => {
      const { spawn } = await import('node:child_process');
      await new Promise((resolve, reject) => spawn('no-such-tool').on('error', reject));
    });`;
  const empty = await tempDir(t);
  const path = { PATH: empty };
  const { code, text } = await run(t, { 'bad.test.ts': bad }, { env: path });
  assert.match(text, /Programs that tests start are missing: .*sox.*no-such-tool/);
  assert.match(text, /Install: apt-get install -y .*pulseaudio-utils.*sox/);
  assert.equal(code, 1);
});

test('--help says what it takes; an unknown option, a path that is none, or no file at all is refused', async (t) => {
  const help = await run(t, {}, { args: ['--help'] });
  assert.match(help.text, /Usage: .*--long.*--counts.*SEED=n/s);
  assert.equal(help.code, 0);
  assert.equal((await run(t, {}, { args: ['--lnog'] })).code, 2);
  const missing = await run(t, {}, { args: ['test/no-such.test.ts'] });
  assert.match(missing.text, /^There is no test\/no-such\.test\.ts$/m);
  assert.equal(missing.code, 2);
  const nothing = await run(t, {});
  assert.match(nothing.text, /No test file was found/);
  assert.equal(nothing.code, 1);
});

async function runAll() {
  // Not `tempDir`: what is done after a file is done as soon as the tests registered so far are over, and one is.
  const folder = await mkdtemp(join(tmpdir(), 'mitschrift-'));
  const files = {
    ...Object.fromEntries(failures.map(([, source], at) => [`file-${at}.test.ts`, source])),
    'fewer.test.ts': good,
    'more.test.ts': `${good}test('second', () => {});\n`,
  };
  const counts = { [pathOf(folder, 'fewer.test.ts')]: 2, [pathOf(folder, 'more.test.ts')]: 1 };
  const ended = await run({ after }, files, { folder, counts, args: ['--limit=4'] });
  await rm(folder, { recursive: true });
  const saidOf = new Map<string, string>();
  const [, list] = ended.text.split(/^Failed \(SEED=\d+\):$/m);
  if (list === undefined) throw new Error(`No failure is listed:\n${ended.text}`);
  for (const one of list.split(/^✖ /m)) {
    const name = /^\S*\/(\S+\.test\.ts) /.exec(one)?.[1];
    if (name !== undefined) saidOf.set(name, (saidOf.get(name) ?? '') + one);
  }
  return { ended, saidOf };
}

function pathOf(folder: string, name: string): string {
  return relative(root, join(folder, 'tests', name));
}

/** Runs the runner on a folder of its own with these files. */
async function run(
  t: HasEnd,
  files: Record<string, string>,
  options: {
    folder?: string;
    counts?: Record<string, number>;
    args?: string[];
    env?: Record<string, string>;
  } = {},
): Promise<{ code: number | null; text: string }> {
  const folder = options.folder ?? (await tempDir(t));
  const tests = join(folder, 'tests');
  await mkdir(tests);
  // Without it, the files are taken for CommonJS, which cannot wait at its top level.
  await writeFile(join(tests, 'package.json'), '{ "type": "module" }');
  for (const [name, source] of Object.entries(files)) await writeFile(join(tests, name), source);
  const countsFile = join(folder, 'counts.json');
  await writeFile(countsFile, JSON.stringify(options.counts ?? {}));
  const runner = ['--import', import.meta.resolve('tsx'), join(root, 'test/run.ts')];
  const args = [...runner, `--counts-file=${countsFile}`, ...(options.args ?? []), tests];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, MITSCHRIFT_LONG: '', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

test('npm test leaves long files to npm run test:all, but those that show what no shorter one does', async () => {
  const names = await readdir(join(root, 'test'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  const short = filesOfShortRun(files, await readLengths());
  assert.ok(short.includes('test/faults/kill.test.ts'), 'one of those');
  assert.ok(!short.includes('test/faults/service-disk.test.ts'), 'a long one');
  assert.ok(filesOfShortRun([...files, 'test/new.test.ts'], {}).includes('test/new.test.ts'));
  const fewer = files.filter((file) => file !== 'test/faults/kill.test.ts');
  assert.throws(
    () => filesOfShortRun(fewer, {}),
    /Not there any more: test\/faults\/kill\.test\.ts/,
  );
});

/**
 * `npm test`: every check there is, in order, and a last line `N passed, N failed`.
 * `--long` runs the full counts of kills, faults and fuzz.
 */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const long = process.argv.includes('--long');
const only = process.argv.filter((argument) => argument.endsWith('.test.ts'));

let passed = 0;
let failed = 0;

if (only.length === 0) {
  for (const check of ['types', 'lint', 'format', 'unused']) {
    const { code } = await run('npm', ['run', '--silent', check]);
    count(check, code === 0);
  }
}

const files =
  only.length > 0
    ? only
    : (await readdir(join(root, 'test'), { recursive: true }))
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => join('test', name))
        .toSorted();
/** A file that is not done by then hangs: better red than waited for. Long counts take their time. */
const limit = long ? [] : ['--test-timeout=600000'];
/** Resolved here: processes that tests start in other folders inherit it. */
const loader = ['--import', import.meta.resolve('tsx')];
const { code, output } = await run(
  process.execPath,
  [...loader, '--test', '--test-concurrency=2', '--test-reporter=spec', ...limit, ...files],
  { MITSCHRIFT_LONG: long ? '1' : '' },
);
const tally = (name: string) =>
  Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
passed += tally('pass');
failed += tally('fail') + tally('cancelled');
// A skipped or forgotten test hides a gap; a run without a tally hides all of them.
const hidden = tally('skipped') + tally('todo');
if (hidden > 0) count(`${hidden} skipped tests`, false);
if (code !== 0 && failed === 0) count('the test run', false);
if (tally('tests') === 0) count('finding tests', false);

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function count(name: string, ok: boolean): void {
  console.log(`${ok ? '✔' : '✖'} ${name}`);
  if (ok) passed += 1;
  else failed += 1;
}

/** Runs a command, shows what it prints, and keeps the end of it for the tally. */
function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      output = (output + chunk.toString()).slice(-100_000);
    });
    child.on('error', reject);
    child.on('close', (exit) => resolve({ code: exit ?? 1, output }));
  });
}

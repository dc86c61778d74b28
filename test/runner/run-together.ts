import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { TestBundle } from './bundle.ts';

/** What a file says at its end. */
export type FileResult = {
  passed: number;
  /** Tests and suites, each with the beginning of what it threw; '' where a subtest failed. */
  failed: { name: string; why: string }[];
  /** Names of skipped tests and of those still to do. */
  hidden: string[];
  /** Of the processor, also by processes that it started and that ended. */
  processorSeconds: number;
  seconds: number;
};

/** A file to be run. */
export type FileTry = {
  file: string;
  /** Where its services have their log; as the environment says, else in files. */
  store?: 'postgres';
};

export type FileRun = FileTry & {
  /** What its process printed; of much, the end. */
  output: string;
  seconds: number;
  /** Of the machine, when it ended: processes that run or wait, over the last minute. */
  load: number;
  /** Undefined when it ended before its tests were done. */
  result: FileResult | undefined;
  /** What is wrong beside failed tests, a sentence each. */
  problems: string[];
};

const outputMax = 1_000_000;
const resultMax = 1_000_000;
const lastWordsMs = 1000;
const running = new Set<number>();

/**
 * Runs files in a process of their own and ends it, with all it started, at a limit.
 * @param tried on the same store; the paths are from `cwd`; `bundle` has them. @param env added to this process's
 * @param limitSeconds for each of them, taken together
 * @param isMapped whether stacks name lines of the sources, and not of the bundle
 * @returns a run of each, in the same order
 */
export async function runTogether(
  tried: readonly FileTry[],
  {
    bundle,
    cwd,
    env,
    limitSeconds,
    isMapped,
  }: {
    bundle: TestBundle;
    cwd: string;
    env: Record<string, string>;
    limitSeconds: number;
    isMapped: boolean;
  },
): Promise<FileRun[]> {
  const started = performance.now();
  const onStore = tried[0]?.store === undefined ? {} : { MITSCHRIFT_TEST_STORE: tried[0].store };
  // Models that the person at this machine has installed are none of the tests'.
  const home = await mkdtemp(join(tmpdir(), 'mitschrift-home-'));
  const reporter = pathToFileURL(join(bundle.folder, 'test/runner/file-reporter.js')).href;
  const reports = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout'];
  const paths = tried.map(({ file }) => bundle.builtPath(join(cwd, file)));
  const program = join(bundle.folder, 'test/runner/in-order.js');
  const entry = paths.length === 1 ? paths : [program, ...paths];
  const mapped = isMapped ? ['--enable-source-maps'] : [];
  const child = spawn(process.execPath, [...mapped, ...reports, ...entry], {
    cwd,
    env: { ...process.env, ...env, ...onStore, TEST_PROGRAMS: bundle.folder, XDG_DATA_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const { pid } = child;
  if (pid === undefined) throw new Error(`${process.execPath} cannot be started`);
  running.add(pid);
  const output = keepEnd([child.stdout, child.stderr], outputMax);
  const said = keepEnd([child.stdio[3] as Readable], resultMax);
  const limitMs = limitSeconds * 1000 * tried.length;
  let isLate = false;
  let last: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    isLate = true;
    // It says what it still waits for, if it can.
    child.kill('SIGUSR2');
    last = setTimeout(endGroup, lastWordsMs, pid);
  }, limitMs);
  const [code, signal] = await closed;
  clearTimeout(timer);
  clearTimeout(last);
  running.delete(pid);
  await rm(home, { recursive: true, force: true });
  const results = resultsIn(said.text);
  const hasFailed = [...results.values()].some(({ failed }) => failed.length > 0);
  const ended = code === 1 && hasFailed ? 0 : (signal ?? code);
  return tried.map((one, at) => {
    const result = results.get(paths.length === 1 ? null : paths[at]!);
    // What a process says at its end is of its last file, and of those whose tests were not done.
    const isOfEnd = result === undefined || at === tried.length - 1;
    return {
      ...one,
      output: output.text,
      seconds: result?.seconds ?? (performance.now() - started) / 1000,
      load: loadavg()[0]!,
      result,
      problems:
        isLate && isOfEnd
          ? [`It was ended at its limit of ${limitSeconds} s`]
          : problemsOf(result, isOfEnd ? ended : 0),
    };
  });
}

/** Ends all files that still run, and what they started. */
export function endAllFiles(): void {
  for (const pid of running) endGroup(pid);
}

/** By the built path of their files; of a file alone by null. */
function resultsIn(lines: string): Map<string | null, FileResult> {
  type Said = { path: string | null; result: FileResult };
  const said = lines.split('\n').filter((line) => line !== '');
  return new Map(
    said.map((line) => {
      const { path, result } = JSON.parse(line) as Said;
      return [path, result];
    }),
  );
}

function problemsOf(result: FileResult | undefined, ended: number | string | null): string[] {
  if (result === undefined) {
    const why = ended === 0 ? 'process.exit was called, or no test is registered' : `${ended}`;
    return [`It ended before its tests were done: ${why}`];
  }
  const problems: string[] = [];
  const { passed, failed, hidden } = result;
  if (passed + failed.length + hidden.length === 0) problems.push('It registers no test');
  // A skipped or forgotten test hides a gap.
  for (const name of hidden) problems.push(`Skipped or still to do: ${name}`);
  if (ended !== 0 && failed.length === 0) problems.push(`It ended with ${ended}, no test failed`);
  return problems;
}

/** Keeps the end of what streams say, in the order in which it comes. */
function keepEnd(streams: readonly (Readable | null)[], max: number): { text: string } {
  const kept = { text: '' };
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      kept.text = (kept.text + chunk).slice(-max);
    });
  }
  return kept;
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group ended by itself in this moment.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

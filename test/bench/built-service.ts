import { execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { copyFile, cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
/** A service that has not said where it listens, or does not answer by then, never will. */
const startWithinMs = 60_000;
const readyWithinMs = 600_000;

export type BuiltService = {
  /** The built command. */
  main: string;
  /** Starts it and resolves when it says where it listens. */
  start(dataDir: string, env?: Record<string, string>): Promise<RunningService>;
};

export type RunningService = {
  url: string;
  pid: number;
  /** By default kill -9. */
  end(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
};

/**
 * The service as it is installed: built, without a loader. Built once a run, into a folder of its own, or
 * that of another checkout (`BENCH_DIST`, which `npm run bench -- --dist` sets).
 */
export const builtService = (): Promise<BuiltService> => (built ??= build());
let built: Promise<BuiltService> | undefined;

async function build(): Promise<BuiltService> {
  const dist = process.env['BENCH_DIST'] ?? (await buildInto(await installation()));
  const main = join(dist, 'src/cli/mitschrift.js');
  return {
    main,
    // As `npm start` and the unit start it.
    async start(dataDir, env = {}) {
      const folders = { MITSCHRIFT_DATA: dataDir, MALLOC_ARENA_MAX: '2' };
      const running = await untilListening([main, 'serve'], { ...folders, ...env });
      await untilReady(running.url);
      return running;
    },
  };
}

/** A TypeScript file of this folder, built into one file as the service is. @returns its path */
export async function builtProgram(name: string): Promise<string> {
  const dist = await buildInto(await installation(), `test/bench/${name}`);
  return join(dist, `test/bench/${name}.js`);
}

/** A folder that has what is found beside `dist/`; removed at the end. */
async function installation(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mitschrift-built-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // The pages, as they are built here.
  await cp(join(root, 'dist/web'), join(folder, 'dist/web'), { recursive: true });
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function buildInto(folder: string, ...program: string[]): Promise<string> {
  const dist = join(folder, 'dist');
  await promisify(execFile)(process.execPath, [join(root, '.build.mjs'), dist, ...program]);
  return dist;
}

/** Resolves when a service that answers has folded its log and taken up its work. Each question waits there. */
export async function untilReady(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health?ready`);
    if (((await answer.json()) as { status: string }).status !== 'starting') return;
  }
}

/** Starts a script that says `… is at <address>` or `… is running at <address>` on standard error when it listens. */
export async function untilListening(
  args: string[],
  env: Record<string, string>,
): Promise<RunningService> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, MITSCHRIFT_PORT: '0', MITSCHRIFT_LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`no start: ${said}`)), startWithinMs);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4096);
      const address = / is (?:running )?at (\S+)\n/.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
    void exited.then(() => reject(new Error(`it ended: ${said}`)));
  });
  return {
    url,
    pid: child.pid!,
    async end(signal = 'SIGKILL') {
      child.kill(signal);
      await exited;
    },
  };
}

/** Resolves when a path is answered with 200, asking again and again while the service starts (503). */
export async function untilAnswered(url: string, path: string, token?: string): Promise<void> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const deadline = performance.now() + readyWithinMs;
  for (;;) {
    const answer = await fetch(`${url}${path}`, { headers });
    const text = await answer.text();
    if (answer.ok) return;
    if (answer.status !== 503 || performance.now() > deadline) {
      throw new Error(`${path}: ${answer.status} ${text}`);
    }
    await sleep(5);
  }
}

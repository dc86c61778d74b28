import { execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
/** A service that has not said where it listens by then will not any more, in milliseconds. */
const startWithinMs = 60_000;

export type BuiltService = {
  /** The built command. */
  main: string;
  /** Starts it and resolves when it says where it listens. */
  start(dataDir: string): Promise<RunningService>;
};

export type RunningService = {
  url: string;
  pid: number;
  /** kill -9 unless told. */
  end(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
};

/** The service as it is installed: built, without a loader. Built once a run, into a folder of its own. */
export const builtService = (): Promise<BuiltService> => (built ??= build());
let built: Promise<BuiltService> | undefined;

async function build(): Promise<BuiltService> {
  const folder = await mkdtemp(join(tmpdir(), 'mitschrift-built-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await promisify(execFile)(process.execPath, [join(root, '.build.mjs'), join(folder, 'dist')]);
  await mkdir(join(folder, 'web'), { recursive: true });
  await cp(join(root, 'web'), join(folder, 'web'), { recursive: true });
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const main = join(folder, 'dist/src/cli/mitschrift.js');
  return {
    main,
    // As `npm start` and the unit start it.
    start: (dataDir) =>
      untilListening([main, 'serve'], { MITSCHRIFT_DATA: dataDir, MALLOC_ARENA_MAX: '2' }),
  };
}

/** Starts a script that says `… is at <address>` on standard error when it listens. */
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
      const address = /is at (\S+)\n/.exec(said)?.[1];
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

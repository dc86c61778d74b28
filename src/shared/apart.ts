import { type ChildProcess, type ForkOptions, execFile, fork } from 'node:child_process';
import { promisify } from 'node:util';
import { loadOnce, programPath } from './package.ts';

/** What programs get of the environment that read files of strangers: no address of a database, no key. */
export function bareEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, LANG } = process.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    ...(LANG === undefined ? {} : { LANG }),
    ...more,
  };
}

/** The same process, with the same user, in a network of its own that leads nowhere. */
const withoutNetwork = ['unshare', '--user', '--map-current-user', '--net', '--'] as const;

/**
 * What stands before the command of a program that has no business in the network; nothing where the system does not
 * allow it (`unshare` of util-linux, user namespaces).
 */
export const apart = loadOnce(async (): Promise<readonly string[]> => {
  const [program, ...args] = withoutNetwork;
  return await promisify(execFile)(program, [...args, 'true'], { timeout: 5000 }).then(
    () => withoutNetwork,
    () => [],
  );
});

/**
 * Starts a program of ours that reads what strangers sent, with a channel to it.
 * @param before what `apart` gave
 * @param program as `programPath` takes it
 * @param more what it gets besides the bare environment and this process's own options
 */
export function forkApart(
  before: readonly string[],
  program: string,
  { env = {}, execArgv = [], ...more }: ForkOptions,
): ChildProcess {
  const [execPath, ...args] = [...before, process.execPath];
  return fork(programPath(program), [], {
    ...more,
    serialization: 'advanced',
    execPath,
    execArgv: [...args, ...process.execArgv, ...execArgv],
    env: bareEnvironment(env),
  });
}

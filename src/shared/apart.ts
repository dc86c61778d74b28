import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loadOnce } from './package.ts';

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

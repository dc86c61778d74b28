import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { inProgramFolder } from '../shared/command-line.ts';
import { check } from '../words/checks.ts';
import type { Remedy } from './check.ts';

/** The computer on which packages are compiled; tests give another. */
type BuildHost = { env: NodeJS.ProcessEnv; node: string; execPath: string };

const here = (): BuildHost => ({
  env: process.env,
  node: process.versions.node,
  execPath: process.execPath,
});

/**
 * The remedy for a package that was not compiled, by the cause: a compiler or Python is missing, Node's headers are
 * (node-gyp fetches them from nodejs.org), or neither.
 * @param npm what compiles it again
 */
export async function buildRemedy(npm: string, host: BuildHost = here()): Promise<Remedy> {
  if (!(await hasBuildTools(host)))
    return { command: `sudo apt-get install build-essential python3 && ${inProgramFolder(npm)}` };
  if (await hasHeaders(host))
    return { text: check('fix-install-packages'), command: inProgramFolder(npm) };
  const own = dirname(dirname(host.execPath));
  return {
    text: check('fix-node-headers'),
    // Most installations of Node bring them; node-gyp looks there only if told.
    ...((await isReadable(join(own, headers))) && {
      command: inProgramFolder(
        `npm_config_nodedir=${own} ${npm.replaceAll('&& ', `&& npm_config_nodedir=${own} `)}`,
      ),
    }),
  };
}

/** Programs that node-gyp runs, each under the names it may have. */
const buildTools = [
  ['make', 'gmake'],
  ['g++', 'c++', 'clang++'],
  ['python3', 'python'],
];

async function hasBuildTools({ env }: BuildHost): Promise<boolean> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const runs = async (name: string) =>
    (
      await Promise.all(folders.map((folder) => isAllowed(join(folder, name), constants.X_OK)))
    ).some(Boolean);
  const found = await Promise.all(
    buildTools.map(async (names) => (await Promise.all(names.map(runs))).some(Boolean)),
  );
  return found.every(Boolean);
}

const headers = join('include', 'node', 'node_api.h');

/** Whether node-gyp has headers: those it fetched before, or those of the folder it was told. */
async function hasHeaders({ env, node }: BuildHost): Promise<boolean> {
  const told = env['npm_config_nodedir'];
  if (told) return await isReadable(join(told, headers));
  const cache = env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache');
  const fetched = env['npm_config_devdir'] ?? join(cache, 'node-gyp');
  return await isReadable(join(fetched, node, headers));
}

const isReadable = (path: string): Promise<boolean> => isAllowed(path, constants.R_OK);

const isAllowed = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

import { codeOf } from './errors.ts';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { packageRoot } from './package.ts';

/** The compiled command line, which `npm install` makes. */
export const builtProgram: string = join(packageRoot, 'dist', 'src', 'cli', 'mitschrift.js');

/** A word as a POSIX shell reads it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Users below that id belong to the system: nobody logs in as one (SYS_UID_MAX of login.defs). */
const firstPerson = 1000;

/**
 * A command of Mitschrift that a shell on this machine can run as it stands: in any folder, for the data of this process,
 * and as its user where that is the system's.
 * @param args as they are typed
 */
export function commandLine(args: string): string {
  const { env } = process;
  const variables = ['MITSCHRIFT_DATA', 'MITSCHRIFT_MODELS'].flatMap((name) =>
    env[name] ? [`${name}=${shellWord(resolve(env[name]))}`] : [],
  );
  const uid = process.getuid?.() ?? 0;
  const asUser = uid > 0 && uid < firstPerson ? [`sudo -u ${ownUser()} env`] : [];
  return [...asUser, ...variables, shellWord(process.execPath), shellWord(builtProgram), args].join(
    ' ',
  );
}

/** Where npm installs: the checkout, or the folder in whose `node_modules` Mitschrift is a package. */
const aboveRoot = dirname(packageRoot);
const installFolder = basename(aboveRoot) === 'node_modules' ? dirname(aboveRoot) : packageRoot;

/** A command of npm, for the folder that Mitschrift was installed in. */
export const inProgramFolder = (command: string): string =>
  `cd ${shellWord(installFolder)} && ${command}`;

/** Gives a folder and what is in it to the user of this process, or makes it. */
export const makeWritable = (path: string): string =>
  `sudo ${existsSync(path) ? 'chown -R' : 'install -d -m 700 -o'} ${ownUser()} ${shellWord(path)}`;

/** The name of this process's user; its number where it has none, as in many containers. */
function ownUser(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if (codeOf(error) !== 'ERR_SYSTEM_ERROR') throw error;
    return String(process.getuid?.());
  }
}

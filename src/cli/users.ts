import { commandLine, shellWord } from '../shared/command-line.ts';
import { openAccounts } from '../accounts/accounts.ts';
import { openUserStream } from '../accounts/user-stream.ts';
import { archiveSpace } from '../accounts/user-removal.ts';
import { folderUploads } from '../storage/uploads/folder-uploads.ts';
import { removeUploadsOf } from '../storage/uploads/unfinished-uploads.ts';
import { openConfig } from '../config/config.ts';
import type { Settings } from '../config/environment.ts';
import { pageAddressFrom } from '../config/page-address.ts';
import { isLoopback } from '../shared/network.ts';
import { type Host, hostFrom, prepare } from '../shared/data-directory.ts';
import { openLogger } from '../shared/log.ts';
import { localTime } from '../shared/time.ts';
import { askService } from '../service/control/socket.ts';
import { openLogAlone } from '../service/event-log.ts';
import { assertLogHere } from './beside-a-node.ts';
import { confirmed } from './confirmed.ts';
import { askPassword, passwordFromInput } from './passwords.ts';
import { readImportedUsers } from './imported-users.ts';
import {
  type ListedUser,
  type PrintedLink,
  type UserCommands,
  importMax,
  userCommands,
} from '../service/control/user-commands.ts';

/** `mitschrift users list`. */
export async function listUsers({ json }: { json: boolean }): Promise<void> {
  const users: ListedUser[] = await carryOut('users-list', null);
  if (json) console.log(JSON.stringify(users));
  else {
    for (const { username, is_admin, disabled, built_in } of users) {
      const role = is_admin ? ' (administrator)' : built_in ? ' (built in)' : '';
      console.log(username + role + (disabled ? ' (disabled)' : ''));
    }
  }
}

/** `mitschrift users add NAME [--admin]`; the password comes from the terminal or standard input. */
export async function addUser(username: string, { admin }: { admin: boolean }): Promise<void> {
  const password = await readPassword(username);
  await carryOut('users-add', { username, password, is_admin: admin });
  console.log(`${username} was created and can log in.`);
}

/**
 * `mitschrift users invite`: a link with which a colleague chooses name and password. The link alone is printed on
 * standard output.
 */
export async function inviteUser(options: {
  admin: boolean;
  note?: string;
  days: number;
}): Promise<void> {
  const { admin, ...rest } = options;
  printLink(await carryOut('users-invite', { ...rest, is_admin: admin }));
}

/** `mitschrift users password-link NAME`: the same for a new password; the present one is good until then. */
export async function linkForPassword(username: string, { days }: { days: number }): Promise<void> {
  printLink(await carryOut('users-password-link', { username, days }));
}

function printLink({ url, expires_at }: PrintedLink): void {
  const { host, hostname } = new URL(url);
  console.log(url);
  console.error(
    `The link opens ${host}. It works once, until ${localTime(new Date(expires_at))}, and is not shown again.`,
  );
  if (isLoopback(hostname)) {
    console.error(
      'It opens only on this computer. For others, set server.public_url to the address at which they open Mitschrift.',
    );
  }
}

/** `mitschrift users reset-password NAME`: also for the administrator who forgot theirs. */
export async function resetPassword(username: string): Promise<void> {
  const password = await readPassword(username);
  await carryOut('users-reset-password', { username, password });
  console.log(`${username} has a new password and was logged out everywhere.`);
}

/** `mitschrift users reset-totp NAME`: for who lost the phone and the recovery codes. */
export async function resetTotp(username: string): Promise<void> {
  await carryOut('users-reset-totp', { username });
  console.log(`Two-step login of ${username} is off.`);
}

/** `mitschrift users disable NAME` and `enable NAME`. */
export async function disableUser(username: string, disabled: boolean): Promise<void> {
  await carryOut('users-disable', { username, disabled });
  console.log(
    disabled
      ? `${username} was logged out everywhere and can no longer log in.`
      : `${username} can log in again.`,
  );
}

/**
 * `mitschrift users remove NAME`: deletes a user for good, after asking; recordings are kept and documents
 * are put into the quarantine.
 * @throws {Error} there is no terminal to ask on and `yes` is not given; {AccountError}
 */
export async function removeUser(username: string, { yes }: { yes: boolean }): Promise<void> {
  const question =
    `Remove ${username} permanently? Their sessions and running recordings end. Recordings are kept; ` +
    'documents go to the quarantine.';
  if (!yes && !(await confirmed(question))) {
    console.log(`${username} was not removed.`);
    process.exitCode = 1;
    return;
  }
  await carryOut('users-remove', { username });
  console.log(
    `${username} was removed. Their documents are in the quarantine: ${commandLine('quarantine')}`,
  );
}

/**
 * `mitschrift users import FILE`: JSON lines `{username, password_hash, is_admin}`. The whole file is
 * read and checked before the first user is imported.
 * @throws {Error} naming the lines that are wrong
 */
export async function importUsers(file: string): Promise<void> {
  const users = await readImportedUsers(file);
  let done = 0;
  try {
    for (let from = 0; from < users.length; from += importMax) {
      const part = users.slice(from, from + importMax);
      done += (await carryOut('users-import', { users: part })).imported;
    }
  } catch (error) {
    if (done > 0) console.error(`Only the first ${done} of ${users.length} users were imported.`);
    throw error;
  }
  console.log(`${done} user${done === 1 ? '' : 's'} imported.`);
}

/** Where people open the pages, as far as settings and environment say. */
function pagesOf(settings: Settings, host: Host): string {
  const scheme = settings['server.tls_cert'] === null ? 'http' : 'https';
  const address = host.address.includes(':') ? `[${host.address}]` : host.address;
  return pageAddressFrom(settings, host) ?? `${scheme}://${address}:${host.port}`;
}

/** By the running service; without one over the log itself. */
async function carryOut<K extends keyof UserCommands>(
  name: K,
  body: unknown,
): Promise<Awaited<ReturnType<UserCommands[K]>>> {
  type Result = Awaited<ReturnType<UserCommands[K]>>;
  const host = hostFrom(process.env);
  const answer = await askService<Result>(host.data.controlSocket, name, body);
  if (answer !== null) return answer;
  assertLogHere(host);
  return (await alone<unknown>(host, async (commands) => commands[name](body))) as Result;
}

async function alone<T>(host: Host, work: (commands: UserCommands) => Promise<T>): Promise<T> {
  const { data, logLevel } = host;
  await prepare(data);
  // What is printed is the command's; the log only adds what went wrong.
  const log = openLogger(logLevel === 'info' ? 'silent' : logLevel);
  const { store, openSecrets, close, ...beside } = await openLogAlone(data);
  try {
    const clock = () => new Date();
    const config = await openConfig({
      store,
      openSecrets,
      env: process.env,
      data,
      log,
    });
    const accounts = await openAccounts({
      ...beside,
      stream: await openUserStream(store),
      // Nothing works for anyone while no service runs.
      endWork: async () => {},
      archiveSpace: archiveSpace(data, clock),
      removeUploads: (userIds) => removeUploadsOf(userIds, folderUploads(data.resumable)),
      settings: () => config.settings(),
      clock,
      log,
    });
    return await work(userCommands(accounts, () => pagesOf(config.settings(), host)));
  } finally {
    await close();
  }
}

/**
 * A user's password: typed twice without echo on a terminal, else the first line of standard
 * input. Never an argument, which every user of the host could read.
 * @throws {Error} the two differ, or there is none
 */
async function readPassword(username: string): Promise<string> {
  if (!process.stdin.isTTY) {
    const line = await passwordFromInput();
    if (line === '')
      throw new Error(
        'No password given. Pipe it in as the first line: ' +
          `echo 'correct horse battery' | ${commandLine(process.argv.slice(2).map(shellWord).join(' '))}`,
      );
    return line;
  }
  const password = await askPassword(`Password for ${username}:`);
  if (password === '') throw new Error('No password given.');
  if ((await askPassword('Repeat password:')) !== password)
    throw new Error('The passwords don’t match.');
  return password;
}

import { commandLine } from '../shared/command-line.ts';
import { isLoopback } from '../shared/network.ts';
import { read } from 'read';
import { ServiceRefusal, askAs, logIn, logInByCode } from '../recorder/ask-service.ts';
import { loggedOut } from '../recorder/desk-link.ts';
import { type Login, readLogin, removeLogin, writeLogin } from '../recorder/logins.ts';
import { askPassword, passwordFromInput } from './passwords.ts';

/** `mitschrift login --server URL`: keeps a session for `mitschrift record` (0600, below XDG's config folder). */
export async function login(options: {
  server: string;
  user?: string | undefined;
  passwordStdin: boolean;
  code?: string | undefined;
  withCode: boolean;
}): Promise<void> {
  const { server } = options;
  warnOfPlainHttp(server);
  if (options.withCode) {
    await keep(await logInByCode(server, await codeFor(server)));
    return;
  }
  const credentials = await credentialsFor(server, options);
  const { limited, ...session } = await withCode(server, { ...credentials, code: options.code });
  if (limited !== undefined) throw new Error(firstThere(server, limited));
  await keep(session);
}

async function keep(session: Login): Promise<void> {
  await writeLogin(session, process.env);
  console.log(`Logged in to ${session.server} as ${session.username}.`);
}

/** `mitschrift logout --server URL`: ends the session there, and forgets it here whether or not the service answers. */
export async function logout({ server }: { server: string }): Promise<void> {
  const session = await readLogin(server, process.env);
  if (session === null) {
    console.log(`You are not logged in to ${server}.`);
    return;
  }
  await removeLogin(server, process.env);
  try {
    await askAs(session, 'POST', '/logout');
  } catch (error) {
    // The session had ended before.
    if (!(error instanceof ServiceRefusal) || error.status !== 401)
      throw new Error(
        `The session was deleted here, but it could not be ended at ${server}. You can end it there under ` +
          `Account › Where you are logged in. ${error instanceof Error ? error.message : ''}`,
        { cause: error },
      );
  }
  console.log(`Logged out from ${server} (${session.username}).`);
}

/**
 * The session that `mitschrift login` left, tried at the service.
 * @throws {Error} there is none, or it has ended: says so
 */
export async function assertLoggedIn(server: string): Promise<Login> {
  const session = await readLogin(server, process.env);
  if (session === null) throw new Error(loggedOut(server));
  try {
    await askAs(session, 'GET', '/status');
    return session;
  } catch (error) {
    if (error instanceof ServiceRefusal && error.status === 401)
      throw new Error(
        `Your session at ${server} has expired. Log in again: ${commandLine(`login --server ${server}`)}`,
        {
          cause: error,
        },
      );
    throw error;
  }
}

/** Logs in; where two-step login is on and no code was given, one is asked for. */
async function withCode(server: string, given: Parameters<typeof logIn>[1]) {
  try {
    return await logIn(server, given);
  } catch (error) {
    if (error instanceof ServiceRefusal && error.problem === 'use-single-sign-on')
      throw new Error(
        `${error.message} Then create a code for this program at ${server}/account, and use it here: ` +
          commandLine(`login --server ${server} --with-code`),
        { cause: error },
      );
    const isAsked = error instanceof ServiceRefusal && error.problem === 'code-required';
    if (!isAsked || given.code !== undefined) throw error;
    if (!process.stdin.isTTY)
      throw new Error('Two-step login is on: add --code CODE, or log in at a terminal.', {
        cause: error,
      });
    const code = await read({
      prompt: 'Code from your authenticator app, or a recovery code:',
      output: process.stderr,
    });
    return await logIn(server, { ...given, code: code.trim() });
  }
}

/** The code of the account page, from the terminal or a pipe. */
const codeFor = async (server: string): Promise<string> =>
  process.stdin.isTTY
    ? await read({ prompt: `Code from ${server}/account:`, output: process.stderr })
    : await passwordFromInput();

/** What has to be done on a page before the session opens anything. */
const firstThere = (server: string, limited: 'password' | 'totp'): string =>
  limited === 'totp'
    ? `${server} requires two-step login. Log in there with a browser to set it up, then here.`
    : `${server} requires a new password. Log in there with a browser to choose it, then here.`;

async function credentialsFor(
  server: string,
  { user, passwordStdin }: { user?: string | undefined; passwordStdin: boolean },
): Promise<{ username: string; password: string }> {
  if (!passwordStdin && !process.stdin.isTTY)
    throw new Error('There is no terminal to ask for a password. Use --user and --password-stdin.');
  if (passwordStdin && user === undefined) throw new Error('--password-stdin needs --user NAME.');
  const username =
    user ?? (await read({ prompt: `User name for ${server}:`, output: process.stderr })).trim();
  const password = passwordStdin
    ? await passwordFromInput()
    : await askPassword(`Password for ${username}:`);
  if (username === '' || password === '') throw new Error('User name and password are required.');
  return { username, password };
}

function warnOfPlainHttp(server: string): void {
  const { protocol, hostname } = new URL(server);
  if (protocol === 'https:' || isLoopback(hostname)) return;
  console.error(
    `The connection to ${server} is not encrypted: others could read your password and recordings.`,
  );
}

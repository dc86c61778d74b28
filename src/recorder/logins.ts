import * as z from 'zod';
import { chmod, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ifMissing, privateDirectory, writeDurably } from '../shared/files.ts';
import { parsedJson } from '../shared/json.ts';

/** A session at another machine's service, as `mitschrift login` leaves it for `mitschrift record`. */
export type Login = z.infer<typeof loginSchema>;

const loginSchema = z.object({
  /** Its origin, as `serviceOrigin` gives it. */
  server: z.string(),
  username: z.string(),
  token: z.string(),
});

/**
 * The origin of a service: `https://notes.example.org`.
 * @throws {Error} when the text is no address of one
 */
export function serviceOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/u.test(url.protocol))
    throw new Error(`“${text}” is not a server address. Example: https://notes.example.org`);
  if (url.username !== '' || url.password !== '')
    throw new Error(
      'Don’t put user name or password into the address; mitschrift login asks for them.',
    );
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new Error(`Use only the address of the server: ${url.origin}`);
  return url.origin;
}

/** Null when there is none, or the file is damaged: logging in mends both. Others may not read it from then on. */
export async function readLogin(server: string, env: NodeJS.ProcessEnv): Promise<Login | null> {
  const path = loginPath(server, env);
  const text = await readFile(path, 'utf8').catch(ifMissing(null));
  if (text === null) return null;
  // As a copy of a home directory may have it.
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
  return loginSchema.safeParse(parsedJson(text)).data ?? null;
}

/** For this user alone (0600, in a folder of 0700). */
export async function writeLogin(login: Login, env: NodeJS.ProcessEnv): Promise<void> {
  await privateDirectory(loginsFolder(env));
  await writeDurably(loginPath(login.server, env), `${JSON.stringify(login)}\n`);
}

export const removeLogin = (server: string, env: NodeJS.ProcessEnv): Promise<void> =>
  rm(loginPath(server, env), { force: true });

const loginPath = (server: string, env: NodeJS.ProcessEnv) =>
  join(loginsFolder(env), `${encodeURIComponent(server)}.json`);

/** XDG Base Directory Specification 0.8: `$XDG_CONFIG_HOME`, or `~/.config`. */
const loginsFolder = (env: NodeJS.ProcessEnv) =>
  join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'mitschrift', 'logins');

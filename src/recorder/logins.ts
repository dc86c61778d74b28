import * as z from 'zod';
import { chmod, readFile, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ifMissing, privateDirectory, writeDurably } from '../shared/files.ts';
import { parsedJson } from '../shared/json.ts';

/** A session at another machine's service, as `mitschrift login` leaves it for `mitschrift record`. */
export type Login = z.infer<typeof loginSchema>;

const loginSchema = z.object({
  /** Its origin: `https://notes.example.org`. */
  server: z.string(),
  username: z.string(),
  token: z.string(),
});

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

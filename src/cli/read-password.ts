import { text } from 'node:stream/consumers';
import { read } from 'read';

/** A password is at most 1024 characters; this is where reading a pipe ends, in characters. */
const charactersMax = 8192;

/**
 * A password for somebody: typed twice without echo on a terminal, else the first line of standard
 * input. Never an argument, which everybody on the host could read.
 * @throws {Error} the two differ, or there is none
 */
export async function readPassword(username: string): Promise<string> {
  if (!process.stdin.isTTY) {
    const [line = ''] = (await text(process.stdin)).slice(0, charactersMax).split(/\r?\n/u);
    if (line === '') throw new Error('Give the password as the first line of standard input.');
    return line;
  }
  // On standard error: what a command prints is for its reader.
  const ask = (prompt: string) => read({ prompt, silent: true, output: process.stderr });
  const password = await ask(`Password for ${username}:`);
  if (password === '') throw new Error('No password was given.');
  if ((await ask('Once more:')) !== password) throw new Error('The two passwords differ.');
  return password;
}

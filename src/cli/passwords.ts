import { read } from 'read';
import { text } from 'node:stream/consumers';

/** A password is at most 1024 characters; this is where reading a pipe ends, in characters. */
const charactersMax = 8192;

/** The first line of standard input; empty when there is none. Never an argument, which every user of the host could read. */
export async function passwordFromInput(): Promise<string> {
  const [line = ''] = (await text(process.stdin)).slice(0, charactersMax).split(/\r?\n/u);
  return line;
}

/** Asks on the terminal without echo, on standard error: what a command prints is for its reader. */
export const askPassword = (prompt: string): Promise<string> =>
  read({ prompt, silent: true, output: process.stderr });

import { read } from 'read';

/**
 * Asks a yes-or-no question on the terminal, on standard error: what a command prints is for its reader.
 * No is the default.
 * @throws {Error} there is no terminal: `--yes` has to say it
 */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new Error('There is no terminal to ask for confirmation. Add --yes.');
  const answer = await read({ prompt: `${question} [y/N]`, output: process.stderr });
  return /^y(?:es)?$/iu.test(answer.trim());
}

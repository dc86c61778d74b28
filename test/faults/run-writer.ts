import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { testProgram } from '../support/program.ts';
import type { Line, Told, WriterOptions } from './told.ts';

/** A writer that is not through by then hangs, in milliseconds. */
const endsWithinMs = 60_000;

/** How a life of the writer ended: `done`, `refused` (it said why it could not go on), or `killed`. */
export type Ending = { how: 'done' | 'refused' | 'killed'; lines: Line[]; said: string };

/**
 * Runs the writer to its end and adds what it was told.
 * @param wrap program and arguments in front of node, such as strace's
 */
export async function runWriter(
  told: Told,
  options: WriterOptions,
  { wrap = [], env = {} }: { wrap?: string[]; env?: Record<string, string> } = {},
): Promise<Ending> {
  const node = [process.execPath, testProgram('test/faults/writer')];
  const [program, ...args] = [...wrap, ...node, JSON.stringify(options)];
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(program, args, {
    // One thread of libuv's and one of LevelDB's: the n-th call is the same one every time.
    env: { ...inherited, UV_THREADPOOL_SIZE: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
  const lines: Line[] = [];
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-10_000)));
  const printed = createInterface({ input: child.stdout });
  printed.on('line', (line) => lines.push(JSON.parse(line) as Line));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (...how) => resolve(how));
  });
  clearTimeout(timer);
  told.lines.push(...lines);
  const last = lines.at(-1);
  if (signal === 'SIGKILL' || code === 137) return { how: 'killed', lines, said };
  if (code === 0 && last && 'done' in last) return { how: 'done', lines, said };
  if (code === 3 && last && 'refused' in last) return { how: 'refused', lines, said };
  throw new Error(`the writer ended with ${code ?? signal} and did not say why:\n${said}`);
}

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Speaks a text into a WAV file (22 050 Hz mono) with espeak-ng; always the same samples. */
export async function speak(
  text: string,
  path: string,
  { voice = 'en-us', pitch = 50 }: { voice?: string; pitch?: number } = {},
): Promise<void> {
  await run('espeak-ng', ['-v', voice, '-p', String(pitch), '-w', path, text]);
}

/** Runs sox or ffmpeg to make a test file. */
export async function make(program: 'sox' | 'ffmpeg', ...args: string[]): Promise<void> {
  await run(program, program === 'ffmpeg' ? ['-v', 'error', '-y', ...args] : args);
}

/** A folder that is gone when the test is over. */
export async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mitschrift-speech-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Word error rate: edits (Levenshtein, words) that turn `heard` into `said`, by the words said. */
export function wordErrorRate(said: string, heard: string): number {
  const a = said.toLowerCase().split(/\s+/);
  const b = heard.toLowerCase().split(/\s+/);
  let row = b.map((_, j) => j + 1);
  a.forEach((word, i) => {
    let diagonal = i;
    let left = i + 1;
    row = row.map((above, j) => {
      const here = Math.min(above + 1, left + 1, diagonal + Number(word !== b[j]));
      diagonal = above;
      left = here;
      return here;
    });
  });
  return row.at(-1)! / a.length;
}

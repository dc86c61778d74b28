import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const root = join(import.meta.dirname, '../..');

/** The npm package of this checkout, as it is built. @returns the path of its file, in this folder */
export async function packed(folder: string): Promise<string> {
  // Without `prepare`: the tests run what is built, and may not build it again beside each other.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 10_000_000 });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, filename);
}

/** What the doctor says, by id. @param program the command and where it is run; @param env its data */
export async function examined(
  program: readonly [string, ...string[]],
  options: { cwd: string; env: Record<string, string> },
): Promise<Map<string, { status: string; detail: string; remedy: { command?: string } | null }>> {
  const [command, ...args] = program;
  const env = { ...process.env, ...options.env };
  // It ends with 1 when something is missing.
  const { stdout } = await run(command, [...args, 'doctor', '--json'], { ...options, env }).catch(
    (error: { stdout: string }) => error,
  );
  const { checks } = JSON.parse(stdout) as {
    checks: { id: string; status: string; detail: string; remedy: { command?: string } | null }[];
  };
  return new Map(checks.map((check) => [check.id, check]));
}

import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * The process of the service below one that started it: npx, a shell and a container's runtime stand between, and not each
 * of them passes a signal on.
 * @returns undefined when there is none
 */
export async function servedBy(pid: number): Promise<number | undefined> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter(Boolean);
  if (basename(words[0] ?? '') === 'node' && words.at(-1) === 'serve') return pid;
  // Each thread has children of its own.
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8');
    for (const child of children.match(/\d+/g) ?? []) {
      const found = await servedBy(Number(child));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

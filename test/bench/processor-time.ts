import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Microseconds of processor time that a process spends on some work, in all threads it has before and after. */
export async function cpuOf(pid: number, work: () => Promise<void>): Promise<number> {
  const before = await cpuTime(pid);
  await work();
  return (await cpuTime(pid)) - before;
}

/** From `/proc`: nanoseconds are the first number of each thread's `schedstat`. */
export async function cpuTime(pid: number): Promise<number> {
  const tasks = `/proc/${pid}/task`;
  const threads = await Promise.all(
    (await readdir(tasks)).map((id) => readFile(join(tasks, id, 'schedstat'), 'utf8')),
  );
  return threads.reduce((sum, text) => sum + parseInt(text, 10), 0) / 1000;
}

/** The processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  for (const task of await readdir(`/proc/${pid}/task`)) {
    const text = await readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '');
    children.push(...text.split(' ').filter(Boolean).map(Number));
  }
  return children;
}

/** Milliseconds of a process and of those it started and that still run (the engine does). */
export async function cpuOfAll(pid: number): Promise<number> {
  const times = await Promise.all([pid, ...(await childrenOf(pid))].map(cpuTime));
  return times.reduce((sum, microseconds) => sum + microseconds / 1000, 0);
}

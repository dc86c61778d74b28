import { readFile, readdir } from 'node:fs/promises';
import { eventually } from '../support/eventually.ts';

/** What a process holds: memory of its own (not of files), and open files, sockets and pipes. */
export type Resources = { megabytes: number; handles: number };

/**
 * What it may hold more than at an equal point: a table of the database and a kept connection each cost a handle. A leak of one
 * a fault is beyond it in a long run.
 */
export const flatWithin: Resources = { megabytes: 100, handles: 10 };

export async function resourcesOf(pid: number): Promise<Resources> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]);
  return { megabytes: kilobytes / 1024, handles: (await readdir(`/proc/${pid}/fd`)).length };
}

/** 250 recordings, measured: 378 MB behind the burst, of them 64 in use; V8 gives the rest back when it has rested 60 to 95 s. */
const restedWithinMs = 240_000;

/**
 * Resolves with what a process holds as soon as neither is more than it was, but for the bound: garbage of a burst goes when the
 * process has rested. @param opened handles that it has on purpose
 */
export async function untilFlat(pid: number, before: Resources, opened = 0): Promise<Resources> {
  let now = before;
  const isFlat = async () => {
    const { megabytes, handles } = await resourcesOf(pid);
    now = { megabytes, handles: handles - opened };
    return resources.every((what) => now[what] <= before[what] + flatWithin[what]);
  };
  await eventually('it holds no more than before', isFlat, restedWithinMs).catch((error: Error) => {
    const grown = resources.map(
      (what) => `${before[what].toFixed(0)} → ${now[what].toFixed(0)} ${what}`,
    );
    throw new Error(`${error.message}: ${grown.join(', ')}`, { cause: error });
  });
  return now;
}

const resources = ['megabytes', 'handles'] as const;

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';

/** What a process holds: memory of its own (not of files), and open files, sockets and pipes. */
export type Resources = { megabytes: number; handles: number };

/**
 * What it may hold more than at an equal point: the collector of garbage is not asked, a table of the
 * database and a kept connection each cost a handle. A leak of one a fault is beyond it in a long run.
 */
export const flatWithin: Resources = { megabytes: 100, handles: 10 };

export async function resourcesOf(pid: number): Promise<Resources> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]);
  return { megabytes: kilobytes / 1024, handles: (await readdir(`/proc/${pid}/fd`)).length };
}

/** Neither is more than it was, but for the bound. */
export function assertFlat(before: Resources, now: Resources): void {
  for (const what of ['megabytes', 'handles'] as const) {
    const grown = `${before[what].toFixed(0)} → ${now[what].toFixed(0)} ${what}`;
    assert.ok(now[what] <= before[what] + flatWithin[what], grown);
  }
}

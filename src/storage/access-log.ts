import { LRUCache } from 'lru-cache';
import type { Kept, KeptKind } from './kept.ts';

const dayMs = 24 * 3_600_000;
/** How long a look is remembered. */
const keptMs = 400 * dayMs;
/** What somebody does is written at most as often as this. */
const writtenEveryMs = 60_000;
/** Looks that are known to be written, so that they are not again. */
const recentMax = 20_000;

/** What somebody did with a recording. */
export type LookKind = 'opened' | 'heard' | 'exported';

type DayOfLooks = Record<LookKind, number> & { last: number };

/**
 * Who looked at what was shared with them: `<recording>/<day>/<u-user or l-link>`. No facts, because a stranger with a link
 * must not be able to let the log grow: a row a day and person.
 */
export const lookRows: KeptKind<DayOfLooks> = {
  name: 'access-log',
  endsAt: ({ last }) => last + keptMs,
  keys: 'plain',
};

/** How often somebody looked, and when last; minutes in which they did count once. */
export type Looked = Record<LookKind, number> & { who: string; lastAt: Date };

export interface AccessLog {
  note(recordingId: string, who: string, look: LookKind): Promise<void>;
  /** The last who looked first. */
  of(recordingId: string): Promise<Looked[]>;
}

export function openAccessLog(kept: Kept): AccessLog {
  const rows = kept.of(lookRows);
  const recent = new LRUCache<string, number>({ max: recentMax });
  return {
    async note(recordingId, who, look) {
      const now = Date.now();
      const known = `${recordingId}/${who}/${look}`;
      const before = recent.get(known);
      if (before !== undefined && now - before < writtenEveryMs) return;
      recent.set(known, now);
      const day = new Date(now).toISOString().slice(0, 10);
      await rows.change([`${recordingId}/${day}/${who}`], ([row], at) => {
        const { last: _last, ...counts } = row ?? { opened: 0, heard: 0, exported: 0, last: 0 };
        const keep = [{ ...counts, [look]: counts[look] + 1, last: at }];
        return { keep, result: undefined };
      });
    },
    async of(recordingId) {
      const all = new Map<string, Looked>();
      for (const { key, value } of await rows.list(`${recordingId}/`)) {
        const who = key.split('/')[2] ?? '';
        const before = all.get(who);
        all.set(who, {
          who,
          opened: (before?.opened ?? 0) + value.opened,
          heard: (before?.heard ?? 0) + value.heard,
          exported: (before?.exported ?? 0) + value.exported,
          lastAt: new Date(Math.max(before?.lastAt.getTime() ?? 0, value.last)),
        });
      }
      return [...all.values()].toSorted((a, b) => b.lastAt.getTime() - a.lastAt.getTime());
    },
  };
}

/** Nobody looked at it: it is erased, or another's from now on. */
export async function forgetLooks(kept: Kept, recordingId: string): Promise<void> {
  const rows = kept.of(lookRows);
  await rows.delete((await rows.list(`${recordingId}/`)).map(({ key }) => key));
}

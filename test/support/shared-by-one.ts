import type { ByOne, DoneByOne } from '../../src/storage/by-one.ts';

/** What nodes have one of them do, in memory. @param now milliseconds */
export function sharedByOne(now: () => number = Date.now) {
  const last = new Map<string, { at: number; value: unknown; tookMs: number }>();
  const atIt = new Set<string>();
  const byOne: ByOne = async <T>(
    task: string,
    { withinMs, signal }: Parameters<ByOne>[1],
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<DoneByOne<T> | null> => {
    const present = last.get(task);
    if (present && now() - present.at < withinMs) {
      const { at, tookMs } = present;
      return { value: present.value as T, agoMs: now() - at + tookMs, tookMs, isMine: false };
    }
    if (atIt.has(task)) return null;
    atIt.add(task);
    const began = now();
    const value = await work(signal).finally(() => atIt.delete(task));
    last.set(task, { at: now(), value, tookMs: now() - began });
    return { value, agoMs: now() - began, tookMs: now() - began, isMine: true };
  };
  return { byOne, atIt, forget: () => last.clear() };
}

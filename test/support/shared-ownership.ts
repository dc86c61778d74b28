import type { Held, Ownership } from '../../events/ownership.ts';

/** Ownership among several processes, as a lock server grants it, in memory. */
export function sharedOwnership(): {
  /** One process's side of it. */
  node(): Ownership & {
    /** The process is cut off from the locks: all that it holds is lost, and it gets nothing more. */
    cutOff(): void;
    /** All that it holds is lost; it can be claimed again, also by this process. */
    lose(): void;
  };
} {
  const holders = new Map<string, AbortController>();
  const freeSince = new Map<string, number>();
  return {
    node() {
      const mine = new Map<string, AbortController>();
      let isCutOff = false;
      const lose = (): void => {
        for (const [name, lost] of mine) {
          lost.abort();
          holders.delete(name);
        }
        mine.clear();
      };
      return {
        async claim(name, signal): Promise<Held | null> {
          signal.throwIfAborted();
          // As long as a question to another process takes.
          await new Promise((resolve) => setImmediate(resolve));
          signal.throwIfAborted();
          if (isCutOff || holders.has(name)) return null;
          const lost = new AbortController();
          holders.set(name, lost);
          freeSince.delete(name);
          mine.set(name, lost);
          return {
            lost: lost.signal,
            async release() {
              if (holders.get(name) === lost) holders.delete(name);
              if (mine.get(name) === lost) mine.delete(name);
            },
          };
        },
        async freeFor(names) {
          // As long as a question to another process takes.
          await new Promise((resolve) => setImmediate(resolve));
          const free = names.filter((name) => !holders.has(name));
          for (const name of free) if (!freeSince.has(name)) freeSince.set(name, performance.now());
          return new Map(free.map((name) => [name, performance.now() - freeSince.get(name)!]));
        },
        cutOff() {
          isCutOff = true;
          lose();
        },
        lose,
      };
    },
  };
}

import type { Clock } from '../../src/shared/retry.ts';

/** A clock that only moves by waiting, at once. */
export function waitingClock() {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => waits.reduce((sum, ms) => sum + ms, 0),
    wait(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      return Promise.resolve();
    },
  };
  return { clock, waits };
}

type Wait = { ms: number; due: number; pass(): void };

/**
 * A clock that a test moves: `pass(ms)` waits until somebody waits for exactly so long, and lets that
 * time pass for all. Waits that `atOnce` names pass by themselves, and move the time.
 */
export function handClock({ atOnce = () => false }: { atOnce?: (ms: number) => boolean } = {}) {
  let now = 0;
  const waits = new Set<Wait>();
  const passed: number[] = [];
  const watchers = new Set<() => void>();
  const moveTo = (time: number): void => {
    now = Math.max(now, time);
    for (const wait of [...waits].sort((a, b) => a.due - b.due)) if (wait.due <= now) wait.pass();
  };
  const clock: Clock = {
    now: () => now,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const left = (): void => {
          waits.delete(wait);
          reject(signal.reason as Error);
        };
        const wait: Wait = {
          ms,
          due: now + ms,
          pass() {
            signal.removeEventListener('abort', left);
            waits.delete(wait);
            resolve();
          },
        };
        signal.addEventListener('abort', left, { once: true });
        waits.add(wait);
        if (atOnce(ms)) {
          passed.push(ms);
          moveTo(wait.due);
        } else for (const look of watchers) look();
      }),
  };
  return {
    clock,
    /** What passed by itself, in ms. */
    passed,
    pass(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const look = (): void => {
          const wait = [...waits].find((one) => one.ms === ms);
          if (!wait) return;
          watchers.delete(look);
          moveTo(wait.due);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something can be observed; fails, naming it, when it has not happened in time. */
export async function until<T>(
  what: string | (() => string),
  observe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  limitMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const seen = await observe();
    if (seen) return seen;
    if (performance.now() > deadline)
      throw new Error(
        `not within ${limitMs / 1000} s: ${typeof what === 'string' ? what : what()}`,
      );
    await sleep(20);
  }
}

/** Long enough for a machine that is busy with much else. */
const limitMsDefault = 60_000;

/** Looks again with each round of the event loop until something holds; fails, naming it, at the limit. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = limitMsDefault,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What a promise resolves with; fails, naming it, when it takes longer than the limit. */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  limitMs = limitMsDefault,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${limitMs / 1000} s: ${what}`)), limitMs);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A list of which no frame tells: read when somebody begins to look, and after each change that is made here. */
import { atom, onMount } from 'nanostores';
import { ApiError, type Problem } from './api.ts';
import { connection } from './feed.ts';

/** @param also calls back when it is to be read again. @param problem why it could not be read; several may share it */
export function openReading<T>(
  ask: () => Promise<T>,
  also: (again: () => void) => () => void = () => () => undefined,
  problem = atom<Problem | null>(null),
) {
  /** As it was read last; null before that. */
  const value = atom<T | null>(null);

  /** The last of those that are on their way. */
  let reading = 0;

  /** Without an answer what was known stays; so it does where another reading began meanwhile. */
  async function read(): Promise<void> {
    const mine = (reading += 1);
    try {
      const now = await ask();
      if (mine !== reading) return;
      value.set(now);
      problem.set(null);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (mine === reading) problem.set(error.problem);
    }
  }

  onMount(value, () => {
    let last = read();
    const again = () => void (last = read());
    // What could not be read while the service was away; what is on its way may come yet.
    const stop = connection.listen(({ state }) => {
      const isMissed = () => value.get() === null || problem.get()?.status === 0;
      if (state === 'open') void last.then(() => isMissed() && again());
    });
    const stopAlso = also(again);
    return () => (stop(), stopAlso());
  });

  return { value, problem, read };
}

import { ERRORS, type Lock, type Locker } from '@tus/server';

/** Somebody who wants to go on with an upload waits this long for the connection before to let go. */
const patienceMs = 10_000;

/**
 * One connection at a time for each upload; the one that has it is asked to let go when another comes,
 * which is the same client after its network failed. (The package's own locker looks again and again in
 * every turn of the event loop.)
 */
export function uploadLocks(): Locker {
  const held = new Map<string, Holder>();
  return { newLock: (id) => lockOf(id, held) };
}

type Holder = { letGo: () => void | Promise<void>; gone: Promise<void> };

function lockOf(id: string, held: Map<string, Holder>): Lock {
  let release: (() => void) | undefined;
  return {
    async lock(signal, letGo) {
      const waited = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
      for (let holder = held.get(id); holder; holder = held.get(id)) {
        await holder.letGo();
        await Promise.race([holder.gone, aborted(waited)]);
        if (waited.aborted) throw ERRORS.ERR_LOCK_TIMEOUT;
      }
      const gone = new Promise<void>((resolve) => (release = resolve));
      held.set(id, { letGo, gone });
    },
    async unlock() {
      if (!release) return;
      held.delete(id);
      release();
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

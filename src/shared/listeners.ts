/** Who wants to hear of something. */
export type Listeners<Told extends unknown[]> = {
  /** @returns how to stop listening */
  add(listener: (...told: Told) => void): () => void;
  /** Calls all, in the order in which they came. */
  tell(...told: Told): void;
};

export function openListeners<Told extends unknown[] = []>(): Listeners<Told> {
  const listeners = new Set<(...told: Told) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(...told) {
      for (const listener of listeners) listener(...told);
    },
  };
}

/** Wakes those who wait for a change. A waiter costs one callback and no memory per fact. */
export type CommitSignal = {
  /** Resolves at the next `fire`, or when `signal` aborts, whichever comes first. */
  wait(signal?: AbortSignal): Promise<void>;
  fire(): void;
};

export function commitSignal(): CommitSignal {
  let waiters = new Set<() => void>();
  return {
    wait(signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          waiters.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        waiters.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    fire() {
      const woken = waiters;
      waiters = new Set();
      for (const wake of woken) wake();
    },
  };
}

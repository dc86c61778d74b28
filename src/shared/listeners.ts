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

/**
 * Who may act under a name: at any moment one holder at most, among all processes that share a log. Names:
 * `recording:<id>`, `projector:<versions>`, `space:<owner>`, `upload:<id>`. `test/events/ownership-contract.ts` says what each must hold to.
 */
export interface Ownership {
  /**
   * Takes a name if it is free. Does not wait for its holder: null while it is held, also by this process.
   * @param signal gives up asking, and then throws its reason; what was granted by then is released
   * @throws what the other side says; nothing is held then
   */
  claim(name: string, signal: AbortSignal): Promise<Held | null>;
  /**
   * Those of these names that no process holds, with how long ago the first of all processes found that, in milliseconds.
   * Infinity where only one process can hold names: who held them before is gone for good.
   * @throws what the other side says
   */
  freeFor(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** A name that is held, until it is released or lost. */
export type Held = {
  /**
   * Aborts at once when another process may hold the name from then on: everything that was begun under it
   * stops. Releasing does not abort it.
   */
  readonly lost: AbortSignal;
  /** Gives the name back; resolves when it can be claimed again. Does nothing when it is lost or was given back. */
  release(): Promise<void>;
};

/** The ownership of a log that only one process can open: a name is free unless it is held here. */
export function soleOwnership(): Ownership {
  const held = new Map<string, symbol>();
  return {
    freeFor: async (names) =>
      new Map(names.filter((name) => !held.has(name)).map((name) => [name, Infinity])),
    async claim(name, signal) {
      signal.throwIfAborted();
      if (held.has(name)) return null;
      const claim = Symbol(name);
      held.set(name, claim);
      return {
        lost: new AbortController().signal,
        async release() {
          if (held.get(name) === claim) held.delete(name);
        },
      };
    },
  };
}

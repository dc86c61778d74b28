import { mutex } from './mutex.ts';

/** A share of something that others use too. Give it back in any case. */
export type Lease<T> = { value: T; release(): void };

/**
 * One thing (an engine, a client) that is opened when needed, shared by all who need it, and opened
 * again when what it depends on has changed. The old one is closed when its last user is done: a changed
 * setting counts for the next stage and never breaks one that runs.
 */
export type Leased<T> = {
  /** @throws what opening throws; a failure is not kept. */
  lease(): Promise<Lease<T>>;
  /** Closes it, also while it is in use. */
  close(): Promise<void>;
};

type Kept<T> = { key: string; value: T; users: number; outdated: boolean };

export function leased<T extends { close(): Promise<void> }>(options: {
  /** What it depends on, as text: another text, another thing. */
  key(): Promise<string> | string;
  open(): Promise<T>;
  /** Called with the error of closing an old one, which no caller waits for. */
  onCloseError(error: unknown): void;
}): Leased<T> {
  let kept: Kept<T> | undefined;
  const oneAtATime = mutex();

  const closeIfUnused = (old: Kept<T>) => {
    if (old.users > 0 || !old.outdated) return;
    old.value.close().catch(options.onCloseError);
  };

  return {
    lease() {
      // One after the other: two who come at once get the same thing, not two.
      return oneAtATime(async () => {
        const key = await options.key();
        if (kept?.key !== key) {
          const value = await options.open();
          const old = kept;
          kept = { key, value, users: 0, outdated: false };
          if (old) {
            old.outdated = true;
            closeIfUnused(old);
          }
        }
        return leaseOf(kept);
      });
    },
    async close() {
      await oneAtATime(async () => {
        const last = kept;
        kept = undefined;
        await last?.value.close();
      });
    },
  };

  function leaseOf(mine: Kept<T>): Lease<T> {
    mine.users += 1;
    let released = false;
    return {
      value: mine.value,
      release() {
        if (released) return;
        released = true;
        mine.users -= 1;
        closeIfUnused(mine);
      },
    };
  }
}

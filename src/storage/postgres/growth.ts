import type { Postgres } from './connection.ts';
import { factsChannel } from './append-schema.ts';

/** Tells other nodes how far the log has come by this one's appends. */
export type Growth = {
  /** Whether the append that is sent now is to tell it itself. */
  isDue(): boolean;
  /** It has come up to here. @param isTold whether the append has told so */
  reached(position: number, isTold: boolean): void;
  /** Resolves when nothing is left to be told, or could not be. */
  settled(): Promise<void>;
};

/** A notice costs a third of an append, and each other node a moment: where appends come faster, not each has one. */
const everyMs = 1;

export function tellGrowth({ channels }: Pick<Postgres, 'channels'>): Growth {
  let toldAt = -Infinity;
  let owed: { position: number; timer: NodeJS.Timeout } | undefined;
  let telling: Promise<void> = Promise.resolve();
  const tell = (): void => {
    if (owed === undefined) return;
    const { position, timer } = owed;
    clearTimeout(timer);
    owed = undefined;
    // A database that is away shows in `away`; the others ask every few seconds.
    telling = channels.tell(factsChannel, String(position)).catch(() => {});
  };
  return {
    isDue: () => performance.now() - toldAt >= everyMs,
    reached(position, isTold) {
      if (!isTold) {
        owed = { position, timer: owed?.timer ?? setTimeout(tell, everyMs) };
        return;
      }
      toldAt = performance.now();
      clearTimeout(owed?.timer);
      owed = undefined;
    },
    async settled() {
      tell();
      await telling;
    },
  };
}

import { Busy, type Limited, limited } from '../shared/mutex.ts';

/**
 * Small rows that change and end by themselves: sessions, tickets, attempts to log in, pending jobs, secrets. Values are
 * JSON. `test/storage/kept-contract.ts` says what each adapter must hold to.
 */
export interface Kept {
  /** The rows of one kind, the same for each who asks. */
  of<V>(kind: KeptKind<V>): KeptRows<V>;
  /** Forgets rows that have ended, and those of too many, of all kinds that were asked for. For now and then. */
  sweep(): Promise<void>;
}

export type KeptKind<V> = {
  /** Small letters and hyphens. Databases have it: it stays as it is. */
  name: string;
  /**
   * When a row ends that is written at `now`, both in milliseconds since the epoch; null or absent: never. LevelDB
   * keeps the value alone and asks at each reading, so that there only a time that the value says ends it.
   */
  endsAt?(value: V, now: number): number | null;
  /**
   * Null or absent: rows outlive the process and a power cut. Else they need not, and so many are kept: of more, those
   * go that were written longest ago, in memory at once, in a database with the next sweep.
   */
  volatileMax?: number | null;
  /** `hashed`: from what is stored nobody reads, or guesses, the keys. Such rows are not listed. */
  keys: 'plain' | 'hashed';
};

/** As adapters have it. */
export type WholeKind = Required<KeptKind<unknown>>;

/** @throws {Busy} when too many wait, or too many nodes change the same; {EventStoreError} `BUSY` */
export interface KeptRows<V> {
  /** Undefined where there is none, or it has ended. */
  get(key: string): Promise<V | undefined>;
  /** Those whose key begins so, in the order of keys; none that has ended. */
  list(prefix: string): Promise<{ key: string; value: V }[]>;
  delete(keys: readonly string[]): Promise<void>;
  /**
   * Hands values to `decide`, with the time in milliseconds since the epoch, and keeps instead what it returns: for each
   * key a value, or undefined for none; without `keep` nothing changes. One change at a time, at however many nodes;
   * `decide` may be asked again.
   */
  change<T>(
    keys: readonly string[],
    decide: (
      values: readonly (V | undefined)[],
      now: number,
    ) => { keep?: readonly (V | undefined)[]; result: T },
  ): Promise<T>;
}

/** One row as an adapter has it: its JSON. */
export type Cell = { text: string; hasEnded: boolean };

/** What an adapter does for one kind. */
export interface Cells {
  read(keys: readonly string[]): Promise<{ cells: (Cell | undefined)[]; now: number }>;
  list(prefix: string): Promise<{ key: string; cell: Cell }[]>;
  /** Replaces cells at once, durably; false, and nothing is done, where they are not any more what they were. */
  swap(
    keys: readonly string[],
    before: readonly (Cell | undefined)[],
    after: readonly ({ text: string; endsAt: number | null } | undefined)[],
  ): Promise<boolean>;
  sweep(): Promise<void>;
}

/** Changes that wait in one process; more are refused. */
const waitingMax = 1024;
/** How often a change is tried while other nodes change the same. */
const triesMax = 20;

export function keptIn(open: (kind: WholeKind) => Cells): Kept {
  const opened = new Map<string, { cells: Cells; inTurn: Limited }>();
  return {
    of<V>(given: KeptKind<V>): KeptRows<V> {
      const kind = { endsAt: () => null, volatileMax: null, ...given };
      const { cells, inTurn } = opened.get(kind.name) ?? {
        cells: open(kind),
        inTurn: limited(1, waitingMax),
      };
      opened.set(kind.name, { cells, inTurn });
      const valueOf = (cell: Cell | undefined): V | undefined =>
        !cell || cell.hasEnded ? undefined : JSON.parse(cell.text);
      const change: KeptRows<V>['change'] = async (keys, decide) =>
        await inTurn(async () => {
          for (let tries = 0; tries < triesMax; tries += 1) {
            const { cells: before, now } = await cells.read(keys);
            const { keep, result } = decide(before.map(valueOf), now);
            const after = keep?.map((value) =>
              value === undefined
                ? undefined
                : { text: JSON.stringify(value), endsAt: kind.endsAt(value, now) },
            );
            if (!after || (await cells.swap(keys, before, after))) return result;
          }
          throw new Busy();
        });
      return {
        get: async (key) => valueOf((await cells.read([key])).cells[0]),
        list: async (prefix) =>
          (await cells.list(prefix)).flatMap(({ key, cell }) => {
            const value = valueOf(cell);
            return value === undefined ? [] : [{ key, value }];
          }),
        delete: (keys) =>
          change(keys, () => ({ keep: keys.map(() => undefined), result: undefined })),
        change,
      };
    },
    async sweep() {
      for (const { cells } of opened.values()) await cells.sweep();
    },
  };
}

import pLimit from 'p-limit';
import { type FoundKey, keyOf, openContent, sealContent } from '../../events/log/sealing.ts';
import { KeyError, type KeyStore } from '../../events/key-store.ts';
import type {
  Projection,
  ProjectionStorage,
  Row,
  Seal,
} from '../../projections/runner/projection.ts';

type Keys = Pick<KeyStore, 'find'>;
type Sealing = Pick<Projection, 'name' | 'seal'>;

/** A row on the disk: its open fields, and the others as base64 of `content-cipher`. */
type SealedRow = {
  open?: Record<string, unknown>;
  sealed?: string;
  /** It was written after the key was destroyed: nothing is missing that could come back. */
  erased?: true;
};

/**
 * Rows sealed with the keys of their subjects, over a storage that keeps what it is given: destroying
 * the key erases them. Each is bound to its projection and key, so it opens nowhere else.
 *
 * A row that does not open harms only itself: its open fields are left, of a row without any nothing.
 * With the key missing or damaged (not erased), or the row altered, `unreadable: true` is among them, and
 * `report` is called once per subject. Without a key only the open fields are stored.
 */
export function sealedRows(
  storage: ProjectionStorage,
  deps: {
    keys: Keys;
    projections: readonly Sealing[];
    /** Something cannot be read; never anything a person said. */
    report(problem: { subject: string; message: string }): void;
  },
): ProjectionStorage {
  const seals = new Map(deps.projections.map(({ name, seal }) => [name, seal]));
  const sealOf = (projection: string, key: string): Seal | undefined =>
    seals.get(projection)?.(key);
  const reported = new Set<string>();
  const report = (subject: string, message: string): void => {
    if (reported.has(subject) || reported.size >= reportedMax) return;
    reported.add(subject);
    deps.report({ subject, message });
  };
  /** What a projection keeps has the shape that it reads. */
  const reveal = async <T>(projection: string, key: string, row: Row): Promise<T | undefined> => {
    const seal = row === undefined ? undefined : sealOf(projection, key);
    if (!seal) return row as T;
    const place = placeOf(projection, key);
    return (await openedRow(row as SealedRow, { seal, place, keys: deps.keys, report })) as T;
  };

  return {
    ...storage,
    async get<T>(projection: string, key: string) {
      return await reveal<T>(projection, key, await storage.get(projection, key));
    },
    async getMany<T>(projection: string, keys: readonly string[]) {
      const rows = await storage.getMany(projection, keys);
      return await Promise.all(keys.map((key, index) => reveal<T>(projection, key, rows[index])));
    },
    async *range<T>(projection: string, options: Parameters<ProjectionStorage['range']>[1]) {
      for await (const [key, row] of storage.range(projection, options)) {
        const revealed = await reveal<T>(projection, key, row);
        if (revealed !== undefined) yield [key, revealed];
      }
    },
    async commit(projection, checkpoint, changes) {
      const seals = new Map<string, Seal>();
      for (const [rowKey, row] of changes) {
        const seal = row === undefined ? undefined : sealOf(projection, rowKey);
        if (seal) seals.set(rowKey, seal);
      }
      const keys = await keysOf(deps.keys, seals.values());
      const written = new Map<string, Row>();
      for (const [rowKey, row] of changes) {
        const seal = seals.get(rowKey);
        if (!seal) {
          written.set(rowKey, row);
          continue;
        }
        const key = keys.get(seal.subject)!;
        written.set(rowKey, await sealedRow(row, seal, key, placeOf(projection, rowKey)));
        if (key instanceof KeyError || isUnreadable(row)) written.set(markOf(seal.subject), 1);
      }
      await storage.commit(projection, checkpoint, written);
    },
  };
}

/** Subjects that are reported; more is a damage of all keys, which others report too. */
const reportedMax = 1000;

/** A row belongs to no fact: names of streams hold no slash. */
const placeOf = (projection: string, key: string) => ({
  stream: `rows/${projection}/${key}`,
  version: 0,
});

/** They are written often and made again when they are needed. */
const packing = { level: 1 };

type Place = { stream: string; version: number };

/** As it is written; undefined where nothing of the row may be kept, since its key is not there. */
export async function sealedRow(
  row: Row,
  seal: Seal,
  key: FoundKey,
  place: Place,
): Promise<SealedRow | undefined> {
  if (seal.open === undefined) {
    if (!Buffer.isBuffer(key)) return undefined;
    return { sealed: await sealContent(key, place, JSON.stringify(row), packing) };
  }
  const open: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(row as object)) {
    (seal.open.includes(field) ? open : rest)[field] = value;
  }
  if (key === 'erased') return { open, erased: true };
  if (!Buffer.isBuffer(key)) return { open };
  return { open, sealed: await sealContent(key, place, JSON.stringify(rest), packing) };
}

/** A row that was folded from what could not be read. */
const isUnreadable = (row: Row): boolean =>
  row instanceof Object && 'unreadable' in row && row.unreadable === true;

/** Beside rows that were written while their key was away: something of them is missing. */
const markOf = (subject: string): string => `${marks}${subject}`;
const marks = 'sealed-without-key/';

/**
 * Calls back for each subject of which a projection's rows were written while its key was away, if it is
 * there again: with the changes that take back the note of it, to be committed with the rows made again.
 */
export async function forEachKeyThatCameBack(
  storage: ProjectionStorage,
  keys: Keys,
  projection: string,
  rebuild: (subject: string, unmarked: ReadonlyMap<string, Row>) => Promise<void>,
): Promise<void> {
  // `0` follows `/`.
  const all = { gte: marks, lt: `${marks.slice(0, -1)}0` };
  for await (const [mark] of storage.range(projection, all)) {
    const subject = mark.slice(marks.length);
    if (Buffer.isBuffer(await keyOf(keys, subject))) {
      await rebuild(subject, new Map([[mark, undefined]]));
    }
  }
}

type At = { seal: Seal; place: Place; keys: Keys };

/** A row as it was before it was sealed; without its key what is open of it, or nothing. `report` is called where it should open. */
export async function openedRow(
  { open, sealed, erased }: SealedRow,
  { seal, place, keys, report }: At & { report(subject: string, message: string): void },
): Promise<Row> {
  const unreadable = (message: string): Row => {
    report(seal.subject, message);
    return open && { ...open, unreadable: true };
  };
  const key = await keyOf(keys, seal.subject);
  // A node that wrote it may know of the erasure before another one, which has the key in memory.
  if (key === 'erased' || erased) return open;
  if (key instanceof KeyError) return unreadable(key.message);
  // Written while its key was not there.
  if (sealed === undefined) return unreadable('A row was written without its key.');
  try {
    const rest = await openContent(key, place, sealed);
    return open === undefined ? rest : { ...open, ...(rest as object) };
  } catch {
    return unreadable('A row cannot be opened with the key there is.');
  }
}

/** A page of facts may be of a thousand recordings, and a key is a file: some are read at a time. */
async function keysOf(keys: Keys, seals: Iterable<Seal>): Promise<ReadonlyMap<string, FoundKey>> {
  const found = new Map<string, FoundKey>();
  const limited = pLimit(keysAtOnce);
  const subjects = new Set(Array.from(seals, ({ subject }) => subject));
  await limited.map(subjects, async (subject) => {
    found.set(subject, await keyOf(keys, subject));
  });
  return found;
}

const keysAtOnce = 16;

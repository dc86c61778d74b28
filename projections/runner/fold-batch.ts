import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { Projection, Row, Rows } from './projection.ts';

/** What some facts change: rows by key, `undefined` where a row goes. */
export type Changes = Map<string, Row>;

export type Folded = {
  changes: Changes;
  /** The first fact that the projection threw at; nothing of it or of later ones is in `changes`. */
  failure?: { index: number; error: unknown };
};

/** The keys each fact has to see; ends before the first fact whose keys are unknown. */
export function keysOfFacts(
  projection: Projection,
  facts: readonly LoggedFact[],
): { keys: (readonly string[])[]; failure?: { index: number; error: unknown } } {
  const keys: (readonly string[])[] = [];
  for (const [index, fact] of facts.entries()) {
    try {
      keys.push(projection.keys(fact));
    } catch (error) {
      return { keys, failure: { index, error } };
    }
  }
  return { keys };
}

/**
 * Folds facts over the rows they have to see. Pure: `loaded` is left as it is.
 * @param keys those each fact declared; a projection that reads another one is in error.
 * @param loaded every declared row, `undefined` where there is none.
 */
export function foldBatch(
  projection: Projection,
  facts: readonly LoggedFact[],
  keys: readonly (readonly string[])[],
  loaded: ReadonlyMap<string, Row>,
): Folded {
  const changes: Changes = new Map();
  let declared: readonly string[] = [];
  const rows: Rows = {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a projection knows the shape of its own rows
    get<T>(key: string) {
      // Whether an undeclared row is at hand depends on the batch; the answer must not.
      if (!declared.includes(key)) throw new UndeclaredRow(projection.name);
      return (changes.has(key) ? changes.get(key) : loaded.get(key)) as T | undefined;
    },
    set: (key, row) => void changes.set(key, row),
    delete: (key) => void changes.set(key, undefined),
  };
  for (const [index, fact] of facts.entries()) {
    declared = keys[index]!;
    try {
      projection.apply(rows, fact);
    } catch (error) {
      // Half of the failed fact may be in the changes: fold again without it.
      const before = foldBatch(projection, facts.slice(0, index), keys, loaded);
      return { changes: before.changes, failure: { index, error } };
    }
  }
  return { changes };
}

class UndeclaredRow extends Error {
  override name = 'UndeclaredRow';
  constructor(projection: string) {
    super(`The projection ${projection} reads a row it did not declare`);
  }
}

import { LRUCache } from 'lru-cache';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { retry } from '../../src/shared/retry.ts';
import {
  type Projection,
  type ProjectionStorage,
  type Row,
  type StopReason,
  defectReason,
  outageReason,
  whileAway,
  type Rows,
} from './projection.ts';

/** Where a projection stands. */
export type ProjectionState = {
  name: string;
  version: number;
  /** Everything up to here has been applied. */
  position: number;
  /**
   * `rebuilding`: its rows are being made again and are incomplete. `catching-up`: it has not seen the
   * head of the log since the start. `live`: it applies facts as they come. `retrying`: its storage
   * is away, for the reason in `reason`. `stopped`: for good, until a restart.
   */
  state: 'rebuilding' | 'catching-up' | 'live' | 'retrying' | 'stopped';
  /** Why it is `retrying` or `stopped`; never anything a person said. */
  reason: StopReason | null;
};

/** How far a projection is, wherever it is kept up. */
export interface Progress {
  readonly name: string;
  state(): ProjectionState;
  position(): number;
  stopped(): boolean;
  /** Whether it has seen the head of the log since the start, and has not stopped. */
  live(): boolean;
}

/** One projection at work: its position, its rows at hand, and how it fares. */
export interface Member extends Progress {
  /**
   * Takes the projection up where it was left; from the beginning when its version is another one,
   * or when `reaches` says that the log does not get as far as its checkpoint.
   */
  resume(reaches: (position: number) => boolean): Promise<void>;
  /**
   * Applies facts that follow each other without a gap; those it already knows are passed over.
   * Its own failures stop it and are not thrown. @throws the signal's reason.
   */
  apply(facts: readonly LoggedFact[]): Promise<void>;
  /** It has seen the head of the log. */
  goLive(): void;
  /** The log cannot be read just now. Over with the next facts. */
  noticeLogAway(error: unknown): void;
  stop(reason: StopReason): void;
  /** Stores how far it got, where that was left for later. @throws what the storage throws. */
  flush(): Promise<void>;
}

/** Rows held in memory per projection. */
const cachedRowsMax = 4096;

/** A checkpoint without changes of rows is stored this often, in positions: reading them again costs little. */
const idleCheckpointEvery = 10_000;

type MemberDeps = {
  storage: ProjectionStorage;
  signal: AbortSignal;
  /** Called once, when the projection stops. */
  onStopped: (state: ProjectionState) => void;
};

type Standing = MemberDeps & {
  projection: Projection;
  /** Rows that were looked at lately; of one that is not there, that it is not. */
  cache: LRUCache<string, { row: Row }>;
  position: number;
  storedPosition: number;
  state: ProjectionState['state'];
  reason: StopReason | null;
  /** Why log or storage cannot be reached just now. */
  away: StopReason | null;
};

export function openMember(projection: Projection, deps: MemberDeps): Member {
  const member: Standing = {
    ...deps,
    projection,
    cache: new LRUCache({ max: cachedRowsMax }),
    position: 0,
    storedPosition: 0,
    state: 'catching-up',
    reason: null,
    away: null,
  };
  const { storage } = deps;
  const { name, version, interests } = projection;
  return {
    name,
    state: () => stateOf(member),
    position: () => member.position,
    stopped: () => member.state === 'stopped',
    live: () => member.state === 'live',
    resume: (reaches) =>
      guarded(
        member,
        () => takeUp(member, reaches),
        `The projection ${name} could not be taken up`,
      ),
    async apply(facts) {
      const { position, state } = member;
      const last = facts.at(-1);
      if (!last || state === 'stopped' || last.position <= position) return;
      const wanted = facts.filter(
        (fact) => fact.position > position && (interests === undefined || interests.has(fact.type)),
      );
      await guarded(
        member,
        () => applyWanted(member, wanted, last.position),
        `The rows of the projection ${name} could not be read or written`,
      );
    },
    goLive() {
      if (member.state !== 'stopped') member.state = 'live';
      // The log was read to its end.
      member.away = null;
    },
    noticeLogAway(error) {
      member.away = outageReason(error, 'The log cannot be read just now');
    },
    stop: (reason) => stop(member, reason),
    async flush() {
      const { state, position } = member;
      if (state === 'stopped' || member.storedPosition === position) return;
      await storage.commit(name, { version, position }, new Map());
      member.storedPosition = position;
    },
  };
}

/** What some facts change: rows by key, `undefined` where a row goes. */
type Changes = Map<string, Row>;

type Folded = {
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

/** Tries again while the failure is transient, and stops the projection when it is not. */
async function guarded(
  member: Standing,
  attempt: () => Promise<void>,
  failure: string,
): Promise<void> {
  const { projection, signal } = member;
  try {
    const notice = (error: unknown): void =>
      void (member.away = outageReason(
        error,
        `The storage of the projection ${projection.name} is away`,
      ));
    await retry(attempt, whileAway(signal, notice));
    member.away = null;
  } catch (error) {
    if (signal.aborted) throw error;
    stop(member, outageReason(error, failure));
  }
}

async function takeUp(member: Standing, reaches: (position: number) => boolean): Promise<void> {
  const { projection, storage } = member;
  const { name, version } = projection;
  const checkpoint = await storage.checkpoint(name);
  if (checkpoint?.version === version && reaches(checkpoint.position)) {
    member.position = checkpoint.position;
    member.storedPosition = checkpoint.position;
    return;
  }
  // Cleared without a checkpoint too: an earlier clearing may have got no further than that.
  if (checkpoint || reaches(1)) member.state = 'rebuilding';
  await storage.clear(name);
}

async function applyWanted(
  member: Standing,
  wanted: readonly LoggedFact[],
  upTo: number,
): Promise<void> {
  const { projection, storage, cache } = member;
  const { name, version } = projection;
  const { keys, failure: keysFailure } = keysOfFacts(projection, wanted);
  const loaded = await load(member, keys);
  const folded = foldBatch(projection, wanted.slice(0, keys.length), keys, loaded);
  const failure = folded.failure ?? keysFailure;
  const failed = failure && wanted[failure.index];
  const reached = failed ? failed.position - 1 : upTo;
  if (folded.changes.size > 0 || reached - member.storedPosition >= idleCheckpointEvery) {
    await storage.commit(name, { version, position: reached }, folded.changes);
    member.storedPosition = reached;
  }
  for (const [key, row] of loaded) cache.set(key, { row });
  for (const [key, row] of folded.changes) if (cache.has(key)) cache.set(key, { row });
  member.position = reached;
  if (!failed) return;
  const doing = `The projection ${name} could not apply ${failed.type} at position ${failed.position}`;
  stop(member, defectReason(failure.error, doing));
}

async function load(
  { projection, storage, cache }: Standing,
  keys: readonly (readonly string[])[],
): Promise<ReadonlyMap<string, Row>> {
  const loaded = new Map<string, Row>();
  const missing = new Set<string>();
  let before: readonly string[] = [];
  for (const keysOfOne of keys) {
    // Facts that follow each other often have to see the same.
    if (keysOfOne === before) continue;
    before = keysOfOne;
    for (const key of keysOfOne) {
      if (loaded.has(key) || missing.has(key)) continue;
      const held = cache.get(key);
      if (held) loaded.set(key, held.row);
      else missing.add(key);
    }
  }
  if (missing.size === 0) return loaded;
  const names = [...missing];
  const rows = await storage.getMany(projection.name, names);
  for (const [index, key] of names.entries()) loaded.set(key, rows[index]);
  return loaded;
}

function stop(member: Standing, why: StopReason): void {
  if (member.state === 'stopped') return;
  member.state = 'stopped';
  member.reason = why;
  member.cache.clear();
  member.onStopped(stateOf(member));
}

function stateOf({ projection, position, state, reason, away }: Standing): ProjectionState {
  const { name, version } = projection;
  const isRetrying = away !== null && state !== 'stopped';
  return {
    name,
    version,
    position,
    state: isRetrying ? 'retrying' : state,
    reason: reason ?? away,
  };
}

class UndeclaredRow extends Error {
  override name = 'UndeclaredRow';
  constructor(projection: string) {
    super(`The projection ${projection} reads a row it did not declare`);
  }
}

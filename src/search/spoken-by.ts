import { LRUCache } from 'lru-cache';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { type Kind, recordingOf } from '../../events/facts/recording.ts';
import { foldName, libraryEntries } from '../../projections/library.ts';
import { type ReadEntries, allPages, pageRowsMax, timeKey } from '../../projections/list-page.ts';
import { thoseWhoSpeak } from '../../projections/recording/reading.ts';
import { type ListedRecording, recordingsListed } from '../../projections/recording-row.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { erases, unchanging } from './what-changes.ts';

/**
 * In which of a user's notes somebody speaks. No key of a row may have a name in it, nor what can be made of one, so the
 * rows are read once, when this user first narrows to a speaker, and again where one has changed.
 */
export interface SpokenBy {
  /** The entries of the library in which this speaker is: a name, or a label of who has none. */
  entriesOf(owner: string, speaker: string, kind?: Kind): Promise<ReadEntries>;
}

/** Notes whose speakers are kept, of all users together: some 300 bytes each. Of more, users who asked last keep theirs. */
const keptMax = 200_000;
/** Changes that may wait to be read; beyond them all is read anew. */
const changesMax = 2000;

export function openSpokenBy(deps: {
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'onApplied'>;
}): SpokenBy {
  const kept = new LRUCache<string, Owned>({
    maxSize: keptMax,
    sizeCalculation: ({ notes }) => Math.min(keptMax, Math.max(1, notes.size)),
  });
  deps.projections.onApplied((facts) => {
    for (const fact of facts) for (const [owner, owned] of kept) note(fact, owned, owner);
  });

  function note(fact: LoggedFact, owned: Owned, owner: string): void {
    const id = recordingOf(fact.stream);
    if (id === undefined || unchanging.has(fact.type)) return;
    owned.lists.clear();
    if (erases(fact)) owned.notes.delete(id);
    owned.changed.add(id);
    if (owned.changed.size > changesMax) kept.delete(owner);
  }

  return {
    async entriesOf(owner, speaker, kind) {
      const owned = kept.get(owner) ?? emptyOwned();
      // Before it is read: what changes meanwhile is read again.
      if (!kept.has(owner)) kept.set(owner, owned);
      const mine = (owned.working ?? Promise.resolve())
        .catch(() => {})
        .then(async () => await takeIn(deps.storage, owner, owned));
      owned.working = mine;
      try {
        await mine;
      } catch (error) {
        if (kept.peek(owner) === owned) kept.delete(owner);
        throw error;
      }
      // Weighed anew: the same object set again would keep the size that it had.
      if (kept.peek(owner) === owned) {
        kept.delete(owner);
        kept.set(owner, owned);
      }
      return readIn(listOf(owned, foldName(speaker), kind));
    },
  };
}

/** What is kept of a user. */
type Owned = {
  notes: Map<string, Spoken>;
  /** Recordings to be read again. */
  changed: Set<string>;
  /** Entries by speaker and kind, oldest first, until something changes. */
  lists: Map<string, string[]>;
  isRead?: true;
  /** The reading that is under way: one after the other. */
  working?: Promise<void>;
};
const emptyOwned = (): Owned => ({ notes: new Map(), changed: new Set(), lists: new Map() });

type Spoken = { entry: string; kind: Kind; speakers: string[] };

async function takeIn(storage: ProjectionStorage, owner: string, owned: Owned): Promise<void> {
  if (!owned.isRead) {
    for await (const entries of allPages(libraryEntries(storage, owner)))
      await put(storage, owner, owned, entries);
    owned.isRead = true;
  }
  const changed = [...owned.changed];
  for (let at = 0; at < changed.length; at += pageRowsMax) {
    const ids = changed.slice(at, at + pageRowsMax);
    // Before they are read: a change from now on is another one.
    for (const id of ids) {
      owned.changed.delete(id);
      owned.notes.delete(id);
    }
    await put(
      storage,
      owner,
      owned,
      ids.map((id) => `/${id}`),
    );
  }
}

/** @param entries `<time>/<id>`; the time is not looked at */
async function put(
  storage: ProjectionStorage,
  owner: string,
  { notes, lists }: Owned,
  entries: readonly string[],
): Promise<void> {
  for (const row of await recordingsListed(storage, entries)) {
    if (row.owner !== owner || row.documents === null) continue;
    notes.set(row.recordingId, spokenIn(row));
  }
  lists.clear();
}

const spokenIn = ({ startedAt, recordingId, kind, speakers }: ListedRecording): Spoken => ({
  entry: timeKey(startedAt, recordingId),
  kind,
  speakers: thoseWhoSpeak(speakers).map(({ name, label }) => foldName(name ?? label)),
});

function listOf({ notes, lists }: Owned, speaker: string, kind: Kind | undefined): string[] {
  const key = `${kind ?? ''}/${speaker}`;
  const known = lists.get(key);
  if (known) return known;
  const list = [...notes.values()]
    .filter((one) => (kind === undefined || one.kind === kind) && one.speakers.includes(speaker))
    .map(({ entry }) => entry)
    .toSorted(inOrder);
  lists.set(key, list);
  return list;
}

/** As keys are in order; all of it is ASCII. */
const inOrder = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** @param list in order */
const readIn =
  (list: readonly string[]): ReadEntries =>
  async ({ gte, lt, reverse, limit }) => {
    const [from, to] = [placeIn(list, gte), placeIn(list, lt)];
    if (from >= to) return [];
    return reverse
      ? list.slice(Math.max(from, to - limit), to).toReversed()
      : list.slice(from, Math.min(to, from + limit));
  };

/** Where the first is that is not less. */
function placeIn(list: readonly string[], bound: string): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? '') < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

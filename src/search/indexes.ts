import pLimit from 'p-limit';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { recordingOf } from '../../events/facts/recording.ts';
import type { UserIndex } from './user-index.ts';
import { erases, refiles, unchanging } from './what-changes.ts';

/** Users whose indexes are in memory, and indexes being made at the same time. */
const usersMax = 50;
const buildsMax = 4;

/** The indexes in memory. */
export function openIndexes(deps: {
  /** Pairs of word and transcript in all of them. */
  room: number;
  /** Bytes that what passages mean may take in all of them. */
  roomToMean: number;
  open(
    owner: string,
    rooms: { hasRoom(): boolean; hasRoomToMean(): boolean },
    limited: (work: () => Promise<void>) => Promise<void>,
  ): UserIndex;
}) {
  /** In the order of their last use. */
  const kept = new Map<string, UserIndex>();
  const limited = pLimit(buildsMax);
  const total = () => [...kept.values()].reduce((size, { words }) => size + words.size, 0);
  const meant = () => [...kept.values()].reduce((size, { meantBytes }) => size + meantBytes, 0);
  const hasLittle = (): boolean => total() < deps.room && meant() < deps.roomToMean;

  /** Drops the indexes that were not used for longest, but for the last one used and those being made. */
  const makeRoom = (): void => {
    const last = [...kept.keys()].at(-1);
    for (const [owner, index] of kept) {
      if (owner === last || (hasLittle() && kept.size <= usersMax)) return;
      if (!index.busy()) kept.delete(owner);
    }
  };
  const rooms = {
    hasRoom(): boolean {
      makeRoom();
      return total() < deps.room;
    },
    hasRoomToMean(): boolean {
      makeRoom();
      return meant() < deps.roomToMean;
    },
  };

  return {
    /** The index of a user; undefined while those of too many others are made. */
    of(owner: string, isGood: (index: UserIndex) => boolean): UserIndex | undefined {
      const present = kept.get(owner);
      if (present && !isGood(present)) kept.delete(owner);
      makeRoom();
      if (!kept.has(owner) && kept.size > usersMax) return undefined;
      const index = kept.get(owner) ?? deps.open(owner, rooms, limited);
      // To the end: it was used last.
      kept.delete(owner);
      kept.set(owner, index);
      return index;
    },
    drop(owner: string, index: UserIndex): void {
      if (kept.get(owner) === index) kept.delete(owner);
    },
    /** A recording has other passages; null: any may have. */
    embedded(recordingId: string | null): void {
      if (recordingId === null) kept.clear();
      else for (const index of kept.values()) index.embedded(recordingId);
    },
    apply(fact: LoggedFact): void {
      const recordingId = recordingOf(fact.stream);
      if (recordingId === undefined || unchanging.has(fact.type)) return;
      for (const [owner, index] of kept) {
        if (erases(fact)) index.erased(recordingId);
        else if (refiles.has(fact.type)) index.refiled(recordingId);
        else if (!index.changed(recordingId)) kept.delete(owner);
      }
    },
  };
}

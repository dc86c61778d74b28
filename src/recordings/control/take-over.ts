import { recordingOf } from '../../../events/facts/recording.ts';
import { LRUCache } from 'lru-cache';
import type { FactOutline } from '../../../events/facts/catalogue.ts';
import { followOnwards } from '../../../events/follow-streams.ts';
import type { EventStore } from '../../../events/store.ts';
import { isIn } from '../../../machines/states.ts';
import type { Log } from '../../shared/log.ts';
import { messageOf } from '../../shared/errors.ts';
import { type Alarm, openAlarm, repeatedly } from '../../shared/retry.ts';
import { type RecordingAggregate, isLogAway } from './aggregate.ts';
import type { OpenRecordings } from './open-recordings.ts';

/**
 * Finds recordings that have something to do and for which no one acts, and acts for them in this process, as far
 * as it has slots for them.
 */
export type TakeOver = {
  /** Looks through a list of recordings once. Returns for how many this process acts. @throws what the list throws */
  look(unsettled: RecordingIds): Promise<number>;
  /** Goes on looking, when another process appended or has ended, and every moment. */
  follow(unsettled: ListOfRecordings): void;
  /** A recording that is open here has something to do. */
  waits(recording: RecordingAggregate): void;
  /** One is not acted for here any more. */
  left(recording: RecordingAggregate): void;
  /**
   * A recording that is acted for here waits for another to be worked on: until then it takes no slot, or those that wait
   * would leave none for what they wait for. @returns ends it; twice is once
   */
  rest(recordingId: string): () => void;
  /** For how many recordings this process acts in a slot. */
  slotsUsed(): number;
  /** Why recordings could not be taken over. */
  failures: ReadonlyMap<string, string>;
  close(): Promise<void>;
};

export type RecordingIds = AsyncIterable<string> | Iterable<string>;

/** In the order of their ids, which is that of their beginnings. @param after without those up to this one */
export type ListOfRecordings = (after?: string) => RecordingIds;

export type TakeOverDeps = {
  store: Pick<EventStore, 'follow' | 'head'>;
  recordings: Pick<OpenRecordings, 'takeOver' | 'appendedElsewhere'>;
  log: Log;
  /** For how many recordings this process acts at once; what is captured here needs none. */
  slots: number;
  /** Whose these recordings are, and in which state, where slots are counted; those it does not name are no one's. */
  standingOf(
    recordingIds: readonly string[],
  ): Promise<ReadonlyMap<string, { owner: string; state: string }>>;
  /** Which of these that are captured are left to the process that has them, or that their browser comes back to. */
  awaited(recordingIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Between two looks when nothing was heard, in milliseconds: so long one waits whose process died. */
  pollMs: number;
  /** Recordings that are looked at in one look where slots are counted, and that are remembered from the log. */
  candidatesMax: number;
};

/** For a process that is alone: it acts for all there are. */
export const takeOverDefaults = { slots: Infinity, pollMs: 1000, candidatesMax: 1000 };
/** Before one is tried again that could not be taken over, in milliseconds; of so many. */
const restMs = 30_000;
const restingMax = 10_000;

type TakingOver = TakeOverDeps & {
  /** The next look at the list begins behind this one: those in front were more than one look has room for. */
  lookedUpTo: string | undefined;
  /** Those acted for in a slot, or about to be. */
  taken: Set<string>;
  /** Of them, those that wait for others. */
  waiting: Set<string>;
  /** Asked for once more while they were about to be. */
  wanted: Set<string>;
  /** Unsettled by the log: rows may be behind it. */
  heard: Set<string>;
  failed: Map<string, string>;
  /** Those of them that will most likely fail again. */
  resting: LRUCache<string, true>;
  stopping: AbortController;
  /** Rings when something comes up. */
  bell: Alarm;
};

export function openTakeOver(deps: TakeOverDeps): TakeOver {
  const it: TakingOver = {
    ...deps,
    lookedUpTo: undefined,
    taken: new Set(),
    waiting: new Set(),
    wanted: new Set(),
    heard: new Set(),
    failed: new Map(),
    resting: new LRUCache({ max: restingMax, ttl: restMs }),
    stopping: new AbortController(),
    bell: openAlarm(),
  };
  const running: Promise<void>[] = [];
  return {
    look: (unsettled) => look(it, unsettled),
    follow(unsettled) {
      running.push(listen(it), keepLooking(it, unsettled));
    },
    waits({ recordingId, snapshot }) {
      if (!snapshot().matches('recording') && isFree(it)) void take(it, recordingId);
      else note(it, recordingId);
    },
    rest(recordingId) {
      if (it.taken.has(recordingId)) it.waiting.add(recordingId);
      it.bell.ring();
      return () => void it.waiting.delete(recordingId);
    },
    left({ recordingId }) {
      it.taken.delete(recordingId);
      it.waiting.delete(recordingId);
      it.wanted.delete(recordingId);
      it.bell.ring();
    },
    slotsUsed: () => slotsUsed(it),
    failures: it.failed,
    async close() {
      it.stopping.abort();
      await Promise.all(running);
    },
  };
}

const slotsUsed = ({ taken, waiting }: TakingOver): number => taken.size - waiting.size;

const isFree = (it: TakingOver): boolean => slotsUsed(it) < it.slots;

async function look(it: TakingOver, unsettled: RecordingIds): Promise<number> {
  let count = 0;
  const { candidates, brokenOff } = await candidatesIn(it, unsettled);
  for (const recordingId of await inTurn(it, candidates)) {
    if (it.stopping.signal.aborted || !isFree(it)) break;
    if (await take(it, recordingId)) count += 1;
  }
  if (brokenOff) throw brokenOff.error;
  return count;
}

/** Never throws: what fails is said once, and tried again with the next look. */
async function take(it: TakingOver, recordingId: string): Promise<boolean> {
  const { taken, wanted, failed, resting, recordings, stopping, log } = it;
  if (taken.has(recordingId)) {
    wanted.add(recordingId);
    return true;
  }
  // From now on: two at once must not take more than there are slots.
  taken.add(recordingId);
  it.heard.delete(recordingId);
  let isTaken = false;
  try {
    isTaken = await recordings.takeOver(recordingId);
    failed.delete(recordingId);
  } catch (error) {
    const message = messageOf(error);
    if (!isLogAway(error)) resting.set(recordingId, true);
    if (!stopping.signal.aborted && failed.get(recordingId) !== message) {
      log.error({ err: error, recordingId }, 'recording could not be continued');
      failed.set(recordingId, message);
    }
  }
  const isWanted = wanted.delete(recordingId);
  if (isTaken) return true;
  taken.delete(recordingId);
  // It may have come to have something to do while it was found to have nothing.
  return isWanted && (await take(it, recordingId));
}

/**
 * Owners with the fewest here first, each one's in the order of their beginnings. Without those whose browser has another
 * process take them over when it is back: who acts for them meanwhile would keep it out.
 */
async function inTurn(it: TakingOver, candidates: readonly string[]): Promise<readonly string[]> {
  if (candidates.length === 0) return candidates;
  const known = await it.standingOf([...it.taken, ...candidates]);
  const isCaptured = (id: string): boolean => isIn(known.get(id)?.state ?? '', 'recording');
  const captured = candidates.filter(isCaptured);
  const awaited = captured.length > 0 ? await it.awaited(captured) : new Set();
  const places = new Map<string, number>();
  const next = (recordingId: string): number => {
    const owner = known.get(recordingId)?.owner ?? '';
    const place = places.get(owner) ?? 0;
    places.set(owner, place + 1);
    return place;
  };
  for (const recordingId of it.taken) next(recordingId);
  return candidates
    .filter((recordingId) => !awaited.has(recordingId))
    .map((recordingId) => ({ recordingId, place: next(recordingId) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ recordingId }) => recordingId);
}

/** Some of what was heard of and some of the list: what is left of that is looked at the next time. With slots for all: all. */
async function candidatesIn(
  it: TakingOver,
  unsettled: RecordingIds,
): Promise<{ candidates: string[]; brokenOff: { error: unknown } | null }> {
  const { heard, taken, resting, slots } = it;
  const candidatesMax = slots < Infinity ? it.candidatesMax : Infinity;
  const candidates = new Set([...heard].slice(0, Math.ceil(candidatesMax / 2)));
  it.lookedUpTo = undefined;
  let brokenOff: { error: unknown } | null = null;
  try {
    for await (const recordingId of unsettled) {
      if (!taken.has(recordingId) && !resting.has(recordingId)) candidates.add(recordingId);
      if (candidates.size < candidatesMax) continue;
      it.lookedUpTo = recordingId;
      break;
    }
  } catch (error) {
    brokenOff = { error };
  }
  return { candidates: [...candidates].toSorted(), brokenOff };
}

/** Follows the log: what others append moves what is open here, and what they left unsettled is looked for. */
async function listen(it: TakingOver): Promise<void> {
  const { signal } = it.stopping;
  const follow = followOnwards(it.store, async (facts) => {
    for (const fact of facts) {
      if (signal.aborted) return;
      await hear(it, fact);
    }
  });
  await repeatedly(() => follow(signal), untilStopped(it));
}

async function hear(it: TakingOver, fact: FactOutline): Promise<void> {
  const { recordings, heard, log } = it;
  const recordingId = recordingOf(fact.stream);
  if (recordingId === undefined) return;
  await recordings
    .appendedElsewhere(recordingId, fact.version)
    .catch((error: unknown) =>
      log.warn({ err: error, recordingId }, 'reading new events of a recording failed'),
    );
  const isUnsettled = fact.to !== undefined && isIn(fact.to, 'transcribing');
  if (!isUnsettled) heard.delete(recordingId);
  // Who acts for it goes on appending: only what begins to be worked on, or was given up, may be no one's.
  else if (!isIn(fact.from ?? '', 'transcribing') || fact.type === 'stage.interrupted')
    note(it, recordingId);
}

async function keepLooking(it: TakingOver, unsettled: ListOfRecordings): Promise<void> {
  await repeatedly(async () => {
    while (!it.stopping.signal.aborted) {
      await it.bell.pause(it.pollMs, it.stopping.signal);
      if (it.stopping.signal.aborted) return;
      if (isFree(it)) await look(it, unsettled(it.lookedUpTo));
    }
  }, untilStopped(it));
}

/** How work goes on until it is stopped, also when it failed. */
const untilStopped = ({ stopping, log, pollMs }: TakingOver) => ({
  pauseMs: pollMs,
  signal: stopping.signal,
  onFailure: (error: unknown) =>
    log.warn({ err: error }, 'search for unfinished recordings failed'),
});

function note(it: TakingOver, recordingId: string): void {
  if (it.slots === 0 || it.taken.has(recordingId)) return;
  if (it.heard.size < it.candidatesMax) it.heard.add(recordingId);
  it.bell.ring();
}

import { LRUCache } from 'lru-cache';
import { type FactFrames, factFrames, positionFrame } from './frames.ts';
import { limits } from '../limits.ts';
import { followEphemeral } from './ephemeral.ts';
import { presentStatus } from '../status-answer.ts';
import type { Caller, HttpServices } from '../services.ts';
import { sees } from '../visible-recording.ts';
import { recordingOf, recordingStream } from '../../../events/facts/recording.ts';
import { recordingById } from '../../../projections/recordings.ts';
import { limited } from '../../shared/mutex.ts';

/** Tells listeners what happens, in the order of the log, after the projections applied it. */
export interface Feed {
  /**
   * Status at the present position P, then (with `after`) everything durable in (after, P], then what
   * happens, without gap or double. Resolves when the listener follows live; rejects when it is gone.
   */
  join(listener: Listener, after: number | undefined): Promise<void>;
  /** Position up to which listeners have been told. */
  position(): number;
  /** Stops telling; resolves when nothing is under way. */
  close(): Promise<void>;
}

/**
 * One reader of the log for all listeners. Nothing is queued: the reader and each listener
 * that catches up hold a position and read on from it, so memory does not depend on who is slow.
 */
export function openFeed(services: HttpServices): Feed {
  const { store, projections, log, space } = services;
  const owner = ownerOf(services);
  /** Who follows, and the position each had seen when it began to. */
  const live = new Map<Listener, number>();
  const closing = new AbortController();
  let told = projections.position();
  /** Owners whose status object has to be sent. */
  const touched = new Set<string>();
  let pumping: Promise<void> | undefined;
  let wanted = false;
  const catchUps = limited(limits.catchUpsAtOnceMax);

  const stopListening = projections.onApplied(() => wake());
  const stopEphemeral = followEphemeral(services, owner, {
    followed: () => live.size > 0,
    tell: (id, frames) => tell(id, { ownerFrames: frames, administratorFrames: [] }),
    touch,
  });
  const stopSpace = space.onWarning(() => {
    for (const { caller } of live.keys()) touch(caller.userId);
  });

  return {
    position: () => told,
    async join(listener, after) {
      const { caller, signal } = listener;
      signal.addEventListener('abort', () => live.delete(listener), { once: true });
      const start = told;
      listener.send(await statusFrame(caller, start));
      await catchUps(async () => {
        signal.throwIfAborted();
        await catchUp(listener, after ?? start, start);
      });
    },
    async close() {
      closing.abort();
      stopListening();
      stopEphemeral();
      stopSpace();
      await pumping;
    },
  };

  /** Reads what the listener has not been told until there is nothing more, then lets it follow. */
  async function catchUp(listener: Listener, after: number, statusAt: number): Promise<void> {
    const { caller, signal } = listener;
    let seen = after;
    while (seen < told) {
      const until = told;
      for await (const fact of store.readAll({ afterPosition: seen, limit: until - seen })) {
        signal.throwIfAborted();
        closing.signal.throwIfAborted();
        seen = fact.position;
        const frames = factFrames(fact);
        const id = frames && (await owner(frames.recordingId));
        if (!frames || id === undefined) continue;
        for (const frame of framesFor(listener, id, frames)) listener.send(frame);
        await listener.drained();
      }
      if (seen < until) throw new Error(`The log ended at ${seen}, before ${until}`);
    }
    signal.throwIfAborted();
    listener.send(positionFrame(seen));
    // In the turn of the loop's last comparison: nothing can have been told in between.
    live.set(listener, seen);
    if (told !== statusAt) touch(caller.userId);
  }

  function touch(userId: string): void {
    touched.add(userId);
    wake();
  }

  function wake(): void {
    wanted = true;
    pumping ??= pump()
      .catch((error: unknown) => {
        log.error({ err: error }, 'telling what happens failed; everybody has to come back');
        for (const listener of live.keys()) listener.fail();
      })
      .finally(() => {
        pumping = undefined;
        if (wanted && !closing.signal.aborted) wake();
      });
  }

  async function pump(): Promise<void> {
    while (wanted && !closing.signal.aborted) {
      wanted = false;
      await tellFacts(projections.position());
      await tellStatuses();
    }
  }

  async function tellFacts(until: number): Promise<void> {
    if (told >= until) return;
    if (live.size === 0) {
      // No client follows: the next one reads the log.
      told = until;
      return;
    }
    for await (const fact of store.readAll({ afterPosition: told, limit: until - told })) {
      if (closing.signal.aborted) return;
      const frames = factFrames(fact);
      const id = frames && (await owner(frames.recordingId));
      // From here to the end of the turn: told and counted as told, or neither.
      told = fact.position;
      if (!frames || id === undefined) continue;
      tell(id, frames, told);
      if (frames.changesStatus) touched.add(id);
    }
  }

  async function tellStatuses(): Promise<void> {
    const owners = [...touched];
    touched.clear();
    for (const id of owners) {
      const first = [...live.keys()].find(({ caller }) => caller.userId === id);
      if (!first) continue;
      const frame = await statusFrame(first.caller, told);
      for (const listener of live.keys()) {
        if (listener.caller.userId === id) listener.send(frame);
      }
    }
  }

  /** Frames without a position are of the moment: they go to everybody who follows. */
  function tell(
    id: string,
    frames: Pick<FactFrames, 'ownerFrames' | 'administratorFrames'>,
    position = Number.POSITIVE_INFINITY,
  ): void {
    for (const [listener, seen] of live) {
      if (position <= seen) continue;
      for (const frame of framesFor(listener, id, frames)) listener.send(frame);
    }
  }

  async function statusFrame(caller: Caller, position: number): Promise<string> {
    const status = await presentStatus(services, caller, { position });
    return JSON.stringify({ type: 'status', ...status });
  }
}

/** A client that gets frames. `send` must not block; it may let the listener go instead. */
export type Listener = {
  /** Who it is; may be looked up again meanwhile, but stays the same user. */
  readonly caller: Caller;
  /** An administrator who also wants the moves of everybody's recordings. */
  all: boolean;
  send(frame: string): void;
  /** Resolves when what was sent has been taken; rejects when the listener is gone. */
  drained(): Promise<void>;
  /** Ends the listener, because the stream cannot go on for it. It may come back and resume. */
  fail(): void;
  /** Aborts when the listener is gone. */
  signal: AbortSignal;
};

/** What a listener gets of a recording of `owner`. */
const framesFor = (
  { caller, all }: Listener,
  owner: string,
  { ownerFrames, administratorFrames }: Pick<FactFrames, 'ownerFrames' | 'administratorFrames'>,
): readonly string[] => (sees(caller, owner) ? ownerFrames : all ? administratorFrames : []);

/**
 * Whose a recording is: from the view, which knows whom it was handed over to and is as far as whoever
 * is told things; from its first fact while the view has nothing yet. Remembered until it is handed
 * over. Undefined when there is no such recording.
 */
export function ownerOf({
  store,
  storage,
  projections,
}: Pick<HttpServices, 'store' | 'storage' | 'projections'>) {
  const known = new LRUCache<string, string>({ max: limits.ownersRememberedMax });
  /** Hand-overs seen: what was read before one may be what was true before it. */
  let handedOver = 0;
  projections.onApplied((facts) => {
    for (const fact of facts) {
      if (fact.type !== 'recording.handed_over') continue;
      handedOver += 1;
      known.delete(recordingOf(fact.stream) ?? '');
    }
  });

  return async (recordingId: string): Promise<string | undefined> => {
    const remembered = known.get(recordingId);
    if (remembered !== undefined) return remembered;
    const before = handedOver;
    const owner = (await recordingById(storage, recordingId))?.owner ?? (await first(recordingId));
    if (owner === undefined || handedOver !== before) return owner;
    known.set(recordingId, owner);
    return owner;
  };

  async function first(recordingId: string): Promise<string | undefined> {
    for await (const fact of store.read(recordingStream(recordingId), { limit: 1 })) {
      const { owner } = fact.data as { owner?: unknown };
      return typeof owner === 'string' ? owner : undefined;
    }
    return undefined;
  }
}

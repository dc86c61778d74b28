import type { FactOutline } from '../../events/facts/catalogue.ts';
import type { EventStore } from '../../events/store.ts';
import { retry } from '../../src/shared/retry.ts';
import { type Follower, followLog } from './follow-log.ts';
import { type Member, type Progress, type ProjectionState, openMember } from './member.ts';
import {
  type Projection,
  ProjectionBehind,
  ProjectionStopped,
  type ProjectionStorage,
  type StopReason,
  outageReason,
  whileAway,
} from './projection.ts';

/** One projection by name, several, or `all`. */
export type Which = string | readonly string[];

/** Keeps projections up with the log. */
export interface ProjectionRunner {
  /** Where each projection stands, in the order they were given. */
  states(): ProjectionState[];
  /** Up to where one has applied the log. @throws {RangeError} there is none of that name */
  positionOf(name: string): number;
  /**
   * Resolves when the projections have applied a position (`timeoutMs` 5000 by default).
   * @throws {ProjectionBehind} after the limit; {ProjectionStopped} as soon as one of them has stopped.
   */
  applied(
    which: Which,
    position: number,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<void>;
  /**
   * Resolves when the projections have seen the head of the log as it was at the start (without a limit by default).
   * @throws {ProjectionBehind} after the limit; {ProjectionStopped} as soon as one of them has stopped.
   */
  caughtUp(which: Which, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>;
  /**
   * For a command to ask before it appends anything, and for a reader who must not see old rows, or half of them.
   * @throws {ProjectionStopped} when one of them has stopped; {ProjectionBehind} until they have caught up.
   */
  assertRunning(which: Which): void;
  /**
   * Resolves when every projection has seen the head of the log as it was at the start, or has stopped alone.
   * @throws {ProjectionStopped} when nothing can be followed: the log cannot be read, or `stop` came first.
   */
  ready(): Promise<void>;
  /**
   * Position of the last fact listeners were called with; means something once `ready()` has resolved. Rows may be ahead of it.
   * A listener that is added in the same tick in which the position is read gets everything after it, once.
   */
  position(): number;
  /**
   * Calls back with facts, in order and without gaps, when the projections have applied them (what people said may be
   * missing: `EventStore.opened` has it);
   * `position` is the last one's. It is not delayed by a projection that is rebuilt or has stopped.
   * Listeners must not block; one that throws is dropped, and `onListenerError` called. Returns how to stop.
   */
  onApplied(listener: AppliedListener): () => void;
  /** Stops following and stores how far each got. @throws what the storage throws. */
  stop(): Promise<void>;
}

type AppliedListener = (facts: readonly FactOutline[], position: number) => void;

/** A command waits this long for its own position by default. */
const appliedTimeoutMs = 5000;

const closing: StopReason = { code: 'CLOSED', message: 'The server is shutting down' };

/**
 * Starts to bring projections up to the log and to keep them there. Returns at once; `ready()` resolves later.
 * @param options.onStopped called once for each projection that stops for a fault, to be logged.
 * @param options.onListenerError called with what a listener threw; without it, it ends the process.
 */
export function startProjections(options: {
  store: EventStore;
  storage: ProjectionStorage;
  projections: readonly Projection[];
  signal?: AbortSignal;
  onStopped?: (state: ProjectionState) => void;
  onListenerError?: (error: unknown) => void;
  /** Called when positions or states may have changed. */
  onProgress?: () => void;
}): ProjectionRunner {
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
  const onStopped = (state: ProjectionState): void => {
    if (state.reason !== closing) options.onStopped?.(state);
  };
  const members = options.projections.map((projection) =>
    openMember(projection, { storage: options.storage, signal, onStopped }),
  );
  const waiting = positionWaiters();
  const listeners = listenersTo(options.onListenerError);
  const following = keepFollowing({
    store: options.store,
    members,
    stopping,
    signal,
    onProgress() {
      waiting.settle();
      options.onProgress?.();
    },
    onApplied: listeners.notify,
  });
  return {
    ...progressOf(members, waiting),
    ready: () => following.ready,
    position: () => following.position(),
    onApplied: listeners.add,
    stop() {
      stopping.abort();
      return following.shutDown();
    },
  };
}

/** What is asked of projections, wherever they are kept up. */
export function progressOf(
  members: readonly Progress[],
  waiting: PositionWaiters,
): Pick<ProjectionRunner, 'states' | 'positionOf' | 'applied' | 'caughtUp' | 'assertRunning'> {
  const chosen = chooser(members);
  return {
    states: () => members.map((member) => member.state()),
    positionOf: (name) => Math.min(...chosen(name).map((member) => member.position())),
    async applied(which, position, { timeoutMs = appliedTimeoutMs, signal } = {}) {
      const has = (member: Progress) => member.position() >= position;
      const need = { has, what: `apply position ${position}` };
      await waiting.wait(chosen(which), need, { timeoutMs, signal });
    },
    async caughtUp(which, { timeoutMs = Infinity, signal } = {}) {
      const need = { has: (member: Progress) => member.live(), what: 'catch up with the log' };
      await waiting.wait(chosen(which), need, { timeoutMs, signal });
    },
    assertRunning(which) {
      for (const member of chosen(which)) {
        if (member.stopped()) throw stoppedError(member);
        if (member.live()) continue;
        throw new ProjectionBehind(member.name, `The projection ${member.name} is catching up`);
      }
    },
  };
}

/** By name, several names, or `all`. @throws {TypeError} two have one name */
function chooser(members: readonly Progress[]): (which: Which) => readonly Progress[] {
  const byName = new Map(members.map((member) => [member.name, member]));
  if (byName.size !== members.length) throw new TypeError('Two projections have the same name');
  return (which) => {
    if (which === 'all') return members;
    return (typeof which === 'string' ? [which] : which).map((name) => {
      const member = byName.get(name);
      if (!member) throw new RangeError(`There is no projection ${name}`);
      return member;
    });
  };
}

/** Those who are called with facts that were applied; one that throws is dropped. */
export function listenersTo(onError: ((error: unknown) => void) | undefined) {
  const listeners = new Set<AppliedListener>();
  return {
    add(listener: AppliedListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify(facts: readonly FactOutline[]): void {
      const position = facts.at(-1)!.position;
      // A copy: one that is added meanwhile has asked for the position after these facts.
      for (const listener of Array.from(listeners)) {
        try {
          listener(facts, position);
        } catch (error) {
          listeners.delete(listener);
          if (onError) onError(error);
          else queueMicrotask(() => raise(error));
        }
      }
    },
  };
}

/** Those who wait until projections have come as far as they need. */
interface PositionWaiters {
  /**
   * Resolves when all members have. `timeoutMs` may be Infinity. `what` ends the message: `did not apply position 7`.
   * @throws {ProjectionBehind} after the limit; {ProjectionStopped} as soon as one has stopped; the signal's reason.
   */
  wait(
    members: readonly Progress[],
    need: { has: (member: Progress) => boolean; what: string },
    options: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<void>;
  /** Resolves those that need to wait no more. To be called when a position or a state has changed. */
  settle(): void;
}

/** More than this many commands waiting at once is a mistake somewhere. */
const waitersMax = 10_000;

export function positionWaiters(): PositionWaiters {
  const waiters = new Set<() => void>();
  return {
    wait(members, need, { timeoutMs, signal }) {
      return new Promise((resolve, reject) => {
        const end = (settle: () => void): void => {
          waiters.delete(look);
          clearTimeout(timer);
          signal?.removeEventListener('abort', abandon);
          settle();
        };
        const abandon = (): void => end(() => reject(signal?.reason));
        const look = (): void => {
          const stopped = members.find((member) => member.stopped());
          if (stopped) end(() => reject(stoppedError(stopped)));
          else if (members.every(need.has)) end(resolve);
        };
        const giveUp = (): void =>
          end(() => reject(behindError(members, need, `within ${timeoutMs} ms`)));
        if (signal?.aborted) return reject(signal.reason);
        if (waiters.size >= waitersMax) {
          return reject(behindError(members, need, `and ${waitersMax} others wait`));
        }
        const timer = timeoutMs === Infinity ? undefined : setTimeout(giveUp, timeoutMs);
        signal?.addEventListener('abort', abandon, { once: true });
        waiters.add(look);
        look();
      });
    },
    settle() {
      for (const look of waiters) look();
    },
  };
}

/** Takes the members up and follows the log with them until it is stopped or cannot go on. */
function keepFollowing(deps: {
  store: EventStore;
  members: readonly Member[];
  stopping: AbortController;
  signal: AbortSignal;
  onProgress: () => void;
  onApplied: (facts: readonly FactOutline[]) => void;
}): { ready: Promise<void>; position(): number; shutDown(): Promise<void> } {
  const { store, members, stopping, signal, onProgress } = deps;
  let follower: Follower | undefined;
  let shutdown: Promise<void> | undefined;
  let broken: StopReason | undefined;
  const brokenBy = (error: unknown): StopReason =>
    (broken ??= outageReason(error, 'The log cannot be read any further'));
  const stopAll = (reason: StopReason): void => {
    for (const member of members) member.stop(reason);
    onProgress();
  };
  const start = async (): Promise<Follower> => {
    const head = await retry(
      () => store.head(),
      whileAway(signal, () => undefined),
    );
    const reaches = (position: number) => position <= head;
    await Promise.all(members.map((member) => member.resume(reaches)));
    follower = followLog(deps);
    onProgress();
    return follower;
  };
  const started = start();
  const ready = started
    .then(({ caughtUp }) => caughtUp)
    .catch((error: unknown) => {
      const { message } = signal.aborted && !broken ? closing : brokenBy(error);
      throw new ProjectionStopped('all', message);
    });
  const ended = started
    .then(({ ended }) => ended)
    .catch((error: unknown) => {
      // An end that was not asked for: no projection gets any further.
      if (signal.aborted) return;
      stopAll(brokenBy(error));
      stopping.abort();
    });
  const shutDown = (): Promise<void> =>
    (shutdown ??= ended
      .then(() => Promise.all(members.map((member) => member.flush())))
      .then(() => undefined)
      .finally(() => stopAll(closing)));
  // It rejects for those who wait for it; nothing has to.
  ready.catch(() => undefined);
  signal.addEventListener('abort', () => void shutDown().catch(() => undefined), { once: true });
  return { ready, position: () => follower?.position() ?? 0, shutDown };
}

function raise(error: unknown): never {
  throw error;
}

function stoppedError(member: Progress): ProjectionStopped {
  const { name, position, reason } = member.state();
  return new ProjectionStopped(
    name,
    `The projection ${name} has stopped at position ${position}. ${reason?.message ?? ''}`.trim(),
  );
}

function behindError(
  members: readonly Progress[],
  need: { has: (member: Progress) => boolean; what: string },
  limit: string,
): ProjectionBehind {
  const behind = members.find((member) => !need.has(member)) ?? members[0]!;
  const state = behind.state();
  return new ProjectionBehind(
    state.name,
    `The projection ${state.name} (${state.state}, at ${state.position}) did not ${need.what} ${limit}`,
  );
}

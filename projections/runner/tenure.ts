import type { Ownership } from '../../events/ownership.ts';
import type { EventStore } from '../../events/store.ts';
import type { ProjectionState } from './member.ts';
import { aborted, onAbort, untilAborted, inTime } from '../../src/shared/abort.ts';
import type { Pauses } from '../../src/shared/pauses.ts';
import {
  type Projection,
  type ProjectionStorage,
  ProjectionStopped,
  RowsTaken,
} from './projection.ts';
import { type ProjectionRunner, startProjections } from './runner.ts';
import type { Told } from './told-progress.ts';

/** How nodes say to each other how far the rows are. What is said while a node cannot hear is lost to it. */
export type ProjectorChannel = {
  /** A number greater than any before. Asked for while `projector` is held. */
  nextTenure(): Promise<number>;
  /** Never throws, and waits for nothing. */
  tell(text: string): void;
  /** @param opened called whenever it can be heard from then on. Returns how to stop. */
  listen(heard: (text: string) => void, opened: () => void): () => void;
};

export type SharedProjectionsOptions = {
  store: EventStore;
  /** Of one time as the projector: what another one has written since must not be written over by it. */
  storage(): ProjectionStorage;
  projections: readonly Projection[];
  ownership: Pick<Ownership, 'claim'>;
  /** Under which one node at a time keeps these rows. */
  name: string;
  channel: ProjectorChannel;
  /** Done before rows are written, each time this node becomes the projector. */
  before(storage: ProjectionStorage): Promise<void>;
  onStopped: (state: ProjectionState) => void;
  onListenerError: (error: unknown) => void;
  /** Called when this node becomes the projector, and when it is it no more. */
  onProjector: (is: boolean) => void;
  /** Called with what kept it from becoming it, or from staying it. */
  onFailure: (error: unknown) => void;
  times?: Partial<ProjectorTimes>;
};

/** In milliseconds. */
export type ProjectorTimes = {
  /** Between two tries to become the projector; longer after each that fails. */
  tries: Pauses;
  /** How far the rows are is said this often when nothing changes: what was said may be lost. */
  tellAgain: number;
  /** A projector that is behind the log and gets no further for so long makes room for another. */
  stall: number;
  /** So long it is waited for that what was begun has stopped. What goes on after it writes no rows. */
  stop: number;
};

export type Projector = Omit<SharedProjectionsOptions, 'times'> & {
  times: ProjectorTimes;
  signal: AbortSignal;
  take(told: Told): void;
  /** Says how far the rows are, while this is the projector. */
  tell(): void;
};

/** A rebuild says at most this often how far it is, in milliseconds. */
const tellEveryMs = 10;

/**
 * One time as the projector: until `lost` aborts, or that of the projector.
 * @throws why it cannot stay it: another may have better luck, or this one later
 */
export async function project(projector: Projector, lost: AbortSignal): Promise<void> {
  const over = new AbortController();
  const tenure: Tenure = { signal: over.signal, lost, failure: undefined, fail: () => {} };
  tenure.fail = (error) => {
    if (over.signal.aborted) return;
    tenure.failure = { error };
    over.abort(error);
  };
  const forgets = [projector.signal, lost].map((signal) =>
    onAbort(signal, (reason) => over.abort(reason)),
  );
  try {
    await untilOver(projector, tenure);
  } finally {
    for (const forget of forgets) forget();
  }
  if (tenure.failure) throw tenure.failure.error;
}

type Tenure = {
  /** Aborts when it is over. */
  signal: AbortSignal;
  /** Aborts when another may be the projector. */
  lost: AbortSignal;
  /** Ends it. */
  fail(error: unknown): void;
  failure: { error: unknown } | undefined;
};

async function untilOver(projector: Projector, tenure: Tenure): Promise<void> {
  const { store, projections, channel } = projector;
  const { signal } = tenure;
  const storage = failingWith(tenure, projector.storage());
  await untilAborted(projector.before(storage), signal);
  const number = await channel.nextTenure();
  signal.throwIfAborted();
  projector.onProjector(true);
  const how = { store, storage, projections, signal };
  const runner = startProjections({ ...how, onProgress: () => onProgress() });
  const telling = tellOf(runner, { projector, number, signal });
  const onProgress = (): void => {
    // Before it has begun, how far it is is not known.
    projector.tell = telling.tell;
    const [first, ...others] = runner.states();
    if (first?.state !== 'stopped' || others.some(({ state }) => state !== 'stopped'))
      return telling.tell();
    telling.tellNow();
    tenure.fail(new ProjectionStopped('all', first.reason?.message ?? 'All rows stand still'));
  };
  const stopWatching = watch(projector, tenure, runner);
  try {
    await aborted(signal);
    await stopped(runner, projector);
  } finally {
    stopWatching();
    telling.end();
    projector.onProjector(false);
  }
}

/** Ends it when another has written rows; when it is lost, nothing is written that the next one would stumble over. */
function failingWith({ lost, fail }: Tenure, storage: ProjectionStorage): ProjectionStorage {
  const noticing = async (write: () => Promise<void>): Promise<void> => {
    try {
      if (lost.aborted) throw new RowsTaken();
      await write();
    } catch (error) {
      if (error instanceof RowsTaken) fail(error);
      throw error;
    }
  };
  return {
    ...storage,
    commit: (...what) => noticing(() => storage.commit(...what)),
    clear: (projection) => noticing(() => storage.clear(projection)),
  };
}

/** Says how far the rows are: when that changes, when it is asked, and now and then. */
function tellOf(
  runner: ProjectionRunner,
  { projector, number, signal }: { projector: Projector; number: number; signal: AbortSignal },
): { tell(): void; tellNow(): void; end(): void } {
  const { channel, take, times } = projector;
  let due: NodeJS.Timeout | undefined;
  let isDue = false;
  let count = 0;
  const tellNow = (): void => {
    isDue = false;
    if (signal.aborted) return;
    count += 1;
    const told: Told = {
      tenure: number,
      count,
      position: runner.position(),
      states: runner.states(),
    };
    take(told);
    channel.tell(JSON.stringify(told));
    due ??= setTimeout(() => {
      due = undefined;
      if (isDue) tellNow();
    }, tellEveryMs);
  };
  const tell = (): void => {
    isDue = true;
    if (due === undefined) tellNow();
  };
  const again = setInterval(() => projector.tell(), times.tellAgain).unref();
  return {
    tell,
    tellNow,
    end() {
      projector.tell = () => {};
      clearTimeout(due);
      clearInterval(again);
    },
  };
}

/** Ends a tenure that is behind the log and gets no further; returns how to stop looking. */
function watch(
  { store, times }: Projector,
  { fail }: Tenure,
  { states }: Pick<ProjectionRunner, 'states'>,
): () => void {
  let seen = '';
  let since = performance.now();
  const look = async (): Promise<void> => {
    const positions = states()
      .filter(({ state }) => state !== 'stopped')
      .map(({ position }) => position);
    // A log that cannot be asked for so long is a reason too.
    const head = await store.head().catch(() => Infinity);
    if (positions.join() !== seen || positions.every((position) => position >= head)) {
      seen = positions.join();
      since = performance.now();
    } else if (performance.now() - since >= times.stall) {
      fail(new Error(`The projection rows have made no progress for ${times.stall / 1000} s.`));
    }
  };
  const looking = setInterval(() => void look(), times.stall / 4).unref();
  return () => clearInterval(looking);
}

async function stopped(runner: ProjectionRunner, { onFailure, times }: Projector): Promise<void> {
  const stopping = runner.stop().then(
    () => true,
    (error: unknown) => {
      // How far it got may be another's to say by now.
      if (!(error instanceof RowsTaken)) onFailure?.(error);
      return true;
    },
  );
  if (!(await inTime(times.stop, stopping, () => false)))
    onFailure?.(new Error(`Writing to the projection rows did not end within ${times.stop} ms.`));
}

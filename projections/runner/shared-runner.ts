import type { Ownership } from '../../events/ownership.ts';
import type { EventStore } from '../../events/store.ts';
import { type CommitSignal, commitSignal } from '../../events/log/commit-signal.ts';
import { onAbort } from '../../src/shared/abort.ts';
import { retry, systemClock } from '../../src/shared/retry.ts';
import { arrivals } from './fact-pages.ts';
import type { ProjectionState } from './member.ts';
import { positionWaiters } from './positions.ts';
import {
  type Projection,
  type ProjectionStorage,
  ProjectionStopped,
  whileAway,
} from './projection.ts';
import { type ProjectionRunner, listenersTo, progressOf, startProjections } from './runner.ts';
import { type Told, type ToldProgress, progressAsTold } from './told-progress.ts';

/** How nodes say to each other how far the rows are. What is said while a node cannot hear is lost to it. */
export type ProjectorChannel = {
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
  ownership: Ownership;
  channel: ProjectorChannel;
  /** An id of this process. */
  node: string;
  /** Done before rows are written, each time this node becomes the projector. */
  before(storage: ProjectionStorage): Promise<void>;
  onStopped?: (state: ProjectionState) => void;
  onListenerError?: (error: unknown) => void;
  /** Called when this node becomes the projector, and when it is it no more. */
  onProjector?: (is: boolean) => void;
  /** Called with what kept it from becoming it. */
  onFailure?: (error: unknown) => void;
  /** Between two tries to become it, in milliseconds. */
  tryEveryMs?: number;
};

const tryEveryMsDefault = 250;
/** A rebuild says at most this often how far it is, in milliseconds. */
const tellEveryMs = 10;
/** What asks the projector to say how far it is. */
const question = '?';

/**
 * Keeps the rows that all nodes have up to the log at one of them, the projector: whichever holds that name; another takes
 * over when it ends. At every node it is known how far the rows are, and facts are handed out when they are applied.
 */
export function startSharedProjections(options: SharedProjectionsOptions): ProjectionRunner {
  const { store, channel } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const waiting = positionWaiters();
  const changed = commitSignal();
  const progress = progressAsTold(options.projections, options.onStopped);
  const take = (told: Told): void => {
    progress.take(told);
    waiting.settle();
    changed.fire();
  };
  const projector: Projector = { ...options, take, signal, tell: () => {} };
  const silence = channel.listen(
    (text) => {
      if (text === question) projector.tell();
      else take(JSON.parse(text) as Told);
    },
    () => channel.tell(question),
  );
  const listeners = listenersTo(options.onListenerError);
  const delivery = { store, progress, changed, signal, notify: listeners.notify };
  const delivered = { position: 0 };
  const started = store.head().then((head) => progress.startsAt(head));
  const running = [keepProjecting(projector), deliver(delivery, delivered)];
  const ready = started.then(() => untilReady(delivery));
  ready.catch(() => undefined);
  return {
    ...progressOf(progress.members, waiting),
    ready: () => ready,
    position: () => delivered.position,
    onApplied: listeners.add,
    async stop() {
      stopping.abort();
      silence();
      changed.fire();
      progress.stop();
      waiting.settle();
      await Promise.all(running);
    },
  };
}

type Projector = SharedProjectionsOptions & {
  signal: AbortSignal;
  take(told: Told): void;
  /** Says how far the rows are, while this is the projector. */
  tell(): void;
};

async function keepProjecting(projector: Projector): Promise<void> {
  const { ownership, signal, tryEveryMs = tryEveryMsDefault } = projector;
  while (!signal.aborted) {
    try {
      const held = await ownership.claim('projector', signal);
      if (held) {
        try {
          await project(projector, AbortSignal.any([signal, held.lost]));
        } finally {
          await held.release();
        }
      }
    } catch (error) {
      if (!signal.aborted) projector.onFailure?.(error);
    }
    await systemClock.wait(tryEveryMs, signal).catch(() => undefined);
  }
}

let tenures = 0;

/** Until `signal` aborts. Rows of a newer release are left to it. */
async function project(projector: Projector, signal: AbortSignal): Promise<void> {
  const { store, projections, channel, node, take } = projector;
  const storage = projector.storage();
  for (const { name, version } of projections) {
    const checkpoint = await storage.checkpoint(name);
    if (checkpoint && checkpoint.version > version) return;
  }
  await projector.before(storage);
  signal.throwIfAborted();
  const tenure = `${node}/${(tenures += 1)}`;
  const runner: { present?: ProjectionRunner } = {};
  let due: NodeJS.Timeout | undefined;
  let isDue = false;
  let count = 0;
  const tellNow = (): void => {
    isDue = false;
    const { present } = runner;
    if (!present || signal.aborted) return;
    count += 1;
    const told: Told = { tenure, count, position: present.position(), states: present.states() };
    take(told);
    channel.tell(JSON.stringify(told));
    due ??= setTimeout(() => {
      due = undefined;
      if (isDue) tellNow();
    }, tellEveryMs);
  };
  projector.tell = () => {
    isDue = true;
    if (due === undefined) tellNow();
  };
  projector.onProjector?.(true);
  const how = { store, storage, projections, signal };
  runner.present = startProjections({ ...how, onProgress: () => projector.tell() });
  try {
    await new Promise<void>((resolve) => onAbort(signal, () => resolve()));
    // How far it got may be another's to say by now.
    await runner.present.stop().catch((error: unknown) => projector.onFailure?.(error));
  } finally {
    projector.tell = () => {};
    clearTimeout(due);
    projector.onProjector?.(false);
  }
}

type Delivery = {
  store: EventStore;
  progress: ToldProgress;
  changed: CommitSignal;
  signal: AbortSignal;
  notify(facts: Parameters<ReturnType<typeof listenersTo>['notify']>[0]): void;
};

/** Hands facts out when they are applied, from where the rows were when that was first known. */
async function deliver(delivery: Delivery, delivered: { position: number }): Promise<void> {
  const { store, progress, changed, signal, notify } = delivery;
  while (!signal.aborted && progress.position() === null) await changed.wait(signal);
  delivered.position = progress.position() ?? 0;
  const follow = async (): Promise<void> => {
    const subscription = store.subscribe({ afterPosition: delivered.position, signal });
    const incoming = arrivals(subscription, signal);
    for (;;) {
      let facts = await incoming.take();
      if (facts.length === 0) return;
      while (facts.length > 0) {
        const applied = progress.position()!;
        const count = facts.filter(({ position }) => position <= applied).length;
        if (count === 0) await changed.wait(signal);
        if (signal.aborted) return;
        if (count === 0) continue;
        const batch = facts.slice(0, count);
        facts = facts.slice(count);
        delivered.position = batch.at(-1)!.position;
        notify(batch);
      }
    }
  };
  while (!signal.aborted) {
    await retry(
      follow,
      whileAway(signal, () => undefined),
    ).catch((error: unknown) => {
      if (!signal.aborted) progress.stop(error);
      return systemClock.wait(tellEveryMs, signal).catch(() => undefined);
    });
  }
}

async function untilReady({ progress, changed, signal }: Delivery): Promise<void> {
  const isThere = () => progress.members.every((member) => member.live() || member.stopped());
  while (!isThere()) {
    if (signal.aborted) throw new ProjectionStopped('all', 'The service is stopping');
    await changed.wait(signal);
  }
}

import type { EventStore } from '../../events/store.ts';
import { type CommitSignal, commitSignal } from '../../src/shared/listeners.ts';
import { pauseAfter } from '../../src/shared/pauses.ts';
import { retry, systemClock } from '../../src/shared/retry.ts';
import { positionWaiters, type ProjectionRunner, listenersTo, progressOf } from './runner.ts';
import { ProjectionStopped, whileAway } from './projection.ts';
import {
  type Projector,
  type ProjectorTimes,
  type SharedProjectionsOptions,
  project,
} from './tenure.ts';
import { type Told, type ToldProgress, progressAsTold } from './told-progress.ts';

const timesDefault: ProjectorTimes = {
  tries: { first: 250, max: 2_000 },
  tellAgain: 3_000,
  stall: 60_000,
  stop: 10_000,
};
/** Before facts are followed again that could not be read, in milliseconds. */
const followAgainMs = 1_000;
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
  const times = { ...timesDefault, ...options.times };
  const projector: Projector = { ...options, times, take, signal, tell: () => {} };
  const silence = channel.listen(
    (text) => {
      if (text === question) projector.tell();
      else take(JSON.parse(text));
    },
    () => {
      progress.beginAgain();
      channel.tell(question);
    },
  );
  const listeners = listenersTo(options.onListenerError);
  const delivery = { store, progress, changed, signal, notify: listeners.notify };
  const delivered = { position: 0 };
  const away = whileAway(signal, () => undefined);
  const started = retry(() => store.head(), away).then((head) => progress.startsAt(head));
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

async function keepProjecting(projector: Projector): Promise<void> {
  const { ownership, name, signal, times } = projector;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const held = await ownership.claim(name, signal);
      if (held) {
        try {
          await project(projector, held.lost);
        } finally {
          await held.release();
        }
      }
      failures = 0;
    } catch (error) {
      if (!signal.aborted) projector.onFailure(error);
      failures += 1;
    }
    await systemClock.wait(pauseAfter(times.tries, failures), signal).catch(() => undefined);
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
    for await (const page of store.follow({ afterPosition: delivered.position, signal })) {
      let facts = page;
      while (facts.length > 0) {
        const applied = progress.position() ?? 0;
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
      return systemClock.wait(followAgainMs, signal).catch(() => undefined);
    });
  }
}

async function untilReady({ progress, changed, signal }: Delivery): Promise<void> {
  const isThere = () => progress.members.every((member) => member.live() || member.stopped());
  while (!isThere()) {
    if (signal.aborted) throw new ProjectionStopped('all', 'The server is shutting down');
    await changed.wait(signal);
  }
}

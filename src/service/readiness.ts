import { hasCode } from '../shared/errors.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import {
  type Readiness,
  type StartProgress,
  Starting,
  unfinished,
} from '../http/middleware/ready.ts';
import { inTime } from '../shared/abort.ts';
import type { ProjectionBehind, ProjectionStopped } from '../../projections/runner/projection.ts';

/**
 * What is ready of a service whose log is open.
 * @param deps.takenUp settles when unfinished recordings are taken up, or cannot be.
 */
export function openReadiness(deps: {
  projections: Pick<ProjectionRunner, 'states' | 'assertRunning' | 'caughtUp'>;
  /** Position of the log's last fact when the service started. */
  head: number;
  takenUp: Promise<unknown>;
}): Readiness {
  const { projections } = deps;
  const startedAt = performance.now();
  let takingUp = true;
  const takenUp = deps.takenUp
    .catch(() => undefined)
    .then(() => {
      takingUp = false;
    });
  const behind = (which?: readonly string[]) =>
    projections
      .states()
      .filter(({ name }) => (which?.includes(name) ?? true) && isBehind(projections, name));
  const served = new Set(projections.states().map(({ name }) => name));
  const isReady = (part: string) =>
    served.has(part) ? !isBehind(projections, part) : part !== unfinished || !takingUp;

  return {
    progress,
    until,
    async started(withinMs) {
      const all = projections.states().map(({ name }) => name);
      const caughtUp = all.map((name) =>
        projections.caughtUp(name, { timeoutMs: withinMs }).catch(ignoreBehind),
      );
      await inTime(withinMs, Promise.all([takenUp, ...caughtUp]), () => {});
    },
  };

  function progress(which?: readonly string[]): StartProgress | null {
    const states = behind(which);
    const waitsFor = states.map(({ name }) => name);
    if (takingUp && (which?.includes(unfinished) ?? true)) waitsFor.push(unfinished);
    if (waitsFor.length === 0) return null;
    const head = Math.max(1, deps.head);
    const fraction =
      states.length === 0 ? null : Math.min(1, ...states.map(({ position }) => position / head));
    return { waitsFor, fraction, retryAfter: secondsLeft(performance.now() - startedAt, fraction) };
  }

  async function until(which: readonly string[], withinMs: number): Promise<void> {
    // Nearly always.
    if (which.every(isReady)) return;
    const states = behind(which);
    const timeoutMs = states.some(({ state }) => state === 'rebuilding') ? 0 : withinMs;
    await Promise.all([
      ...states.map(({ name }) => projections.caughtUp(name, { timeoutMs }).catch(ignoreBehind)),
      takingUp && which.includes(unfinished) && inTime(timeoutMs, takenUp, () => {}),
    ]);
    const left = progress(which);
    if (left) throw new Starting(left);
  }
}

function isBehind(projections: Pick<ProjectionRunner, 'assertRunning'>, name: string): boolean {
  try {
    projections.assertRunning(name);
    return false;
  } catch (error) {
    return hasCode<ProjectionBehind>(error, 'PROJECTION_BEHIND');
  }
}

/** It is looked afterwards who is behind; one that has stopped is not. */
function ignoreBehind(error: unknown): void {
  if (
    !hasCode<ProjectionBehind | ProjectionStopped>(error, 'PROJECTION_BEHIND', 'PROJECTION_STOPPED')
  )
    throw error;
}

const retryAfterMax = 30;

/** At the speed so far; what was done before this start makes it too short, which costs a question. */
const secondsLeft = (elapsedMs: number, fraction: number | null): number => {
  if (fraction === null || fraction <= 0) return 1;
  const seconds = Math.ceil(((elapsedMs / 1000) * (1 - fraction)) / fraction);
  return Math.min(retryAfterMax, Math.max(1, seconds));
};

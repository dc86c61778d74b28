import type { Progress } from './member.ts';
import { ProjectionBehind, ProjectionStopped } from './projection.ts';

/** Those who wait until projections have come as far as they need. */
export interface PositionWaiters {
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
        const abandon = (): void => end(() => reject(signal!.reason));
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

export function stoppedError(member: Progress): ProjectionStopped {
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

import { AccountError } from './account-error.ts';

/** Runs a task when all before it have ended. @throws {AccountError} `BUSY`: too many wait already */
export type OneAtATime = <T>(task: () => Promise<T>) => Promise<T>;

/** A queue of tasks that run one at a time in the order given; at most `waitingMax` wait. */
export function oneAtATime(waitingMax: number): OneAtATime {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (task) => {
    if (waiting > waitingMax) {
      throw new AccountError('BUSY', 'Too many requests wait already. Try again in a moment.', 2);
    }
    waiting += 1;
    const mine = last.then(task).finally(() => {
      waiting -= 1;
    });
    // The next one waits for this one's end, however it ends; its caller gets the error.
    last = mine.catch(() => undefined);
    return mine;
  };
}

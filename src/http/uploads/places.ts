import type { Context } from 'koa';
import { limits } from '../limits.ts';
import { Problem } from '../problems.ts';

/** Uploads that are received at the same time: so many of all users, fewer of one, none too slow. */
export type UploadPlaces = {
  /**
   * Runs what receives the body of a request of a user.
   * @throws {Problem} 503 `busy` when all places are taken; 408 `too-slow`, after which `receive` ends
   *   with the connection
   */
  receive(ctx: Context, userId: string, receive: () => Promise<void>): Promise<void>;
};

export function openUploadPlaces(): UploadPlaces {
  const byUser = new Map<string, number>();
  let all = 0;
  return {
    async receive(ctx, userId, receive) {
      const mine = byUser.get(userId) ?? 0;
      if (mine >= limits.uploadsPerUserMax) throw busy('You send too many uploads at once.');
      if (all >= limits.uploadsAtOnceMax) throw busy('Too many uploads at once.');
      all += 1;
      byUser.set(userId, mine + 1);
      const received = receive().finally(() => {
        all -= 1;
        const left = byUser.get(userId)! - 1;
        if (left === 0) byUser.delete(userId);
        else byUser.set(userId, left);
      });
      await fastEnough(ctx, received);
    },
  };
}

const busy = (what: string): Problem =>
  new Problem('busy', `${what} Try again when one has ended.`, {
    headers: { 'Retry-After': '30' },
  });

/** Ends the wait for a body that arrives below `uploadBytesPerSecondMin`. */
async function fastEnough(ctx: Context, received: Promise<void>): Promise<void> {
  const { req } = ctx;
  let before = req.socket.bytesRead;
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const { bytesRead } = req.socket;
      const least = (limits.uploadBytesPerSecondMin * limits.uploadSpeedMs) / 1000;
      // What has arrived and waits is not the client's slowness: we cannot put it away that fast.
      if (!req.complete && req.readableLength === 0 && bytesRead - before < least) {
        const problem = tooSlow();
        reject(problem);
        // Who reads the body hears it here, and gives up.
        if (req.listenerCount('error') > 0) req.emit('error', problem);
      }
      before = bytesRead;
    }, limits.uploadSpeedMs).unref();
  });
  await Promise.race([received, slow]).finally(() => clearInterval(timer));
}

const tooSlow = (): Problem =>
  new Problem(
    'too-slow',
    `The upload is slower than ${limits.uploadBytesPerSecondMin} bytes a second.`,
    { headers: { Connection: 'close' } },
  );

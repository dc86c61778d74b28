import type { Middleware, Next } from 'koa';
import type { HttpServices } from '../services.ts';
import type { State } from '../state.ts';

/**
 * Gives up the reserve on a full disk for requests that make room: deleting, and logging in for it. They
 * wait until the log takes facts again.
 */
export function makeRoom({
  disk,
  store,
  rows,
}: Pick<HttpServices, 'disk' | 'store' | 'rows'>): Middleware<State> {
  const withRoom = async (next: Next): Promise<void> => {
    if (await disk.giveUpReserve()) {
      await store.usable();
      await rows.withRoom();
    }
    await next();
  };
  return (ctx, next) => {
    const makesRoom = ctx.method === 'DELETE' || (ctx.method === 'POST' && ctx.path === '/login');
    return makesRoom ? withRoom(next) : next();
  };
}

import { Problem } from '../problems.ts';
import type { AddRoutes } from './add-routes.ts';

/** `GET /ws` by somebody who forgot to upgrade; real WebSockets never get here. */
export const socketRoutes: AddRoutes = (router) => {
  router.get('/ws', () => {
    throw new Problem('upgrade-required', 'Connect with a WebSocket.', {
      headers: { Upgrade: 'websocket' },
    });
  });
};

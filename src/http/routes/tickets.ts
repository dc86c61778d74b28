import { callerOf } from '../authenticate.ts';
import { visibleRecording } from '../visible-recording.ts';
import type { AddRoutes } from './add-routes.ts';

/** `POST /recordings/{id}/ticket`: for `<audio>` and download links, which can send no header. */
export const ticketRoutes: AddRoutes = (router, services) => {
  router.post('/recordings/:id/ticket', async (ctx) => {
    const caller = callerOf(ctx.state);
    const { recording_id } = await visibleRecording(services, caller, ctx.params['id']!);
    const { ticket, expiresAt } = services.tickets.issue(caller, recording_id);
    ctx.status = 201;
    ctx.body = { ticket, expires_at: expiresAt.toISOString() };
  });
};

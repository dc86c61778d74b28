import { z } from 'zod';
import { status, statusOf } from '../../../projections/status.ts';
import { callerOf } from '../authenticate.ts';
import { commandOf, refuseWhenStopped } from '../commands.ts';
import { jsonBody } from '../json-body.ts';
import { languageSchema } from '../language.ts';
import { limits } from '../limits.ts';
import type { AddRoutes } from './add-routes.ts';

/** `POST /toggle`: starts, stops or resets, and says which it did. */
export const toggleRoutes: AddRoutes = (router, services) => {
  router.post('/toggle', async (ctx) => {
    const { userId } = callerOf(ctx.state);
    const request = await jsonBody(ctx, bodySchema);
    refuseWhenStopped(services);
    const { action, recordingId, position } = await services.toggle(
      { owner: userId, trigger: 'api', command: commandOf(ctx.state) },
      request,
    );
    await services.projections.applied(status.name, position, {
      timeoutMs: limits.readYourWritesMs,
    });
    const after = await statusOf(services.storage, userId);
    ctx.body = { status: after.status, recording_id: recordingId, action };
  });
};

export const bodySchema = z.strictObject({
  action: z.enum(['start', 'stop', 'reset']).optional(),
  kind: z.enum(['solo', 'meeting']).optional(),
  language: languageSchema.optional(),
  title: z.string().trim().min(1).max(200).optional(),
});

import { z } from 'zod';
import { statusOf } from '../../../projections/status.ts';
import { callerOf } from '../authenticate.ts';
import { carryOut, refuseWhenStopped } from '../commands.ts';
import { jsonBody } from '../json-body.ts';
import { Problem } from '../problems.ts';
import type { AddRoutes } from './add-routes.ts';

/**
 * `POST /toggle`. While the caller's status is ERROR it clears all their errors, keeping what is there.
 * Recording from a device of this host is refused until there is a recorder.
 */
export const toggleRoutes: AddRoutes = (router, services) => {
  router.post('/toggle', async (ctx) => {
    const { userId } = callerOf(ctx.state);
    const { action } = await jsonBody(ctx, bodySchema);
    refuseWhenStopped(services);
    const { status, errors } = await statusOf(services.storage, userId);
    if (action !== 'reset' && (action !== undefined || status !== 'ERROR')) {
      throw new Problem('unavailable', 'This release cannot record from a device. Upload a file.');
    }
    let recordingId: string | null = null;
    for (const { recording_id } of errors) {
      await carryOut(services, ctx.state, recording_id, { type: 'error.cleared', data: {} });
      recordingId = recording_id;
    }
    const after = await statusOf(services.storage, userId);
    ctx.body = { status: after.status, recording_id: recordingId, action: 'reset' };
  });
};

export const bodySchema = z.strictObject({
  action: z.enum(['start', 'stop', 'reset']).optional(),
  kind: z.enum(['solo', 'meeting']).optional(),
  language: z.string().optional(),
  title: z.string().optional(),
});

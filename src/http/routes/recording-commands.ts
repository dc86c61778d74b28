import type { Context } from 'koa';
import * as z from 'zod';
import type { RecordingFact } from '../../../events/recording-facts.ts';
import { callerOf } from '../authenticate.ts';
import { carryOut } from '../commands.ts';
import { doneBefore } from '../done-before.ts';
import { jsonBody } from '../json-body.ts';
import { reprocessFact, reprocessSchema } from '../reprocess.ts';
import type { State } from '../state.ts';
import { statusName } from '../status-name.ts';
import { visibleRecording } from '../visible-recording.ts';
import type { AddRoutes } from './add-routes.ts';

/** What a person can want of one recording. Each is one fact offered at its door. */
export const recordingCommandRoutes: AddRoutes = (router, services) => {
  const offer = async (
    ctx: Context & { state: State; params: Record<string, string> },
    type: RecordingFact['type'],
    factFrom: () => Promise<RecordingFact>,
    status: number,
  ): Promise<void> => {
    const id = ctx.params['id']!;
    const done = await doneBefore(services, ctx.state, { types: [type], recordingId: id });
    if (!done) await visibleRecording(services, callerOf(ctx.state), id);
    const { state } = done ?? (await carryOut(services, ctx.state, id, await factFrom()));
    ctx.status = status;
    ctx.body = { recording_id: id, status: statusName(state) };
  };

  for (const [verb, { fact, status }] of Object.entries(plainCommands)) {
    router.post(`/recordings/:id/${verb}`, async (ctx) => {
      await offer(
        ctx,
        fact.type,
        async () => {
          await jsonBody(ctx, nothing);
          return fact;
        },
        status,
      );
    });
  }
  router.post('/recordings/:id/reprocess', async (ctx) => {
    const fact = async () => reprocessFact(await jsonBody(ctx, reprocessSchema));
    await offer(ctx, 'reprocessing.requested', fact, 202);
  });
};

const nothing = z.strictObject({});

/** 202 where work goes on after the answer. */
const plainCommands: Record<string, { fact: RecordingFact; status: 200 | 202 }> = {
  pause: { fact: { type: 'recording.paused', data: {} }, status: 200 },
  resume: { fact: { type: 'recording.resumed', data: {} }, status: 200 },
  discard: { fact: { type: 'recording.discarded', data: {} }, status: 200 },
  cancel: { fact: { type: 'processing.cancelled', data: {} }, status: 200 },
  retry: { fact: { type: 'retry.requested', data: {} }, status: 202 },
};

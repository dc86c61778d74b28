import * as z from 'zod';
import type { RecordingRow } from '../../../projections/recording-row.ts';
import { recordingsOf } from '../../../projections/recordings.ts';
import { transcriptOf } from '../../../projections/transcripts.ts';
import { callerOf } from '../authenticate.ts';
import { queryOf } from '../json-body.ts';
import { Problem } from '../problems.ts';
import { pageSchema, positionSchema } from '../page.ts';
import { recordingAnswer, recordingLine } from '../recording-answer.ts';
import { recordingFacts } from '../fact-answer.ts';
import { topLevelState } from '../status-name.ts';
import { seesLeft, visibleRecording } from '../visible-recording.ts';
import type { AddRoutes } from './add-routes.ts';

/** Reading recordings: the list, one, and the facts one consists of. */
export const recordingRoutes: AddRoutes = (router, services) => {
  const { storage, desk } = services;

  router.get('/recordings', async (ctx) => {
    const caller = callerOf(ctx.state);
    const { limit, cursor, status, owner = caller.userId } = queryOf(ctx, listSchema);
    if (!seesLeft(services, caller, owner)) {
      throw new Problem('not-admin', 'These recordings are not yours to see.');
    }
    const { rows, next_cursor } = await recordingsOf(storage, owner, { limit, cursor, status });
    ctx.body = {
      recordings: rows.map((row) => recordingLine(row, desk.activity(row.recording_id))),
      next_cursor,
    };
  });

  router.get('/recordings/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const row = await visibleRecording(services, callerOf(ctx.state), id);
    ctx.body = recordingAnswer(row, await transcriptOf(storage, id), desk.activity(id));
  });

  router.get('/recordings/:id/events', async (ctx) => {
    const id = ctx.params['id']!;
    const { after, limit } = queryOf(ctx, eventsSchema);
    await visibleRecording(services, callerOf(ctx.state), id);
    ctx.body = await recordingFacts(services.store, id, { after, limit });
  });
};

export const listSchema = z.strictObject({
  ...pageSchema.shape,
  status: z
    .string()
    .transform((name, context) => {
      const state = topLevelState(name);
      if (state === undefined) context.addIssue({ code: 'custom', message: 'is no status' });
      return state as RecordingRow['status'];
    })
    .optional(),
  owner: z.string().max(64).optional(),
});

export const eventsSchema = z.strictObject({
  after: positionSchema,
  limit: pageSchema.shape.limit,
});

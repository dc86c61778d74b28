import * as z from 'zod';
import { kindSchema } from '../../../events/recording-facts.ts';
import { libraryOf, recordingByFilename, transcripts } from '../../../projections/transcripts.ts';
import { openSpace, readDocument } from '../../documents/space.ts';
import { callerOf } from '../authenticate.ts';
import { carryOut } from '../commands.ts';
import { decodedOnce } from '../decoded-once.ts';
import { doneBefore } from '../done-before.ts';
import { jsonBody, queryOf } from '../json-body.ts';
import { keptReads } from '../kept-reads.ts';
import { limits } from '../limits.ts';
import { pageSchema } from '../page.ts';
import { notFound } from '../problems.ts';
import { reprocessFact, reprocessSchema } from '../reprocess.ts';
import { statusName } from '../status-name.ts';
import type { AddRoutes } from './add-routes.ts';

/** The documents in the caller's space. */
export const transcriptRoutes: AddRoutes = (router, services) => {
  const { storage, dataDir, projections } = services;
  const kept = keptReads<Buffer>(projections, transcripts.name, limits.pagesKeptMax);
  const read = async (userId: string, filename: string) =>
    readDocument(await openSpace(dataDir, userId), filename);

  router.get('/transcripts', async (ctx) => {
    const owner = callerOf(ctx.state).userId;
    // As it was asked, so that what is kept need not be read again; as bytes, which need no encoding.
    const body = await kept(`${owner}?${ctx.querystring}`, async () => {
      const { limit, cursor, kind } = queryOf(ctx, listSchema);
      const { rows, next_cursor } = await libraryOf(storage, owner, { limit, cursor, kind });
      return Buffer.from(JSON.stringify({ transcripts: rows, next_cursor }));
    });
    ctx.type = 'application/json';
    ctx.body = body;
  });

  // Before reading: a document called `reprocess` is read by GET, this is POST only.
  router.post(/^\/transcripts\/(.+)\/reprocess$/, async (ctx) => {
    const { userId } = callerOf(ctx.state);
    const filename = decodedOnce(ctx.path.slice('/transcripts/'.length, -'/reprocess'.length));
    // Also refuses a path that leaves the space, with the same answer as reading it.
    if (!(await read(userId, filename))) throw notFound();
    const recordingId = await recordingByFilename(storage, userId, filename);
    if (recordingId === undefined) throw notFound('The document belongs to no recording of yours.');
    const fact = reprocessFact(await jsonBody(ctx, reprocessSchema));
    const done = await doneBefore(services, ctx.state, { types: [fact.type], recordingId });
    const { state } = done ?? (await carryOut(services, ctx.state, recordingId, fact));
    ctx.status = 202;
    ctx.body = { recording_id: recordingId, status: statusName(state) };
  });

  router.get(/^\/transcripts\/(.+)$/, async (ctx) => {
    const filename = decodedOnce(ctx.path.slice('/transcripts/'.length));
    const document = await read(callerOf(ctx.state).userId, filename);
    if (!document) throw notFound();
    ctx.status = 200;
    ctx.set('ETag', `"${document.sha256}"`);
    ctx.set('Cache-Control', 'private, no-cache');
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set('Content-Type', 'text/markdown; charset=utf-8');
    ctx.body = document.bytes;
  });
};

export const listSchema = z.strictObject({ ...pageSchema.shape, kind: kindSchema.optional() });

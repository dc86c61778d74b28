import * as z from 'zod';
import { recordingOf } from '../../../events/recording-facts.ts';
import { callerOf } from '../authenticate.ts';
import { factAnswer } from '../fact-answer.ts';
import { queryOf } from '../json-body.ts';
import { ownerOf } from '../owners.ts';
import { pageSchema, positionSchema } from '../page.ts';
import type { AddRoutes } from './add-routes.ts';

/** `GET /events`: the log a page at a time, for administrators. Content only of the caller's own recordings. */
export const eventRoutes: AddRoutes = (router, services) => {
  const owners = ownerOf(services);
  router.get('/events', async (ctx) => {
    const { userId } = callerOf(ctx.state);
    const { after, limit } = queryOf(ctx, querySchema);
    const events: ReturnType<typeof factAnswer>[] = [];
    for await (const fact of services.store.readAll({ afterPosition: after, limit })) {
      // What other streams hold as content (password hashes) is nobody's to read, not even the user's.
      const recordingId = recordingOf(fact.stream);
      const own = recordingId !== undefined && (await owners(recordingId)) === userId;
      events.push(factAnswer(fact, { content: own }));
    }
    ctx.body = { events, next_after: events.length < limit ? null : events.at(-1)!.position };
  });
};

export const querySchema = z.strictObject({ after: positionSchema, limit: pageSchema.shape.limit });

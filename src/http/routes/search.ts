import * as z from 'zod';
import { loadOnce } from '../../shared/package.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { queryOf } from '../body.ts';
import { limits } from '../limits.ts';
import type { AddRoutes } from '../services.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/recording-answers.ts';

/** `GET /search`: full text over the caller's own transcripts. */
export const searchRoutes: AddRoutes = (router, services) => {
  const search = loadOnce(async () =>
    (await import('../../search/search.ts')).openSearch(services),
  );
  router.get('/search', async (ctx) => {
    const { q, limit } = queryOf(ctx, searchSchema);
    ctx.body = await (await search()).find(callerOf(ctx.state).userId, q, { limit });
  });
};

const noWords = 'must say what to look for: /search?q=budget';

const searchSchema = z.strictObject({
  q: z.string(noWords).min(1, noWords).max(limits.searchCharactersMax),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1).max(limits.hitsMax))
    .default(limits.hitsDefault),
});

/** Full text. */
export const searchOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/search',
    id: 'search',
    tag: 'Transcripts',
    summary: 'Transcripts of the caller in which all words of a question are',
    description:
      'Without regard to case and accents; words may be beginnings and, where nothing is found otherwise, ' +
      'misspelt a little.',
    query: searchSchema,
    answers: {
      200: {
        description: 'Best first.',
        json: z.object({
          hits: z.array(answers.hit),
          complete: z
            .boolean()
            .describe('false: not all are searched, because the index is made or has no room'),
          fraction: z
            .number()
            .min(0)
            .max(1)
            .describe('share of the transcripts that are searched, the newest first'),
        }),
      },
    },
  },
];

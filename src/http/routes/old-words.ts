import * as z from 'zod';
import { correctedWords } from '../../../projections/corrections.ts';
import { houseId } from '../../../events/facts/personal.ts';
import { pageSchema } from '../body.ts';
import { limits } from '../limits.ts';
import { misheardPlaces } from '../misheard-places.ts';
import * as answers from '../openapi/order-answers.ts';
import { nextCursor } from '../openapi/recording-answers.ts';
import { notFound } from '../problems.ts';
import { routesOf } from '../route.ts';
import { untilGone } from '../until-gone.ts';
import { suggestedWords } from '../word-suggestions.ts';
import { openedSearch } from './search.ts';
import { listOf, ofSchema } from '../whose.ts';

const route = routesOf({ tag: 'Order' });

const findSchema = z.strictObject({
  ...ofSchema.shape,
  limit: z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(20))
    .default(10),
  cursor: pageSchema.shape.cursor,
});

/** Words in recordings that were there before them: what one corrected time and again, and where they stand misheard. */
export const oldWordRoutes = [
  route('get', '/words/suggestions', {
    id: 'suggestWords',
    summary: 'What the caller corrected the same way in several recordings, the last first',
    description:
      'At most 50, from the recordings corrected last. What a word of the caller or of the house says already is not among ' +
      'them, and what was corrected in an erased recording counts no more.',
    answers: {
      200: {
        description:
          'Each may become a word: `POST /words`, or `PUT` of the one that is written so.',
        json: z.object({ suggestions: z.array(answers.wordSuggestion) }),
      },
    },
    async run({ caller: { userId } }, { projections, store, storage, order }) {
      const timeoutMs = limits.readYourWritesMs;
      await projections.applied(correctedWords.name, await store.head(), { timeoutMs });
      const [own, house] = [await order.of(userId), await order.of(houseId)];
      const words = { own: [...own.words.values()], house: [...house.words.values()] };
      return { suggestions: await suggestedWords(storage, userId, words) };
    },
  }),
  route('get', '/words/{id}/find', {
    id: 'findWord',
    summary: 'Where a word stands misheard in the caller’s recordings, newest first',
    description:
      'With what each passage would say. `PATCH /recordings/{id}/utterances` with these edits corrects them, one version a ' +
      'recording. A page may be empty and have a `next_cursor`.',
    query: findSchema,
    answers: {
      200: {
        description: 'A page of the recordings.',
        json: z.object({
          recordings: z.array(answers.wordFound),
          next_cursor: nextCursor,
          complete: z.boolean().describe('false: not all recordings are searched (yet)'),
          fraction: z.number().min(0).max(1).describe('of the recordings that are searched'),
        }),
      },
    },
    problems: ['not-found'],
    async run({ ctx, params, query: { of, ...page }, caller }, services) {
      const { userId } = caller;
      const { words } = await services.order.of(listOf({ of }, caller));
      const word = words.get(params.id);
      if (!word) throw notFound();
      const search = await openedSearch(services)();
      const { storage } = services;
      return await untilGone(ctx, services, { recordingIds: [] }, () =>
        misheardPlaces({ search, storage }, userId, word, page),
      );
    },
  }),
];

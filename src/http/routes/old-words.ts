import * as z from 'zod';
import { correctedWords, repeatedPairs } from '../../../projections/corrections.ts';
import { houseId } from '../../../events/facts/personal.ts';
import { pageSchema } from '../body.ts';
import { upToDate } from '../written.ts';
import * as answers from '../openapi/order-answers.ts';
import { nextCursor } from '../openapi/recording-answers.ts';
import { notFound } from '../problems.ts';
import { routesOf } from '../route.ts';
import { untilGone } from '../until-gone.ts';
import { openedSearch } from './search.ts';
import { listOf, ofSchema } from '../whose.ts';
import type { KnownWord } from '../../../projections/known-words.ts';
import { foldedText } from '../../../projections/recording/corrected-pairs.ts';
import { recordingById } from '../../../projections/recordings.ts';
import type { ProjectionStorage } from '../../../projections/runner/projection.ts';
import { foldName } from '../../../projections/library.ts';
import { InvalidCursor } from '../../../projections/list-page.ts';
import { turnTag } from '../../../projections/recording/edit-turns.ts';
import { transcriptOf } from '../../../projections/texts.ts';
import { heardFinder, textWith } from '../../../projections/recording/heard-places.ts';
import { newerFirst } from '../../search/newer-first.ts';
import type { Search } from '../../search/search.ts';

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
      await upToDate({ projections, store }, correctedWords.name);
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

const suggestionsMax = 50;

/**
 * What a user corrected in several recordings, the last first, without what a word says already.
 * @param words their own, and those of the house
 */
async function suggestedWords(
  storage: ProjectionStorage,
  owner: string,
  words: { own: readonly KnownWord[]; house: readonly KnownWord[] },
) {
  const said = new Set(
    [...words.own, ...words.house].flatMap(({ write, heard }) =>
      heard.flatMap((term) => [
        keyOf(write, term),
        // What a word puts there is not to be put back by another.
        keyOf(term, write),
      ]),
    ),
  );
  const pairs = (await repeatedPairs(storage, owner))
    .filter(({ write, heard }) => !said.has(keyOf(write, heard)))
    .slice(0, suggestionsMax);
  return await Promise.all(
    pairs.map(async ({ write, heard, recordings, lastAt: last_at, examples }) => ({
      write,
      heard,
      word:
        words.own.find((one) => one.folder === null && foldName(one.write) === foldName(write))
          ?.id ?? null,
      recordings,
      last_at,
      examples: await Promise.all(
        examples.map(async ({ recordingId, block }) => {
          const row = await recordingById(storage, recordingId);
          return { recording_id: recordingId, title: row?.title ?? row?.source ?? null, block };
        }),
      ),
    })),
  );
}

const keyOf = (write: string, heard: string): string =>
  JSON.stringify([foldedText(write), foldedText(heard)]);

/** Transcripts that are read for one that is asked for: the rest is for the next page. */
const readForOne = 5;
/** Passages of one recording that are answered. */
const editsMax = 200;

/**
 * Where a word stands misheard in a user's own recordings, newest first. The search index says in which it may be; these are
 * read, so many a page. @throws {InvalidCursor}; what `Search` throws
 */
async function misheardPlaces(
  { search, storage }: { search: Pick<Search, 'having'>; storage: ProjectionStorage },
  owner: string,
  word: KnownWord,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const after = cursor === undefined ? undefined : placeIn(cursor);
  const only = word.folder === null ? undefined : { folders: [word.folder] };
  const { found, complete, fraction } = await search.having(owner, word.heard, only);
  const left = after ? found.filter((one) => newerFirst(after, one) < 0) : found;
  const find = heardFinder([word]);
  const recordings: NonNullable<Awaited<ReturnType<typeof placesIn>>>[] = [];
  let at = 0;
  for (const { id } of left.slice(0, limit * readForOne)) {
    if (recordings.length === limit) break;
    const places = await placesIn(storage, { owner, id, find });
    if (places) recordings.push(places);
    at += 1;
  }
  const last = left[at - 1];
  const next_cursor = last && at < left.length ? cursorAfter(last) : null;
  return { recordings, next_cursor, complete, fraction };
}

async function placesIn(
  storage: ProjectionStorage,
  { owner, id, find }: { owner: string; id: string; find: ReturnType<typeof heardFinder> },
) {
  const row = await recordingById(storage, id);
  if (row?.owner !== owner || row.documents === null) return undefined;
  const { blocks = [] } = (await transcriptOf(storage, id)) ?? {};
  const edits = blocks.flatMap((block) => {
    const places = find(block.text);
    if (places.length === 0) return [];
    const { id: said, start, text: before } = block;
    const text = textWith(before, places);
    return { block: said, revision: turnTag(block), start, text, before, count: places.length };
  });
  if (edits.length === 0) return undefined;
  const { title, source, startedAt: created_at } = row;
  const more = Math.max(0, edits.length - editsMax);
  return { recording_id: id, title, source, created_at, edits: edits.slice(0, editsMax), more };
}

type Begun = { id: string; startedAt: string };

const cursorAfter = ({ startedAt, id }: Begun): string =>
  Buffer.from(`${startedAt} ${id}`).toString('base64url');

function placeIn(cursor: string): Begun {
  const [startedAt, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (!startedAt || !id || rest.length > 0) throw new InvalidCursor();
  return { startedAt, id };
}

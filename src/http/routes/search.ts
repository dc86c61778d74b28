import * as z from 'zod';
import { loadOnce } from '../../shared/package.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { librarySchema, queryOf } from '../body.ts';
import { speakerName } from '../../documents/documents.ts';
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
    const { q, limit, group, cursor, order, passages, recording_id, ...narrowed } = queryOf(
      ctx,
      searchSchema,
    );
    const { userId } = callerOf(ctx.state);
    const only = { ...narrowed, recordingId: recording_id };
    if (group === undefined) {
      ctx.body = await (await search()).find(userId, q, { limit, only });
      return;
    }
    const asked = { limit, passages, order, cursor, only };
    const found = await (await search()).findNotes(userId, q, asked);
    const { 'ui.language': uiLanguage } = services.settings();
    const named = (label: string | null) =>
      label === null ? null : speakerName({ speakers: [], uiLanguage }, label);
    ctx.body = {
      ...found,
      notes: found.notes.map((note) => ({
        ...note,
        passages: note.passages.map((one) => ({ ...one, speaker: named(one.speaker) })),
      })),
    };
  });
};

const noWords = 'must say what to look for: /search?q=budget';

const whole = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number')
  .transform(Number);
const upTo = (most: number) => whole.pipe(z.number().min(1).max(most));
const grouped = 'only with `group=note`';

const { kind, speaker, from, to } = librarySchema.shape;
const searchSchema = z
  .strictObject({
    q: z.string(noWords).min(1, noWords).max(limits.searchCharactersMax),
    limit: upTo(limits.hitsMax).default(limits.hitsDefault),
    kind,
    speaker,
    from,
    to,
    group: z
      .enum(['note'])
      .optional()
      .describe(
        '`note`: the notes that have the words, a page after the other, with their passages',
      ),
    recording_id: z.string().min(1).max(64).optional().describe('of this recording alone'),
    cursor: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(`\`next_cursor\` of the page before; ${grouped}`),
    order: z.enum(['best', 'newest']).default('best').describe(grouped),
    passages: upTo(limits.passagesMax)
      .default(limits.passagesDefault)
      .describe(`passages of each note at most; ${grouped}`),
  })
  .refine(({ group, cursor }) => group !== undefined || cursor === undefined, {
    path: ['cursor'],
    message: 'is of a list with group=note: send that too',
  });

const searched = {
  complete: z
    .boolean()
    .describe('false: not all are searched, because the index is made or has no room'),
  fraction: z
    .number()
    .min(0)
    .max(1)
    .describe('share of the transcripts that are searched, the newest first'),
};

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
        description: 'Best first: hits; with `group=note`: notes.',
        json: z.union([
          z.object({ hits: z.array(answers.hit), ...searched }),
          z.object({
            notes: z.array(answers.noteFound),
            passages: z.int().describe('how many are in these notes'),
            notes_found: z.int().describe('on all pages'),
            next_cursor: answers.nextCursor,
            ...searched,
          }),
        ]),
      },
    },
  },
];

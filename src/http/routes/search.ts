import { thisMachine } from '../../shared/machine.ts';
import * as z from 'zod';
import { wrong } from '../../shared/in-words.ts';
import { loadOnce } from '../../shared/package.ts';
import { narrowingSchema } from '../body.ts';
import { speakerName } from '../../documents/documents.ts';
import { limits } from '../limits.ts';
import { foldersMeant, tagsMeant } from '../order-changes.ts';
import { Problem } from '../problems.ts';
import { perApp, routesOf } from '../route.ts';
import { untilGone } from '../until-gone.ts';
import type { RouteServices } from '../services.ts';
import type { RecordingRow } from '../../../projections/recording-row.ts';
import { entriesWithMe, sharedWith } from '../shared-with-me.ts';
import { ownerName, rightsOf } from '../visible-recording.ts';
import { hitsFound, notesFound, searchMode } from '../../search/found.ts';
import type { Only } from '../../search/search.ts';
import { folderOfOthers } from '../../../projections/access.ts';

const noWords = wrong('search-empty');

const whole = z
  .string()
  .regex(/^\d{1,3}$/, wrong('field-type', { type: 'whole-number' }))
  .transform(Number);
const upTo = (most: number) => whole.pipe(z.number().min(1).max(most));
const grouped = 'only with `group=note`';

const { kind, speaker, from, to, folder, tag } = narrowingSchema.shape;
const searchSchema = z
  .strictObject({
    q: z.string(noWords).min(1, noWords).max(limits.searchCharactersMax),
    limit: upTo(limits.hitsMax).default(limits.hitsDefault),
    kind,
    speaker,
    from,
    to,
    folder,
    tag,
    group: z
      .enum(['note'])
      .optional()
      .describe(
        '`note`: the notes that have the words, a page after the other, with their passages',
      ),
    recording_id: z.string().min(1).max(64).optional().describe('of this recording alone'),
    in: z
      .enum(['all', 'headings'])
      .default('all')
      .describe('`headings`: the words are looked for in titles and names alone'),
    mode: searchMode
      .default('both')
      .describe(
        'by the words alone, by what is meant, or both; without an embedding server words are looked for alone',
      ),
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
    message: wrong('search-of-notes'),
  });

/** What a folder, also a shared one, and tags in a query narrow a search to. */
export const orderMeant = async (
  services: RouteServices,
  userId: string,
  { folder, tag }: Pick<z.output<typeof narrowingSchema>, 'folder' | 'tag'>,
): Promise<Pick<Only, 'folders' | 'tags'>> => ({
  folders:
    folder === undefined
      ? undefined
      : [
          ...foldersMeant(folder, await services.order.of(userId)),
          ...(await sharedWith(services, userId)).folders
            .filter((one) => one.folder === folder)
            .map((one) => folderOfOthers(one.owner, one.folder)),
        ],
  tags: tag === undefined ? undefined : tagsMeant(tag),
});

/** What a user may find of others: what is shared with them. */
const readableOf = (services: RouteServices) => ({
  rightOf: async (userId: string, row: RecordingRow) =>
    await rightsOf(services, { userId, isAdmin: false }, row),
  entries: (userId: string) => entriesWithMe(services, { userId }),
  async signature(userId: string) {
    const { grantees, folders } = await sharedWith(services, userId);
    return [...grantees, ...folders.map(({ folder }) => folder)].toSorted().join();
  },
  nameOf: (owner: string) => ownerName(services.accounts, owner),
});

/** The search of an app, opened with the first question. */
export const openedSearch = perApp((services) =>
  loadOnce(async () => {
    const { openSearch } = await import('../../search/search.ts');
    return openSearch({
      ...services,
      readable: readableOf(services),
      meaning: {
        of: services.meaning,
        passages: services.passages,
        onMade: (listener) => void services.passageMaker.onMade(listener),
      },
      memoryBytes: thisMachine().memoryBytes,
    });
  }),
);

/** Full text over the transcripts that a caller may read. */
export const searchRoutes = [
  routesOf({ tag: 'Transcripts', needs: [] })('get', '/search', {
    id: 'search',
    summary:
      'Transcripts, the caller’s own and those shared with them, in which all words of a question are',
    description:
      'Without regard to case and accents; words may be beginnings and, where nothing is found otherwise, ' +
      'misspelt a little. Of a question’s different words the first 64 count.',
    // The answer says itself how much of the library has been searched.
    query: searchSchema,
    answers: {
      200: {
        description: 'Best first: hits; with `group=note`: notes.',
        json: z.union([hitsFound, notesFound]),
      },
    },
    problems: ['no-embeddings', 'unavailable'],
    async run({ ctx, query, caller: { userId } }, services) {
      const {
        q,
        limit,
        group,
        cursor,
        order,
        passages,
        recording_id,
        in: where,
        mode,
        folder,
        tag,
        ...narrowed
      } = query;
      if (mode === 'meaning' && !services.meaning.isOn()) throw new Problem('no-embeddings');
      const search = await openedSearch(services)();
      const only = {
        ...narrowed,
        ...(await orderMeant(services, userId, { folder, tag })),
        recordings: recording_id === undefined ? undefined : [recording_id],
        headings: where === 'headings' || undefined,
      };
      if (group === undefined)
        return await untilGone(ctx, services, { recordingIds: [] }, () =>
          search.find(userId, q, { limit, only, mode }),
        );
      const how = { limit, passages, order, cursor, only, mode };
      const found = await untilGone(ctx, services, { recordingIds: [] }, () =>
        search.findNotes(userId, q, how),
      );
      const { 'ui.language': uiLanguage } = services.settings();
      const named = (label: string | null) =>
        label === null ? null : speakerName({ speakers: [], uiLanguage }, label);
      return {
        ...found,
        notes: found.notes.map((note) => ({
          ...note,
          passages: note.passages.map((one) => ({ ...one, speaker: named(one.speaker) })),
        })),
      };
    },
  }),
];

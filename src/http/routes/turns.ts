import { detail } from '../../words/details.ts';
import { wrong } from '../../shared/in-words.ts';
import type { Context } from 'koa';
import * as z from 'zod';
import type { DecideRecording } from '../../../projections/recording/decide.ts';
import {
  type TurnRef,
  editTurn,
  editTurns,
  mergeTurn,
  splitTurn,
  turnsTag,
} from '../../../projections/recording/edit-turns.ts';
import { speakerName } from '../../documents/documents.ts';
import { type TranscriptRow, transcriptOf } from '../../../projections/texts.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { nameSchema, numberIn } from '../body.ts';
import { limits } from '../limits.ts';
import { Problem } from '../problems.ts';
import type { HttpServices } from '../services.ts';
import * as answers from '../openapi/recording-answers.ts';
import { type RouteRequest, routesOf } from '../route.ts';
import { seenBy } from '../if-match.ts';
import { carryOutChange } from './recording-edits.ts';

/** What may be said of a turn; what is left out stays. */
const utteranceSchema = z.strictObject({
  text: z
    .string()
    .max(100_000)
    .transform((text) => text.replaceAll(/\s+/g, ' ').trim())
    .optional(),
  speaker: nameSchema
    .refine((speaker) => speaker !== '', wrong('field-empty'))
    .optional()
    .describe('a label or name of the recording, or the name of a new speaker'),
});

const editsSchema = z.strictObject({
  edits: z
    .array(
      utteranceSchema
        .extend({
          block: z.string().max(64).optional(),
          index: z.number().int().min(0).optional().describe('its place, instead of `block`'),
          revision: z.string().max(64).optional().describe('what the block said, as it was read'),
        })
        .refine(
          ({ block, index, revision }) =>
            (block === undefined) !== (index === undefined) &&
            (revision === undefined || block !== undefined),
          wrong('passage-named-wrong'),
        ),
    )
    .min(1)
    .max(limits.turnEditsMax)
    .refine(
      (edits) => new Set(edits.map(({ index, block }) => block ?? index)).size === edits.length,
      wrong('passage-named-twice'),
    ),
});

const mergeSchema = z.strictObject({
  next: z
    .string()
    .max(64)
    .optional()
    .describe('block of the next utterance: refused when another one follows by now'),
});

const splitSchema = z.strictObject({
  word: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .describe(
      'index in `words`, from 0: the first of the second half; without `words`, of what blanks separate',
    ),
  speaker: nameSchema
    .refine((speaker) => speaker !== '', wrong('field-empty'))
    .optional()
    .describe('whose the second half is: a label or name, or the name of a new speaker'),
});

const shared = {
  answers: {
    200: { ...answers.changed, headers: { ETag: 'Names what its turns say now.' } },
  },
  command: true,
} as const;

const ifMatch = {
  name: 'If-Match',
  description:
    '`ETag` of `GET /recordings/{id}`, or the `revision` of the utterance: 412 when it says something else by now.',
};
const byBlock =
  '`index` is the `block` of the utterance, which stays the same when others are cut or joined, or its place.';

const route = routesOf({ tag: 'Recordings' });

/** Turns that a person corrects, cuts or joins. */
export const turnRoutes = [
  route('patch', '/recordings/{id}/utterances/{index}', {
    ...shared,
    id: 'correctUtterance',
    summary: 'Corrects a passage: its words, or who said them',
    description: `Words that stay keep their times. The documents follow. ${byBlock}`,
    headers: [ifMatch],
    body: { json: utteranceSchema },
    run: async (asked, services) =>
      await changeTurns(asked, services, () =>
        editTurn(turnOf(asked), asked.body, speakerName, seenBy(asked)),
      ),
  }),
  route('patch', '/recordings/{id}/utterances', {
    ...shared,
    id: 'correctUtterances',
    summary: 'Corrects many passages at once, all or none, in one version',
    description:
      'For find and replace, and for taking it back. Each edit names its utterance by `block`, with its `revision`, or ' +
      'by `index`, with `If-Match` for all. The answer has the next `ETag`.',
    headers: [
      {
        name: 'If-Match',
        description:
          '`ETag` of `GET /recordings/{id}`, or of the correction before. Needed unless each edit has a `revision`.',
      },
    ],
    body: { json: editsSchema },
    run: async (asked, services) =>
      await changeTurns(asked, services, () => manyEdits(asked.body, seenBy(asked))),
  }),
  route('post', '/recordings/{id}/utterances/{index}/split', {
    ...shared,
    id: 'splitUtterance',
    summary: 'Cuts a turn in two before a word',
    description: `Words keep their times. The first half keeps its block. Also while a meeting waits for its speakers. ${byBlock}`,
    headers: [ifMatch],
    body: { json: splitSchema },
    run: async (asked, services) =>
      await changeTurns(asked, services, async () =>
        (await isRepeated(asked, services))
          ? () => []
          : splitTurn(turnOf(asked), asked.body, speakerName, seenBy(asked)),
      ),
  }),
  route('post', '/recordings/{id}/utterances/{index}/merge', {
    ...shared,
    id: 'mergeUtterance',
    summary: 'Joins a turn with the next one, under its own speaker',
    description: byBlock,
    headers: [ifMatch],
    body: { json: mergeSchema, optional: true },
    run: async (asked, services) =>
      await changeTurns(asked, services, async () =>
        (await isRepeated(asked, services))
          ? () => []
          : mergeTurn(turnOf(asked), asked.body.next, seenBy(asked)),
      ),
  }),
];

/** Names what the turns of a recording say now: for `If-Match`. */
export const setTurnsTag = (
  ctx: Pick<Context, 'set'>,
  transcript: Pick<TranscriptRow, 'blocks'> | undefined,
): void => ctx.set('ETag', `"${turnsTag(transcript?.blocks ?? [])}"`);

/** As `carryOutChange`, with the next `ETag`. */
const changeTurns: typeof carryOutChange = async (asked, services, decisionOf) => {
  const line = await carryOutChange(asked, services, decisionOf, 'correct');
  setTurnsTag(asked.ctx, await transcriptOf(services.storage, asked.params.id));
  return line;
};

/** Corrects many turns at once: those that `If-Match` means, or the revision of each. @throws {Problem} 412 */
function manyEdits(
  { edits }: z.output<typeof editsSchema>,
  seen: string[] | undefined,
): DecideRecording {
  if (seen === undefined && edits.some(({ revision }) => revision === undefined)) {
    throw new Problem('changed-meanwhile', { said: detail('revision-missing') });
  }
  return editTurns(
    edits.map(({ index, block, revision, ...change }) => ({
      turn: block ?? index!,
      seen: revision === undefined ? seen : [revision],
      ...change,
    })),
    speakerName,
  );
}

/** The turn in the path: its block, or its place. */
function turnOf({ params: { index } }: RouteRequest<'/{index}'>): TurnRef {
  return /^\d+$/.test(index) ? numberIn(index) : index;
}

async function isRepeated(
  { ctx, params }: RouteRequest<'/{id}'>,
  services: HttpServices,
): Promise<boolean> {
  const expected = { types: ['turns.recut'], recordingId: params.id } as const;
  return (await doneBefore(services, ctx.state, expected)) !== null;
}

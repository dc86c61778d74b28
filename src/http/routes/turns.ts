import type { Context } from 'koa';
import * as z from 'zod';
import type { DecideRecording } from '../../../projections/recording/decide.ts';
import {
  editTurns,
  mergeTurn,
  splitTurn,
  turnsTag,
} from '../../../projections/recording/edit-turns.ts';
import { speakerName } from '../../documents/documents.ts';
import type { TranscriptRow } from '../../../projections/recording-row.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { jsonBody, nameSchema, numberIn } from '../body.ts';
import { limits } from '../limits.ts';
import { Problem } from '../problems.ts';
import type { HttpServices, State } from '../services.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/recording-answers.ts';

/** A request about one recording, and the command that it asks for. */
export type Request = Context & { state: State; params: Record<string, string> };
export type DecisionOf = (ctx: Request, services: HttpServices) => Promise<DecideRecording>;

/** Cuts a turn in two: in the documents, or before there are any while names are waited for. */
export const turnSplit: DecisionOf = async (ctx, services) => {
  const wanted = await jsonBody(ctx, splitSchema);
  return (await isRepeated(ctx, services))
    ? () => []
    : splitTurn(numberIn(ctx.params['index']!), wanted, speakerName);
};

/** Joins a turn with the next one, as `turnSplit`. */
export const turnMerge: DecisionOf = async (ctx, services) => {
  await jsonBody(ctx, z.strictObject({}));
  return (await isRepeated(ctx, services)) ? () => [] : mergeTurn(numberIn(ctx.params['index']!));
};

/** Corrects many turns at once: those that `If-Match` means. @throws {Problem} 412 */
export const turnEdits: DecisionOf = async (ctx) => {
  const { edits } = await jsonBody(ctx, editsSchema);
  const seen = ctx.get('If-Match');
  if (seen === '') {
    const what = 'Send `If-Match` with the `ETag` of the recording whose turns you have edited.';
    throw new Problem('changed-meanwhile', what);
  }
  return editTurns(edits, seen.replaceAll('"', ''), speakerName);
};

/** Names what the turns of a recording say now: for `If-Match`. */
export const setTurnsTag = (
  ctx: Pick<Context, 'set'>,
  transcript: Pick<TranscriptRow, 'blocks'> | undefined,
): void => ctx.set('ETag', `"${turnsTag(transcript?.blocks ?? [])}"`);

async function isRepeated(ctx: Request, services: HttpServices): Promise<boolean> {
  const expected = { types: ['turns.recut'], recordingId: ctx.params['id'] } as const;
  return (await doneBefore(services, ctx.state, expected)) !== null;
}

/** What may be said of a turn; what is left out stays. */
export const utteranceSchema = z.strictObject({
  text: z
    .string()
    .max(100_000)
    .transform((text) => text.replaceAll(/\s+/g, ' ').trim())
    .optional(),
  speaker: nameSchema
    .refine((speaker) => speaker !== '', 'must not be empty')
    .optional()
    .describe('a label or name of the recording, or the name of a new speaker'),
});

const editsSchema = z.strictObject({
  edits: z
    .array(utteranceSchema.extend({ index: z.number().int().min(0) }))
    .min(1)
    .max(limits.turnEditsMax)
    .refine(
      (edits) => new Set(edits.map(({ index }) => index)).size === edits.length,
      'must name each utterance once',
    ),
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
    .refine((speaker) => speaker !== '', 'must not be empty')
    .optional()
    .describe('whose the second half is: a label or name, or the name of a new speaker'),
});

const changed = {
  200: {
    description: 'The recording as it is now.',
    json: answers.recordingLineSchema,
    headers: { ETag: 'Names what its turns say now.' },
  },
};

/** Turns that a person corrects together, cuts or joins. */
export const turnOperations: readonly Operation[] = [
  {
    method: 'patch',
    path: '/recordings/{id}/utterances',
    id: 'correctUtterances',
    tag: 'Recordings',
    summary: 'Corrects many passages at once, all or none, in one version',
    description: 'For find and replace, and for taking it back. The answer has the next `ETag`.',
    headers: [
      {
        name: 'If-Match',
        description: '`ETag` of `GET /recordings/{id}`, or of the correction before.',
        required: true,
      },
    ],
    body: { kind: 'json', schema: editsSchema },
    answers: changed,
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'post',
    path: '/recordings/{id}/utterances/{index}/split',
    id: 'splitUtterance',
    tag: 'Recordings',
    summary: 'Cuts a turn in two before a word',
    description:
      'Words keep their times. The first half keeps its block id. Also while a meeting waits for its speakers.',
    body: { kind: 'json', schema: splitSchema },
    answers: changed,
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'post',
    path: '/recordings/{id}/utterances/{index}/merge',
    id: 'mergeUtterance',
    tag: 'Recordings',
    summary: 'Joins a turn with the next one, under its own speaker',
    body: { kind: 'json', schema: z.strictObject({}), optional: true },
    answers: changed,
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
];

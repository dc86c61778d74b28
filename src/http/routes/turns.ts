import type { Context } from 'koa';
import * as z from 'zod';
import type { DecideRecording } from '../../../projections/recording/decide.ts';
import { mergeTurn, splitTurn } from '../../../projections/recording/edit-turns.ts';
import { speakerName } from '../../documents/documents.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { jsonBody, nameSchema, numberIn } from '../body.ts';
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

async function isRepeated(ctx: Request, services: HttpServices): Promise<boolean> {
  const expected = { types: ['turns.recut'], recordingId: ctx.params['id'] } as const;
  return (await doneBefore(services, ctx.state, expected)) !== null;
}

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
  200: { description: 'The recording as it is now.', json: answers.recordingLineSchema },
};

/** Turns that a person cuts or joins. */
export const turnOperations: readonly Operation[] = [
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

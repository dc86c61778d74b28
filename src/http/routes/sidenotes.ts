import * as z from 'zod';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { recordingOf } from '../../../events/facts/recording.ts';
import { plainTitle } from '../../../projections/recording/reading.ts';
import {
  editSidenote,
  removeSidenote,
  sidenoteLimits,
  sidenoteIn,
  writeSidenote,
} from '../../../projections/recording/sidenotes.ts';
import { transcriptOf } from '../../../projections/texts.ts';
import { detail } from '../../words/details.ts';
import { wrong } from '../../shared/in-words.ts';
import { numberIn } from '../body.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import * as answers from '../openapi/recording-answers.ts';
import { notFound } from '../problems.ts';
import { sidenoteAnswer } from '../recording-answer.ts';
import { routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import { visibleRecording } from '../visible-recording.ts';
import { carryOut, loggedAt, untilWritten } from '../written.ts';

/** Words as a person typed them, with their line breaks. */
const textSchema = z
  .string()
  .max(sidenoteLimits.charactersMax)
  .transform((text) =>
    plainTitle(text.normalize('NFC'))
      .replaceAll(/\r\n?/gu, '\n')
      .replaceAll(/[^\P{Cc}\n]/gu, ' ')
      .trim(),
  );

const writtenSchema = z
  .strictObject({
    text: textSchema.default(''),
    at: z
      .number()
      .min(0)
      .max(10_000_000)
      .describe('seconds of the recording when its first key was pressed'),
    block: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/u, wrong('field-format'))
      .optional()
      .describe('block of the passage that it is about'),
    mark: z.boolean().optional().describe('marks the moment; it may be without words'),
  })
  .refine(({ text, mark }) => text !== '' || mark === true, {
    error: wrong('field-empty'),
    path: ['text'],
  });

const editedSchema = z.strictObject({ text: textSchema });

const answer = { 200: { description: 'The side note as it is now.', json: answers.sidenote } };
const route = routesOf({ tag: 'Recordings' });

/** A person's own notes on what is said: while it is recorded, and at any time later. */
export const sidenoteRoutes = [
  route('post', '/recordings/{id}/sidenotes', {
    id: 'writeSidenote',
    summary: 'Writes a side note: a line of one’s own, at a time of the recording',
    description:
      `Also while it is recorded. No model changes its words. A recording has ${sidenoteLimits.notesMax} at most. ` +
      'Keep it until this is answered: with the same `Idempotency-Key` it is written once.',
    body: { json: writtenSchema },
    answers: { 201: { description: 'Written.', json: answers.sidenote } },
    command: true,
    async run({ ctx, params: { id }, body, caller }, services) {
      const { owner } = await visibleRecording(services, caller, id);
      const { text, at, block } = body;
      const mark = body.mark === true ? true : undefined;
      const before = await doneBefore(services, ctx.state, {
        types: ['sidenote.written'],
        recordingId: id,
        asks: ({ type, data, content }) =>
          type === 'sidenote.written' &&
          data.at === at &&
          data.block === block &&
          data.mark === mark &&
          // Of an erased or unreadable one nothing tells more.
          (content?.text ?? text) === text,
      });
      const { position } =
        before ??
        (await carryOut(services, ctx.state, id, writeSidenote({ text, at, block, mark })));
      await untilWritten(services, id);
      return sidenoteAnswer(id, await writtenAt(services, position, owner));
    },
  }),
  route('patch', '/recordings/{id}/sidenotes/{n}', {
    id: 'editSidenote',
    summary: 'Changes the words of a side note',
    body: { json: editedSchema },
    answers: answer,
    command: true,
    async run({ ctx, params: { id, n }, body, caller }, services) {
      await visibleRecording(services, caller, id);
      const note = numberIn(n);
      await carryOut(services, ctx.state, id, editSidenote(note, body.text));
      await untilWritten(services, id);
      const transcript = await transcriptOf(services.storage, id);
      const present = transcript?.sidenotes.find((one) => one.note === note);
      if (!present) throw notFound(detail('sidenote-not-found'));
      return sidenoteAnswer(id, present);
    },
  }),
  route('delete', '/recordings/{id}/sidenotes/{n}', {
    id: 'removeSidenote',
    summary: 'Removes a side note',
    answers: { 204: { description: 'It is gone.' } },
    command: true,
    async run({ ctx, params: { id, n }, caller }, services) {
      await visibleRecording(services, caller, id);
      await carryOut(services, ctx.state, id, removeSidenote(numberIn(n)));
      await untilWritten(services, id);
    },
  }),
];

/** The side note that was written at a position of the log: the same answer however often it is asked for. */
async function writtenAt({ store }: HttpServices, position: number, owner: string) {
  const fact = await loggedAt(store, position);
  if (fact && isWritten(fact)) return sidenoteIn(fact, owner);
  throw notFound(detail('sidenote-not-found'));
}

const isWritten = (fact: LoggedFact): fact is Extract<LoggedFact, { type: 'sidenote.written' }> =>
  fact.type === 'sidenote.written' && recordingOf(fact.stream) !== undefined;

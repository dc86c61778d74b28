import * as z from 'zod';
import { lineKinds } from '../../../events/facts/transcript.ts';
import {
  type LineEdit,
  decideOffered,
  editSummary,
  summaryLimits,
} from '../../../projections/recording/edit-summary.ts';
import { plainTitle } from '../../../projections/recording/reading.ts';
import { transcriptOf } from '../../../projections/texts.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { type RecordingFact, recordingStream } from '../../../events/facts/recording.ts';
import { wrong } from '../../shared/in-words.ts';
import { localTime } from '../../shared/time.ts';
import { nameSchema, shortNameSchema } from '../body.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import * as answers from '../openapi/recording-answers.ts';
import { notFound } from '../problems.ts';
import { statusName } from '../recording-answer.ts';
import { routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import { summaryAnswer } from '../summary-answer.ts';
import { visibleRecording } from '../visible-recording.ts';
import { carryOut, commandOf, untilWritten } from '../written.ts';
import { seenBy } from '../if-match.ts';

/** A line is one line: what else is in it becomes blanks. */
const textSchema = z
  .string()
  .max(summaryLimits.charactersMax)
  .transform((text) =>
    plainTitle(text.normalize('NFC'))
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  )
  .refine((text) => text !== '', wrong('field-empty'));

const lineSchema = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/u, wrong('field-format'))
  .describe('`id` of a line; `short` is the abstract');

const wanted = {
  kind: z.enum(lineKinds).optional(),
  after: lineSchema
    .nullable()
    .optional()
    .describe('the line that it comes after; null: before all others'),
  done: z.boolean().optional().describe('of a task'),
  person: nameSchema
    .transform((name) => name || null)
    .nullable()
    .optional()
    .describe('a label or name of the recording, or another name; null: nobody'),
  due: nameSchema
    .transform((due) => due || null)
    .nullable()
    .optional()
    .describe('until when, in words or as 2026-03-03; null: without'),
  section: shortNameSchema
    .nullable()
    .optional()
    .describe('heading of the template that it is below; null: the one of its kind'),
};

const editSchema = z.union([
  z.strictObject({
    line: lineSchema,
    revision: z.string().max(64).optional().describe('of the line, as it was read'),
    text: textSchema.optional(),
    ...wanted,
    remove: z
      .boolean()
      .optional()
      .describe('true: the line goes; false: one that was removed comes back as it was'),
  }),
  z.strictObject({
    add: z.strictObject({
      text: textSchema,
      ...wanted,
      block: lineSchema.optional().describe('block of the passage that it rests on'),
      note: z.number().int().positive().optional().describe('the side note that it rests on'),
    }),
  }),
]);

const bodySchema = z
  .strictObject({
    edits: z.array(editSchema).min(1).max(summaryLimits.editsMax).optional(),
    offered: z
      .enum(['used', 'declined'])
      .optional()
      .describe('what is to become of `summary.offered`: it is the summary, or it goes'),
  })
  .refine(({ edits, offered }) => (edits === undefined) !== (offered === undefined), {
    error: wrong('field-missing'),
    path: ['edits'],
  });

const route = routesOf({ tag: 'Recordings' });

/** What people change of a summary, line by line. */
export const summaryRoutes = [
  route('patch', '/recordings/{id}/summary', {
    id: 'editSummary',
    summary: 'Edits the summary line by line, all or nothing, in one version',
    description:
      'No model changes a line that a person edited. What a model makes later is `summary.offered` until a person decides. ' +
      `A summary has ${summaryLimits.linesMax} lines at most.`,
    headers: [
      {
        name: 'If-Match',
        description:
          '`summary.revision`, or the `revision` of each line that is edited: 412 when one says something else by now.',
      },
    ],
    body: { json: bodySchema },
    answers: { 200: { description: 'The summary as it is now.', json: answers.summaryEdited } },
    command: true,
    repeatable: true,
    async run(asked, services) {
      const { ctx, body, caller, params } = asked;
      const { id } = params;
      await visibleRecording(services, caller, id, 'correct');
      const done = await doneBefore(services, ctx.state, {
        types: ['summary.edited', 'task.checked'],
        recordingId: id,
        asks: (fact) => isAskedFor(fact, body),
      });
      const seen = seenBy(asked);
      const decision = body.offered
        ? decideOffered(body.offered, seen)
        : editSummary(editsIn(body), caller.userId, seen);
      const facts = done
        ? await factsOf(services, id, commandOf(ctx.state))
        : (await carryOut(services, ctx.state, id, decision)).facts;
      const row = await untilWritten(services, id);
      const transcript = await transcriptOf(services.storage, id);
      if (!row || !transcript) throw notFound();
      const { 'ui.language': uiLanguage } = services.settings();
      const localStart = localTime(new Date(row.startedAt));
      return {
        recording_id: id,
        status: statusName(row.state),
        summary: summaryAnswer(row, transcript, { uiLanguage, localStart }),
        added: facts.flatMap((fact) =>
          fact.type === 'summary.edited'
            ? fact.data.edits.flatMap(({ line, did }) => (did === 'added' ? [line] : []))
            : [],
        ),
      };
    },
  }),
];

type Body = z.output<typeof bodySchema>;

const editsIn = ({ edits = [] }: Body): readonly LineEdit[] => edits;

/** Whether a fact is what a request asks for. Of an unreadable one nothing tells more. */
function isAskedFor(fact: LoggedFact, body: Body): boolean {
  const edits = editsIn(body);
  const named = new Set(edits.flatMap((edit) => ('line' in edit ? [edit.line] : [])));
  if (fact.type === 'task.checked') return named.has(fact.data.line);
  if (fact.type !== 'summary.edited' || fact.data.offered !== body.offered) return false;
  const added = fact.data.edits.filter(({ did }) => did === 'added').map(({ line }) => line);
  const texts = added.map((id) => fact.content?.lines.find((line) => line.id === id)?.text);
  const wantedTexts = edits.flatMap((edit) => ('add' in edit ? [edit.add.text] : []));
  return (
    texts.length === wantedTexts.length &&
    texts.every((text, at) => (text ?? wantedTexts[at]) === wantedTexts[at]) &&
    fact.data.edits.every(({ line, did }) => did === 'added' || named.has(line))
  );
}

/** What a command led to before. */
async function factsOf({ store }: HttpServices, id: string, command: string) {
  const found: RecordingFact[] = [];
  for await (const fact of store.read(recordingStream(id)))
    if (fact.command === command) found.push(fact);
  return found;
}

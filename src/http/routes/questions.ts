import * as z from 'zod';
import { questionLimits } from '../../recordings/question-limits.ts';
import { wrong } from '../../shared/in-words.ts';
import { askedNote, askedTogether, cite } from '../asked-notes.ts';
import { librarySchema } from '../body.ts';
import type { NotesAbout } from '../notes-about.ts';
import { toRead } from '../middleware/ready.ts';
import { Problem } from '../problems.ts';
import { type RouteContext, routesOf } from '../route.ts';
import type { RouteServices } from '../services.ts';
import { orderMeant } from './search.ts';
import { untilGone } from '../until-gone.ts';
import { visibleRecording } from '../visible-recording.ts';
import { time } from '../openapi/activity-answers.ts';

const answer = z.object({
  lines: z.array(z.object({ text: z.string(), cites: z.array(cite) })),
  not_found: z.boolean().describe('nothing of that was said in what was searched'),
  nearest: z.array(cite).describe('of an answer without lines: passages that come nearest'),
  searched: z.object({
    recordings: z.number().int(),
    passages: z.number().int().describe('that were read'),
    complete: z.boolean().describe('false: not all that was said was read, or is searched yet'),
    when: z
      .object({
        from: time.nullable(),
        to: time.nullable(),
        latest: z.boolean().describe('the latest of these notes alone'),
      })
      .nullable()
      .describe(
        'what the question says of when: notes that began then were searched; null: nothing',
      ),
  }),
});

const { kind, speaker, from, to, folder, tag } = librarySchema.shape;

const questionSchema = z
  .strictObject({
    question: z
      .string(wrong('question-or-missed'))
      .trim()
      .min(1, wrong('question-or-missed'))
      .max(questionLimits.charactersMax)
      .optional(),
    about: z
      .enum(['missed'])
      .optional()
      .describe('`missed`: instead of a question, what was said since `since`'),
    recording_id: z.string().min(1).max(64).optional().describe('of this recording alone'),
    since: z
      .number()
      .min(0)
      .optional()
      .describe('seconds of that recording: what was said later; only with `recording_id`'),
    kind,
    speaker,
    from,
    to,
    folder,
    tag,
  })
  .refine(({ question, about }) => (question === undefined) !== (about === undefined), {
    path: ['question'],
    message: wrong('question-or-missed'),
  })
  .refine(
    ({ recording_id, since, about }) =>
      recording_id !== undefined || (since === undefined && about === undefined),
    { path: ['recording_id'], message: wrong('question-of-recording') },
  );

/** Questions about what was said. Neither they nor their answers are kept. */
export const questionRoutes = [
  routesOf({ tag: 'Transcripts', needs: toRead })('post', '/questions', {
    id: 'ask',
    summary: 'Answers a question from what was said, or says what somebody missed',
    description:
      'Over one recording, also while it is recorded (what was recognised so far), or over all notes of the caller: those ' +
      'that the search finds by their words or, with an embedding server, by their meaning; “last week” or “the latest meeting” ' +
      'in the question narrows them by date. Each line rests on a passage, and says so; a line without evidence is left out. ' +
      'Nothing of it is kept. A language model has to be set up. Ends when the client goes. ' +
      `${questionLimits.perUserMax} at once, ${questionLimits.perHourMax} an hour.`,
    body: { json: questionSchema },
    answers: {
      200: { description: 'The answer, in the order of the talk.', json: answer },
    },
    problems: [
      'not-found',
      'not-yours',
      'no-language-model',
      'too-many-questions',
      'busy',
      'unavailable',
    ],
    async run({ ctx, body, caller }, services) {
      if (!services.hasLanguageModel()) throw new Problem('no-language-model');
      const {
        question = null,
        recording_id: id,
        since,
        about: _about,
        folder,
        tag,
        ...narrowed
      } = body;
      const { notesAbout, nearestIn } = await import('../notes-about.ts');
      const only = {
        ...narrowed,
        ...(await orderMeant(services, caller.userId, { folder, tag })),
      };
      const find = async () => {
        if (id === undefined)
          return await notesAbout(services, {
            owner: caller.userId,
            question: question ?? '',
            only,
          });
        const row = await visibleRecording(services, caller, id, 'read');
        const note = await askedNote(services, row, since);
        const nearest = nearestIn(note, question ?? '');
        return { notes: [note], nearest, complete: true, when: null };
      };
      const { found, lines, read, isAll } = await answered(services, ctx, {
        owner: caller.userId,
        find,
        question,
      });
      const cites = askedTogether(found.notes).cites;
      return {
        lines: lines.flatMap(({ text, block }) => {
          const cite = cites.get(block);
          return cite === undefined ? [] : [{ text, cites: [cite] }];
        }),
        not_found: lines.length === 0,
        nearest: lines.length === 0 ? found.nearest : [],
        searched: {
          recordings: found.notes.length,
          passages: read,
          complete: found.complete && isAll,
          when: found.when,
        },
      };
    },
  }),
];

/**
 * Ends when a note is withdrawn or erased that is read for it. It is looked for once more then: what is left may answer it,
 * and a note that was meant is not found.
 */
async function answered(
  services: RouteServices,
  ctx: RouteContext,
  asked: { owner: string; find: () => Promise<NotesAbout>; question: string | null },
) {
  const { owner, find, question } = asked;
  const ask = async () => {
    const found = await find();
    const { talk } = askedTogether(found.notes);
    const recordingIds = found.notes.map(({ recordingId }) => recordingId);
    const answer = await untilGone(ctx, services, { recordingIds }, (signal) =>
      services.questions.ask({ owner, talk, question, signal }),
    );
    return { found, ...answer };
  };
  return await ask().catch(async (error: unknown) => {
    if (error instanceof Problem && error.type === 'not-found') return await ask();
    throw error;
  });
}

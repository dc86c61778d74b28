import { keysOf } from '../../shared/keys-of.ts';
import { wrong } from '../../shared/in-words.ts';
import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { statusOf } from '../../../projections/recordings.ts';
import { refuseWhenStopped, untilReadable } from '../written.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { peopleSchema } from '../../recordings/people-given.ts';
import { folderSchema, languageSchema, titleSchema, usualKindSchema } from '../body.ts';
import { folderGiven } from '../order-changes.ts';
import { mayRecordHere, recordingProblems } from './devices.ts';
import * as answers from '../openapi/recording-answers.ts';
import { routesOf } from '../route.ts';

export const toggleSchema = z.strictObject({
  action: z.enum(['start', 'stop', 'reset']).optional(),
  kind: kindSchema.optional().describe('else as its folder or a rule has it, else `usual_kind`'),
  usual_kind: usualKindSchema,
  language: languageSchema.optional(),
  people: peopleSchema.optional().describe('names of people who may be heard'),
  title: titleSchema.refine((title) => title !== '', wrong('field-empty')).optional(),
  folder: folderSchema.optional(),
  recorder: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('an `id` of `GET /recorders`; else the default one (`audio.device`)'),
});

const route = routesOf({ tag: 'Recordings' });

/** The one switch. */
export const toggleRoutes = [
  route('post', '/toggle', {
    id: 'toggle',
    summary: 'Starts or stops a recording from a device, or clears the caller’s errors',
    description:
      'Without `action`: the caller’s recording from a device runs → stops it; their status is ERROR → ' +
      'clears all their errors, and tries a recording again whose audio is not saved yet; else, and where that has failed before, starts one.',
    body: { json: toggleSchema, optional: true },
    answers: {
      200: {
        description: 'Which of them it did.',
        json: z.object({
          status: answers.statusNameSchema,
          recording_id: z.string().nullable(),
          action: z.enum(['start', 'stop', 'reset']),
        }),
      },
    },
    problems: ['not-accepted', 'busy', ...recordingProblems],
    command: true,
    async run({ ctx, body, caller, onBehalf: { command } }, services) {
      const { userId: owner } = caller;
      refuseWhenStopped(services);
      const types = keysOf(actions);
      const asks = (fact: LoggedFact) => isAskedFor(fact, body);
      const done = await doneBefore(services, ctx.state, { types, asks });
      if (done) {
        // Not once more: what started would be stopped by it.
        const { status } = await statusOf(services.storage, owner);
        return { status, recording_id: done.recordingId, action: actionOf(done.type) };
      }
      folderGiven(body.folder, await services.order.of(owner));
      const mayRecord = await mayRecordHere(ctx, services, caller);
      const toggled = { owner, trigger: 'api', command, mayRecord } as const;
      const { action, recordingId, position } = await services.toggle(toggled, {
        ...body,
        usualKind: body.usual_kind,
        device: body.recorder,
      });
      await untilReadable(services, { recordingId, position });
      const { status } = await statusOf(services.storage, owner);
      return { status, recording_id: recordingId, action };
    },
  }),
];

/** What the facts that a toggle leads to were for. */
const actions = {
  'recording.started': 'start',
  'audio.captured': 'stop',
  'capture.interrupted': 'stop',
  'error.cleared': 'reset',
  'retry.requested': 'reset',
} as const;
const actionOf = (type: string) => new Map(Object.entries(actions)).get(type);

/** Whether a fact is what a toggle asks for; what it leaves open may be anything. */
function isAskedFor(
  fact: LoggedFact,
  { action, ...wanted }: z.output<typeof toggleSchema>,
): boolean {
  if (action !== undefined && action !== actionOf(fact.type)) return false;
  if (fact.type !== 'recording.started') return true;
  // The title is gone once the recording is erased.
  const began = { ...fact.data, title: fact.content?.title ?? wanted.title };
  return (['kind', 'language', 'title'] as const).every(
    (name) => wanted[name] === undefined || wanted[name] === began[name],
  );
}

import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import { doubtSchema, wordSchema } from '../../../events/facts/transcript.ts';
import {
  activity,
  backupNow,
  behind,
  seconds,
  secondsLeft,
  stage,
  time,
  waiting,
  warningAnswer,
} from './activity-answers.ts';
import { followedNow, sharedAnswer } from './access-answers.ts';
import { order } from './order-answers.ts';
import { originsSchema } from './origins-answer.ts';
import { abstract, summary } from './summary-answer.ts';
import { interruptionReasons } from '../../../events/facts/ledger.ts';

/** Where a word of somebody's list stands in place of what was misheard. */
const replacedAnswer = z
  .array(
    z.object({
      from: z.int().describe('in `text`, in UTF-16 units'),
      to: z.int(),
      heard: z.string().describe('what speech recognition wrote there'),
    }),
  )
  .describe('where a word of the user or the house stands in place of what was misheard');

/** A time in which nothing was recorded, and why. */
const interruption = z.object({
  at: seconds.describe('of the recording: where it begins'),
  from: time.describe('on the server’s wall clock'),
  to: time,
  reason: z
    .enum(interruptionReasons)
    .nullable()
    .describe(
      '`call`: a call or another program had the microphone; `muted`: the system kept it back; `gone`: it was disconnected; `asleep`: the device slept; null: not known',
    ),
});

const id = z.string().describe('ULID');
export const source = z
  .string()
  .nullable()
  .describe('name of the file it was imported from; null for a captured one');

export const statusNameSchema = z
  .enum(['IDLE', 'RECORDING', 'TRANSCRIBING', 'AWAITING_SPEAKERS', 'ERROR'])
  .describe('The application’s state');

export const documentPathsSchema = z
  .object({ index: z.string(), transcript: z.string(), summary: z.string() })
  .describe('Paths relative to the user’s space');

const sentence = z.object({
  code: z.string().describe('of the sentence; may be refined'),
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'what varies in the sentence; for administrators alone where it may name servers or files',
    ),
});

export const recordingFailure = z.object({
  stage,
  code: z.string(),
  message: z.string().nullable().describe('for a person'),
  reason: sentence.nullable().describe('the same for programs; null: an earlier release wrote it'),
  retriable: z.boolean().describe('whether trying again can help'),
  at: time,
});

export const speaker = z.object({
  label: z.string(),
  name: z.string().nullable(),
  shown: z.string().describe('what people see: the name, or `Speaker 1`'),
  seconds: z.number(),
});

const sample = z.object({ start: z.number(), end: z.number(), text: z.string() });

export const suggestion = z.object({
  label: z.string(),
  shown: z.string().describe('what people see until there is a name: `Speaker 1`'),
  suggested_name: z.string().nullable(),
  confidence: z.number().nullable(),
  reason: z
    .string()
    .nullable()
    .describe('for a person: the words it rests on in quotation marks, or a sentence'),
  quote: z.string().nullable().describe('the words it rests on; null where `reason` is a sentence'),
  seconds: z.number(),
  share: z.number().min(0).max(1).describe('of all that was said'),
  sample: sample.nullable().describe('the longest sentence in which nobody else is heard'),
  samples: z.array(sample).describe('more to choose from'),
});

const line = {
  recording_id: id,
  owner: z.string().describe('id of the user whose it is'),
  kind: kindSchema,
  status: statusNameSchema,
  state: z.string().describe('canonical name of the whole state, as `GET /machine` names it'),
  since: time,
  stage: stage.nullable(),
  fraction: z.number().min(0).max(1).nullable(),
  attempt: z.number().int().nullable(),
  waiting: waiting.nullable(),
  title: z.string().nullable(),
  source,
  summary: abstract,
  language: z.string().nullable(),
  started_at: time,
  duration: seconds.nullable(),
  device: z.string().nullable(),
  error: recordingFailure.nullable(),
  speakers: z.array(speaker),
  documents: documentPathsSchema.nullable(),
  ...order,
  ...sharedAnswer,
  version: z.number().int().describe('of the documents; 0: none yet'),
};

export const recordingLineSchema = z.object(line);

export const utterance = z.object({
  index: z.number().int(),
  block: z
    .string()
    .nullable()
    .describe('Markdown block id, by which it is corrected; null while it is only recognised'),
  revision: z.string().optional().describe('of the block: what it says now, for `If-Match`'),
  start: seconds,
  end: seconds,
  speaker: z.string().nullable(),
  text: z.string(),
  words: z.array(wordSchema),
  doubt: z.string().optional().describe('the first reason of `doubts`'),
  doubts: z.array(doubtSchema).optional().describe('passages that may be wrong, and why'),
  replaced: replacedAnswer.optional(),
});

/** A person's own note on what is said. */
export const sidenote = z.object({
  recording_id: id,
  note: z.number().int().describe('its number in the recording, which stays'),
  at: seconds.describe('of the recording: when it was begun'),
  block: z.string().nullable().describe('block of the passage that it is about'),
  mark: z.boolean().describe('it marks the moment, and may be without words'),
  text: z.string().describe('as its writer typed it; may have line breaks'),
  by: z.string().describe('id of the user who wrote it'),
  own: z.boolean().describe('whether its writer is the one whose recording it is'),
  written_at: time,
  edited_at: time.nullable(),
});

export const note = z.object({
  ...sentence.shape,
  text: z.string().describe('what it says, in the reader’s language'),
});

/** In another transcript a label may be another voice. */
const revision = z
  .string()
  .nullable()
  .describe(
    'names the transcript whose labels these are: for `If-Match`, or `revision` of `POST /speakers`',
  );

export const recording = z.object({
  ...line,
  summary,
  activities: z.array(activity),
  speakers_revision: revision.describe(
    'of `speakers`, for `If-Match` of a rename: names their transcript',
  ),
  speakers_pending: z.array(suggestion),
  pending_revision: revision,
  utterances: z.array(utterance),
  sidenotes: z.array(sidenote).describe('what people wrote beside it, by its times'),
  interruptions: z
    .array(interruption)
    .describe('when a browser was kept from recording, by their places'),
  people: z.array(z.string()).describe('names of people who may be heard, as they were given'),
  notes: z.array(note).describe('what a reader should know'),
  origins: originsSchema,
  ledger: z
    .unknown()
    .describe(
      'samples, gaps, silence and clipping of a captured recording; `unplaced_corrections`',
    ),
  running: z
    .array(z.object({ stage, attempt: z.number().int(), since: time }))
    .optional()
    .describe('with `at`: stages that had started and not ended'),
  position: z.number().int().optional().describe('with `at`: of its last fact until then'),
  possible: z.array(z.string()).optional().describe('with `at`: facts that its state allowed'),
  waits: z.array(stage).optional().describe('with `at`: stages to run that had not started'),
});

export const accepted = z.object({ recording_id: id, status: statusNameSchema });

export const uploaded = accepted.extend({
  same_audio_as: id
    .nullable()
    .describe('an earlier recording of yours, made of the same file; null: there is none'),
});

export const summaryEdited = accepted.extend({
  summary,
  added: z.array(z.string()).describe('ids of the lines that were added, in their order'),
});

/** Answers of commands. */
export const going = { description: 'Taken; work goes on.', json: accepted };
export const done = { description: 'Done.', json: accepted };
export const changed = { description: 'The recording as it is now.', json: recordingLineSchema };

export const nextCursor = z
  .string()
  .nullable()
  .describe(
    '`cursor` of the next page, also where this one has fewer than asked for; null: this is the last',
  );

export const libraryItem = z.object({
  recording_id: id,
  filename: z.string().nullable().describe('of the index document; null: of somebody else’s'),
  title: z.string().nullable(),
  source,
  summary: z.string().nullable(),
  kind: kindSchema,
  language: z.string().nullable(),
  created_at: time,
  duration: seconds.nullable(),
  speakers: z.array(z.string()).describe('as people see them: names, `Speaker 1` without one'),
  documents: documentPathsSchema.nullable(),
  ...order,
  ...sharedAnswer,
});

export const processing = z.object({
  recording_id: id,
  kind: kindSchema,
  title: z.string().nullable().describe('null: it has none yet'),
  source,
  started_at: time,
  state: z.string(),
  stage: stage.nullable(),
  fraction: z.number().min(0).max(1).nullable(),
  seconds_left: secondsLeft,
  attempt: z.number().int().nullable(),
  since: time,
  waiting: waiting.nullable(),
});

export const recordingNow = z.object({
  recording_id: id,
  kind: kindSchema,
  started_at: time,
  duration: seconds,
  device: z.string().nullable(),
  title: z.string().nullable(),
  paused: z.boolean(),
  source: z
    .object({
      kind: z.enum(['browser', 'desk', 'server']),
      name: z.string().nullable().describe('what it calls itself; null: not known here'),
      mine: z.boolean().describe('a browser or desk of the caller’s, no device of the server'),
    })
    .describe('what records it'),
  warnings: z.array(warningAnswer).describe('what is wrong with it'),
  live: z
    .object({ behind, waiting: waiting.nullable() })
    .nullable()
    .describe('how far it is recognised while it runs; null: it is recognised when it has ended'),
});

const finding = z.object({
  kind: z.enum([
    'record',
    'index',
    'table',
    'left',
    'fact',
    'state',
    'key',
    'user',
    'recording',
    'audio',
    'document',
  ]),
  position: z.number().int().optional(),
  stream: z.string().optional(),
  version: z.number().int().optional(),
  path: z.string().optional().describe('below the data directory'),
  what: z.string().describe('what is wrong, in the language of the answer'),
  ...sentence.shape,
});

export const statusSchema = z.object({
  status: statusNameSchema,
  username: z.string(),
  is_admin: z.boolean(),
  version: z.string().describe('release of the server'),
  language_model: z
    .boolean()
    .describe('one is set up: summaries are rewritten, and questions answered'),
  recording: recordingNow.nullable().describe('the first of `recordings`'),
  recordings: z.array(recordingNow).describe('all that run for the caller'),
  others_record: z
    .array(z.string())
    .describe('input devices of the server that another person is recording now'),
  processing: z.array(processing),
  speakers_pending: z.array(
    z.object({
      recording_id: id,
      title: z.string().nullable(),
      source,
      started_at: time,
      since: time,
      speakers: z.array(suggestion),
      revision,
    }),
  ),
  errors: z.array(
    z.object({
      recording_id: id,
      title: z.string().nullable(),
      source,
      started_at: time,
      ...recordingFailure.shape,
      waiting: waiting.nullable().describe('what another try by itself waits for'),
    }),
  ),
  health: z.object({
    state: z.enum(['ok', 'damaged', 'recovering']),
    writable: z.boolean().describe('whether anything new is taken'),
    advice: z.array(z.string()).optional().describe('to administrators: what to do'),
    damage: z.array(finding).optional().describe('to administrators'),
    more: z.number().int().optional().describe('damage that is not listed'),
  }),
  following: followedNow,
  backup: backupNow.nullable().optional().describe('to administrators: the one begun last'),
  refreshing: z
    .int()
    .describe(
      'of how many recordings the documents are left to be written with their folder and tags',
    ),
  warnings: z
    .array(
      warningAnswer
        .extend({ code: z.enum(['disk-low', 'space-limit']) })
        .required({ reason: true }),
    )
    .describe('what concerns everybody, and nothing stops for'),
  position: z.number().int().describe('everything in the log up to it is in'),
});

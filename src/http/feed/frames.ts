import { frameWarning } from '../../words/frame-warnings.ts';
import { limits } from '../limits.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { faultOf, inWords, wrong } from '../../shared/in-words.ts';
import { parsedJson } from '../../shared/json.ts';
import type { Sentence } from '../../words/params.ts';
import * as z from 'zod';
import { plainTitle } from '../../../projections/recording/reading.ts';
import type { FactOutline, LoggedFact } from '../../../events/facts/catalogue.ts';
import { recordingOf, kindSchema } from '../../../events/facts/recording.ts';
import { interruptionReasons } from '../../../events/facts/ledger.ts';
import { browserRates } from '../../capture/browser/browser-file.ts';
import { peopleSchema } from '../../recordings/people-given.ts';
import { folderSchema, languageSchema, titleSchema, usualKindSchema } from '../body.ts';
import { ulidPattern } from '../visible-recording.ts';
import { joinTexts } from '../../shared/segments.ts';

/** What one fact becomes on the wire, stringified once for all who get it. */
export type FactFrames = {
  recordingId: string;
  /** For the owner, and for an administrator who may see the recording. */
  ownerFrames: readonly string[];
  /** For those whom it is shared with: nothing of its owner's space. */
  readerFrames: readonly string[];
  /** For an administrator who watches all: the move without its content. */
  administratorFrames: readonly string[];
  /** Whether the status object of the owner may look different now. */
  changesStatus: boolean;
};

/**
 * The durable frames of a fact; undefined for facts that are none of a recording's. The last frame of a
 * position is its `transition` or `utterance`: who has seen that one has seen the whole position.
 */
export function factFrames(fact: LoggedFact): FactFrames | undefined {
  const recordingId = recordingOf(fact.stream);
  if (recordingId === undefined) return undefined;
  const { position, type: event, from, to, at } = fact;

  if (fact.type === 'utterance.recognised') {
    const { data, content } = fact;
    // Without its content (erased since) there is nothing to tell.
    if (!content)
      return {
        recordingId,
        ownerFrames: [],
        readerFrames: [],
        administratorFrames: [],
        changesStatus: false,
      };
    const { index, start, end, voice: speaker = null } = data;
    const text = joinTexts(content.segments.map(({ text: said }) => said));
    const language = data.language ?? undefined;
    const heard = { index, start, end, text, language, speaker, final: true, position };
    const frames = [JSON.stringify({ type: 'utterance', recording_id: recordingId, ...heard })];
    return {
      recordingId,
      ownerFrames: frames,
      readerFrames: frames,
      administratorFrames: [],
      changesStatus: false,
    };
  }

  const transition = JSON.stringify({
    type: 'transition',
    recording_id: recordingId,
    event,
    from: from ?? null,
    to: to ?? null,
    at,
    position,
  });
  const ownerFrames = [transition];
  const sidenote = sidenoteFrame(fact, recordingId);
  if (sidenote) ownerFrames.unshift(JSON.stringify(sidenote));
  const readerFrames = [...ownerFrames];
  if (fact.type === 'documents.saved' && fact.content) {
    const { paths } = fact.content;
    const { version } = fact.data;
    ownerFrames.unshift(
      JSON.stringify({ type: 'saved', recording_id: recordingId, paths, version, position }),
    );
  }
  return {
    recordingId,
    ownerFrames,
    readerFrames,
    administratorFrames: [transition],
    changesStatus: !quiet.has(event),
  };
}

/**
 * The same for who comes back, or comes late: to others than the owner only the moves. What was said then may have been
 * removed or corrected since, and earlier texts are not theirs to read.
 */
export const missedFrames = (frames: FactFrames): FactFrames => ({
  ...frames,
  readerFrames: frames.administratorFrames,
});

/** What became of a side note; undefined for other facts, and where its words are erased. */
function sidenoteFrame(fact: LoggedFact, recordingId: string): object | undefined {
  const { position, by } = fact;
  const frame = { type: 'sidenote', recording_id: recordingId };
  switch (fact.type) {
    case 'sidenote.written': {
      if (!fact.content) return undefined;
      const { note, at, block = null, mark = false } = fact.data;
      const { text } = fact.content;
      return { ...frame, change: 'written', note, at, block, mark, text, by, position };
    }
    case 'sidenote.edited': {
      if (!fact.content) return undefined;
      const { note } = fact.data;
      return { ...frame, change: 'edited', note, text: fact.content.text, by, position };
    }
    case 'sidenote.removed':
      return { ...frame, change: 'removed', note: fact.data.note, by, position };
    default:
      return undefined;
  }
}

/** Whether frames of a fact quote what a person said. */
export const tellsWhatWasSaid = ({ type }: FactOutline): boolean =>
  type === 'utterance.recognised' ||
  type === 'documents.saved' ||
  type === 'sidenote.written' ||
  type === 'sidenote.edited';

/** What the client may read of others may be less or more than it was. */
export const accessFrame = JSON.stringify({ type: 'access' });

/** Up to where a client has been sent everything. */
export const positionFrame = (position: number, skipped = false): string =>
  JSON.stringify({ type: 'position', position, ...(skipped && { skipped }) });

/** A day at the highest rate. */
const gapSamplesMax = 24 * 3600 * browserRates.max;

/**
 * What a client sends: to record with the browser’s microphone, whose audio are binary frames of 16-bit
 * little-endian mono samples, and to hear how loud a device is.
 */
export const clientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('audio.start'),
    kind: kindSchema
      .optional()
      .describe('of a new recording; else as its folder or a rule has it, else `usual_kind`'),
    usual_kind: usualKindSchema,
    sample_rate: z
      .number()
      .int()
      .min(browserRates.min)
      .max(browserRates.max)
      .describe('of what follows, and of the audio that is kept'),
    channels: z
      .union([z.literal(1), z.literal(2)])
      .default(1)
      .describe(
        '2: samples of two channels in turn, the person’s own microphone and what others say. Every count of `samples` is of one channel',
      ),
    language: languageSchema.optional(),
    sender: z
      .enum(['browser', 'recorder'])
      .optional()
      .describe(
        'of a new recording, a browser by default. A `recorder` keeps all of it on a disk of its own: it is waited for a week',
      ),
    people: peopleSchema.optional().describe('names of people who may be heard'),
    title: titleSchema.optional().describe('of a new recording'),
    folder: folderSchema.optional().describe('of a new recording; none where it is gone'),
    continues: z
      .string()
      .regex(ulidPattern)
      .optional()
      .describe(
        'id of an ended recording of the caller’s into which a new one goes when it has ended',
      ),
    name: z
      .string()
      .max(80)
      .transform((text) => plainTitle(text).trim())
      .optional()
      .describe('what the browser or computer is called, for the person’s other pages'),
    recording_id: z.string().optional().describe('goes on with this one, behind `samples`'),
    held: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe(
        'samples recorded until now, at most: what the server lacks of them may come at once',
      ),
    id: z
      .string()
      .regex(ulidPattern, wrong('not-a-ulid'))
      .optional()
      .describe(
        'a key that the client makes up: said again, it goes on with the recording that it began. The id of the recording is another, in `audio.ready`',
      ),
  }),
  z.object({
    type: z.literal('audio.gap'),
    samples: z
      .number()
      .int()
      .min(1)
      .max(gapSamplesMax)
      .describe('that were not heard: silence stands for them, and the note says so'),
  }),
  z.object({
    type: z.literal('audio.interrupted'),
    samples: z.number().int().nonnegative().describe('of the recording before it'),
    from: z.iso.datetime({ offset: true }).describe('when nothing was heard any more'),
    to: z.iso.datetime({ offset: true }).describe('when it was heard again'),
    reason: z.enum(interruptionReasons).optional().describe('none: it is not known'),
  }),
  z.object({ type: z.literal('audio.stop') }),
  z.object({
    type: z.literal('level.start'),
    device: z
      .string()
      .max(500)
      .nullable()
      .describe('one of `GET /audio/devices`, null: the default one; for administrators'),
  }),
  z.object({ type: z.literal('level.stop') }),
]);

type ClientFrame = z.infer<typeof clientFrame>;

export type AudioFrame = Extract<ClientFrame, { type: `audio.${string}` }>;

export type LevelFrame = Extract<ClientFrame, { type: `level.${string}` }>;

export const isLevelFrame = (frame: ClientFrame): frame is LevelFrame =>
  frame.type === 'level.start' || frame.type === 'level.stop';

/** What a text message says; why it says nothing when it is none of ours. */
export function readClientFrame(text: string): ClientFrame | { refused: Sentence } {
  const value = parsedJson(text);
  if (value === undefined) return { refused: frameWarning('message-not-json') };
  const parsed = clientFrame.safeParse(value, { error: inWords });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues
    .slice(0, limits.faultsMax)
    .map((issue) =>
      fieldFault('field-at', { path: issue.path.join('.') || '(body)', fault: faultOf(issue) }),
    );
  return { refused: frameWarning('message-not-understood', { faults }) };
}

/** Facts that come in numbers and change nothing that a status object shows. */
const quiet = new Set(['speech.followed', 'speech.detected', 'documents.named']);

import * as z from 'zod';
import { kindSchema } from '../../../events/facts/recording.ts';
import { browserRates } from '../../capture/browser/browser-file.ts';
import { peopleSchema } from '../../recordings/people-given.ts';
import { languageSchema } from '../body.ts';
import { ulidPattern } from '../visible-recording.ts';

/** A day at the highest rate. */
const gapSamplesMax = 24 * 3600 * browserRates.max;

/**
 * What a client sends: to record with the browser’s microphone, whose audio are binary frames of 16-bit
 * little-endian mono samples, and to hear how loud a device is.
 */
export const clientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('audio.start'),
    kind: kindSchema.default('solo'),
    sample_rate: z
      .number()
      .int()
      .min(browserRates.min)
      .max(browserRates.max)
      .describe('of what follows, and of the audio that is kept'),
    language: languageSchema.optional(),
    sender: z
      .enum(['browser', 'recorder'])
      .optional()
      .describe(
        'of a new recording, a browser by default. A `recorder` keeps all of it on a disk of its own: it is waited for a week',
      ),
    people: peopleSchema.optional().describe('names of people who may be heard'),
    recording_id: z.string().optional().describe('goes on with this one, behind `samples`'),
    held: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('samples that were recorded before the service was reached: they may come at once'),
    id: z
      .string()
      .regex(ulidPattern, 'must be a ULID')
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
export type ClientFrame = z.infer<typeof clientFrame>;
export type AudioFrame = Extract<ClientFrame, { type: `audio.${string}` }>;
export type LevelFrame = Extract<ClientFrame, { type: `level.${string}` }>;

export const isLevelFrame = (frame: ClientFrame): frame is LevelFrame =>
  frame.type === 'level.start' || frame.type === 'level.stop';

/** What a text message says; the reason as a sentence when it is none of ours. */
export function readClientFrame(text: string): ClientFrame | { refused: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refused: 'The message is not valid JSON.' };
  }
  const parsed = clientFrame.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { refused: faults.join('; ') };
}

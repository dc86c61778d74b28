import * as z from 'zod';
import { stages } from '../../../events/recording-facts.ts';
export { clientFrame } from '../browser-audio-messages.ts';
import * as recordings from './recording-answers.ts';

const position = z.number().int().describe('place in the log; resume behind it with `after`');
const recording_id = z.string();

/** What the service sends on a WebSocket, a JSON object a frame. */
export const serverFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status'), ...recordings.status.shape }),
  z.object({
    type: z.literal('transition'),
    recording_id,
    event: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    at: z.string(),
    position,
  }),
  z.object({
    type: z.literal('utterance'),
    recording_id,
    index: z.number().int(),
    start: z.number(),
    end: z.number(),
    text: z.string(),
    speaker: z.string().nullable(),
    final: z.boolean(),
    position: position.optional(),
  }),
  z.object({
    type: z.literal('saved'),
    recording_id,
    paths: recordings.documentPaths,
    version: z.number().int(),
    position,
  }),
  z.object({ type: z.literal('position'), position }),
  z.object({
    type: z.literal('progress'),
    recording_id,
    stage: z.enum(stages),
    fraction: z.number().nullable(),
    attempt: z.number().int(),
    waiting: recordings.waiting.nullable(),
  }),
  z.object({
    type: z.literal('level'),
    recording_id: recording_id.optional(),
    rms: z.number(),
    peak: z.number(),
  }),
  z.object({ type: z.literal('model'), id: z.string(), fraction: z.number().nullable() }),
  z.looseObject({ type: z.literal('warning'), code: z.string(), detail: z.string() }),
  z.object({
    type: z.literal('audio.ready'),
    recording_id,
    samples: z.number().int(),
  }),
  z.object({
    type: z.literal('audio.ack'),
    samples: z.number().int().describe('of the recording, on the disk of the service'),
  }),
  z.object({
    type: z.literal('audio.ended'),
    recording_id,
    samples: z.number().int(),
    reason: z.string().describe('`stopped`, or why nothing more is taken from this connection'),
  }),
]);

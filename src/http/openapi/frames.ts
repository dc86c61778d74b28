import { z } from 'zod';
import { kindSchema, stages } from '../../../events/recording-facts.ts';
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
  z.object({ type: z.literal('audio.ack'), samples: z.number().int() }),
]);

/** What a client sends that records with the browser’s microphone; its audio are binary frames. */
export const clientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('audio.start'),
    kind: kindSchema,
    sample_rate: z.number(),
    language: z.string().optional(),
    recording_id: recording_id.optional(),
  }),
  z.object({ type: z.literal('audio.stop') }),
]);

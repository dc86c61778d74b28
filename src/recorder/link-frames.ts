import { commandLine } from '../shared/command-line.ts';
import * as z from 'zod';

/** What to do without a session. */
export const loggedOut = (server: string): string =>
  `You are not logged in at ${server}, or no longer: ${commandLine(`login --server ${server}`)}`;

/** Why a WebSocket was refused, in words. */
export function refusedHandshake(server: string, status: number): string {
  if (status === 401) return loggedOut(server);
  if (status === 503) return `${server} is just starting or stopping.`;
  return `${server} refuses the connection (HTTP ${status}).`;
}

/** What a message holds; undefined when it is no JSON. */
export function parsedFrame(message: Buffer): unknown {
  try {
    return JSON.parse(message.toString('utf8'));
  } catch {
    return undefined;
  }
}

const samples = z.number().int().nonnegative();

/** The frames of the service that concern a sender. */
export const incomingFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('audio.ready'), recording_id: z.string(), samples }),
  z.object({ type: z.literal('audio.ack'), samples }),
  z.object({ type: z.literal('audio.ended'), samples, reason: z.string() }),
  z.object({
    type: z.literal('warning'),
    code: z.string(),
    detail: z.string(),
    recording_id: z.string().optional(),
  }),
  z.object({
    type: z.literal('transition'),
    recording_id: z.string(),
    event: z.enum(['recording.resumed', 'audio.captured']),
  }),
]);

import * as z from 'zod';
import { kindSchema } from '../../events/recording-facts.ts';
import { browserRates } from '../capture/browser-file.ts';
import { languageSchema } from './language.ts';

/**
 * What a client sends that records with the browser’s microphone. Its audio are binary frames of 16-bit
 * little-endian mono samples.
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
    recording_id: z.string().optional().describe('goes on with this one, behind `samples`'),
  }),
  z.object({ type: z.literal('audio.stop') }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;
export type AudioStart = Extract<ClientFrame, { type: 'audio.start' }>;

/** What a text message says; the reason as a sentence when it is none of ours. */
export function readClientFrame(text: string): ClientFrame | { refused: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refused: 'This is no JSON.' };
  }
  const parsed = clientFrame.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { refused: faults.join('; ') };
}

import { interrupt } from '../../../projections/recording/interruptions.ts';
import { NotAccepted } from '../../recordings/refusals.ts';
import { localTime } from '../../shared/time.ts';
import type { HttpServices } from '../services.ts';
import type { AudioFrame } from './frames.ts';

export type InterruptedFrame = Extract<AudioFrame, { type: 'audio.interrupted' }>;

/**
 * Writes down that a browser was kept from recording for a while; said again it is one fact all the same. Of a recording
 * that has ended meanwhile it is left out: its gap is in the audio.
 */
export async function noteInterruption(
  { recordingService }: Pick<HttpServices, 'recordingService'>,
  { recordingId, rate, by }: { recordingId: string; rate: number; by: string },
  { samples, from, to, reason }: InterruptedFrame,
): Promise<void> {
  const at = Math.round((samples / rate) * 100) / 100;
  const metadata = { by, command: `${recordingId}/interrupted/${samples}/${from}` };
  const [begun, ended] = [from, to].map((time) => localTime(new Date(time)));
  const what = { at, from: begun!, to: ended!, reason: reason ?? null };
  try {
    await recordingService.decide(recordingId, metadata, interrupt(what));
  } catch (error) {
    if (!(error instanceof NotAccepted)) throw error;
  }
}

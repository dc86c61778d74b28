import { join } from 'node:path';
import { make, speak } from './espeak.ts';
import { wavSamples } from './pulse-alignment.ts';

/** Speech to be played, and its samples as a perfect capture (16 kHz) would have them. */
export type PlayedSpeech = { path: string; samples: Float64Array; seconds: number };

/**
 * Speaks a text with 0.3 s of silence before and behind, so that a player's start cuts off no word. Only
 * what lies below 3 kHz, so that no resampler between here and the file makes a difference.
 */
export async function speech(folder: string, name: string, text: string): Promise<PlayedSpeech> {
  const spoken = join(folder, `${name}-spoken.wav`);
  const path = join(folder, `${name}.wav`);
  const reference = join(folder, `${name}-16k.wav`);
  await speak(text, spoken, { voice: name === 'speakers' ? 'en-gb' : 'en-us' });
  await make(
    'sox',
    spoken,
    path,
    'rate',
    '44100',
    'channels',
    '2',
    'sinc',
    '-3k',
    'pad',
    '0.3',
    '0.3',
  );
  await make('sox', path, '-c', '1', '-b', '16', reference, 'rate', '16000');
  const samples = await wavSamples(reference);
  return { path, samples, seconds: samples.length / 16_000 };
}

export const sentences = {
  mic: 'The capture process must not lose a single word, whatever happens to the rest of the machine.',
  speakers: 'Another person talks from the loudspeakers about the weather in the mountains.',
};

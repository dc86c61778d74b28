import { open, rm } from 'node:fs/promises';
import { decoderFor } from './accepts-audio.ts';
import { wavSamples } from './decode.ts';
import { ffmpegAudio, hasFfmpeg } from './ffmpeg.ts';
import { writeSpeechFile } from './speech-file.ts';
import { wavLayout } from './wav.ts';

/**
 * Decodes each of two channels into a speech file (16 kHz mono). The targets appear only when they are complete.
 * @returns whether there are two; without them no target is left
 * @throws {StageError} as `decodeToSpeech`; AbortError
 */
export async function decodeChannels(
  source: string,
  targets: readonly [string, string],
  { signal, track }: { signal: AbortSignal; track: number },
): Promise<boolean> {
  const decoder = await decoderFor(source, hasFfmpeg);
  const decode = decoder === 'wav' ? fromWav : fromOther;
  for (const channel of [0, 1] as const) {
    signal.throwIfAborted();
    if (await decode(source, targets[channel], { channel, track, signal })) continue;
    await Promise.all(targets.map((target) => rm(target, { force: true })));
    return false;
  }
  return true;
}

type Which = { channel: 0 | 1; track: number; signal: AbortSignal };

async function fromWav(source: string, target: string, { channel, signal }: Which) {
  const file = await open(source, 'r');
  try {
    const layout = await wavLayout(file);
    if (layout?.channels !== 2) return false;
    await writeSpeechFile(target, wavSamples(file, layout, channel), { gain: 1, signal });
    return true;
  } finally {
    await file.close();
  }
}

async function fromOther(source: string, target: string, { signal, ...which }: Which) {
  const audio = ffmpegAudio(source, signal, which);
  await writeSpeechFile(target, audio.blocks, { gain: 1, signal });
  return audio.isStereo();
}

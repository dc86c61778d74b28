import type { FileHandle } from 'node:fs/promises';
import { pcmToMono } from './pcm-mono.ts';
import type { WavLayout } from './wav-layout.ts';

/** Bytes read at once: some milliseconds of work, so that the event loop stays free. */
const readBytes = 256 * 1024;

/**
 * The samples of a WAV file as 16 kHz mono from -1 to 1, in blocks that are good until the next is
 * asked for.
 */
export async function* wavSamples(
  file: FileHandle,
  layout: WavLayout,
): AsyncGenerator<Float32Array> {
  const frame = layout.channels * layout.bytes;
  const buffer = Buffer.alloc(Math.max(frame, readBytes - (readBytes % frame)));
  // The same for each block: hours of fresh ones are more garbage than the collector sees in time.
  const mono = new Float32Array(buffer.length / frame);
  // WebAssembly, loaded with the first file: the start of the service must not wait for it.
  const { createResampler } = await import('./resampler.ts');
  const resampler = await createResampler(layout.rate);
  try {
    const end = layout.dataOffset + layout.dataBytes;
    for (let at = layout.dataOffset; at < end;) {
      const wanted = Math.min(buffer.length, end - at);
      const { bytesRead } = await file.read(buffer, 0, wanted, at);
      const whole = bytesRead - (bytesRead % frame);
      if (whole === 0) break; // the file became shorter meanwhile
      at += whole;
      yield resampler.push(pcmToMono(buffer.subarray(0, whole), layout, mono));
    }
    yield resampler.end();
  } finally {
    resampler.close();
  }
}

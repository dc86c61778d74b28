import { captureRate } from './capture-audio.ts';

/** Bytes before the samples: RIFF, fmt and data heads and nothing else. */
export const wavHeaderBytes = 44;

/**
 * The header of 16-bit PCM. Format: Microsoft/IBM, "Multimedia Programming Interface" 1.0.
 * @param rate samples a second.
 */
export function wavHeader(channels: 1 | 2, frames: number, rate = captureRate): Buffer {
  const header = Buffer.alloc(wavHeaderBytes);
  const dataBytes = frames * channels * 2;
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(wavHeaderBytes - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

/** More does not fit into the header's 32 bits; some 18 hours of two channels at the rate of captures. */
export const wavFramesMax = (channels: 1 | 2): number =>
  Math.floor((0xff_ff_ff_ff - wavHeaderBytes) / (channels * 2));

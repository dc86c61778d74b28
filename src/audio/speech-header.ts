import { speechRate } from './speech-file.ts';

/** Bytes before the first sample of a speech file. */
export const speechHeaderBytes = 44;

/** The plain 44-byte WAV header of 16 kHz mono 16-bit PCM with so many samples. */
export function speechHeader(samples: number): Buffer {
  const header = Buffer.alloc(speechHeaderBytes);
  const bytes = samples * 2;
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // channels
  header.writeUInt32LE(speechRate, 24);
  header.writeUInt32LE(speechRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(bytes, 40);
  return header;
}

/** Samples a speech file of ours says it holds; null when it is none of ours. */
export function samplesOf(header: Buffer): number | null {
  if (header.length < speechHeaderBytes) return null;
  const samples = header.readUInt32LE(40) / 2;
  return Number.isInteger(samples) && speechHeader(samples).equals(header) ? samples : null;
}

/**
 * How loud a block is. @param pcm 16-bit samples @param of one channel: where its first sample is, and how far the next
 * @returns root of the mean square, and the highest; 0 to 1
 */
export function levelOf(
  pcm: ArrayBuffer,
  of: { first: number; step: number } = { first: 0, step: 1 },
): Level {
  const samples = new Int16Array(pcm);
  let [sum, peak, count] = [0, 0, 0];
  for (let at = of.first; at < samples.length; at += of.step) {
    const sample = samples[at]!;
    sum += sample * sample;
    peak = Math.max(peak, Math.abs(sample));
    count += 1;
  }
  const rms = Math.sqrt(sum / Math.max(1, count));
  return { rms: rms / 32_768, peak: Math.min(1, peak / 32_767) };
}

export type Level = { rms: number; peak: number };

/** How loud each of two channels is that take turns. */
export const sidesOf = (pcm: ArrayBuffer): [Level, Level] => [
  levelOf(pcm, { first: 0, step: 2 }),
  levelOf(pcm, { first: 1, step: 2 }),
];

/** Of one sample in all channels of a recording. */
export const bytesOf = ({ channels = 1 }: { channels?: 1 | 2 }): number => channels * 2;

/** A WAV file of 16-bit samples (RIFF, 44 bytes of header). @param parts its samples, in order */
export function wavOf(
  parts: readonly Blob[],
  { rate, channels = 1 }: { rate: number; channels?: 1 | 2 },
): Blob {
  const bytes = parts.reduce((sum, { size }) => sum + size, 0);
  const header = new DataView(new ArrayBuffer(44));
  const word = (at: number, text: string) =>
    Array.from(text, (letter, index) => header.setUint8(at + index, letter.charCodeAt(0)));
  word(0, 'RIFF');
  header.setUint32(4, 36 + bytes, true);
  word(8, 'WAVEfmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, channels, true);
  header.setUint32(24, rate, true);
  header.setUint32(28, rate * channels * 2, true);
  header.setUint16(32, channels * 2, true);
  header.setUint16(34, 16, true);
  word(36, 'data');
  header.setUint32(40, bytes, true);
  return new Blob([header, ...parts], { type: 'audio/wav' });
}

/** What the waveform is drawn of. */

/**
 * Height in pixels. The Content-Security-Policy names the style sheet that wavesurfer.js makes of it
 * (`waveformStyle` of the service's security headers): with another height it is another one.
 */
export const waveformHeight = 42;

/** What peaks may be asked for, a second: the service takes divisors of 100. */
const rates = [1, 2, 4, 5, 10, 20, 25, 50, 100] as const;

/** The least peaks a second that give one a pixel. @param seconds; @param pixels of the strip */
export const peakRate = (seconds: number, pixels: number): number =>
  rates.find((rate) => rate * seconds >= pixels) ?? rates.at(-1)!;

/**
 * One value a pixel of the strip: the highest of those that fall on it, so that the loudest is full height.
 * @param peaks from 0 to 1
 */
export function peaksForPixels(peaks: readonly number[], pixels: number): number[] {
  const loudest = Math.max(0.01, ...chunked(peaks, 10_000).map((chunk) => Math.max(...chunk)));
  const count = Math.max(1, Math.min(pixels, peaks.length));
  return Array.from({ length: count }, (_, at) => {
    const from = Math.floor((at * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((at + 1) * peaks.length) / count));
    return Math.max(0, ...peaks.slice(from, to)) / loudest;
  });
}

const chunked = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );

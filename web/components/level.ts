/** How loud it is, for eyes and for ears. */

export type Loudness = 'silent' | 'quiet' | 'good' | 'loud';

/** Levels kept: ten seconds of ten a second, in the width of the picture. */
export const levelsKept = 96;

/** Share of a meter, from −60 dB to full scale. @param rms 0 to 1 */
export function shareOf(rms: number): number {
  const decibels = rms > 0 ? 20 * Math.log10(rms) : -Infinity;
  return Math.min(1, Math.max(0, (decibels + 60) / 60));
}

/** In a word: silent below −55 dB, quiet below −40 dB, too loud where the tops are cut off. */
export function loudnessOf({ rms, peak }: { rms: number; peak: number }): Loudness {
  if (peak >= 0.985) return 'loud';
  if (rms < 10 ** (-55 / 20)) return 'silent';
  return rms < 10 ** (-40 / 20) ? 'quiet' : 'good';
}

/** The last ten seconds as strokes in a picture of 384 × 64, the newest at the right. @param shares oldest first */
export function wavePath(shares: readonly number[]): string {
  const shown = shares.slice(-levelsKept);
  const first = levelsKept - shown.length;
  return shown
    .map((share, index) => {
      const half = 1.5 + share * 29;
      const x = (first + index) * 4 + 2;
      return `M${x} ${(32 - half).toFixed(1)}v${(half * 2).toFixed(1)}`;
    })
    .join('');
}

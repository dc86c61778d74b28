/**
 * Counts in what a browser sends, as it comes, where there is no signal and what is too loud. Pieces are counted from
 * the first sample on, however much comes at once: it makes no difference who counts, or when.
 */
export interface SignalMeter {
  /** Taken in so far. */
  readonly samples: number;
  /** Of those the ones in pieces without any signal. */
  readonly flat: number;
  /** Of those the ones that stand at full scale. */
  readonly clipped: number;
  add(samples: Int16Array): void;
}

/** @param rate samples a second. */
export function signalMeter(rate: number): SignalMeter {
  // A tenth of a second: the piece in which a capture looks for silence too.
  const piece = Math.floor(rate / 10);
  let [taken, flat, clipped] = [0, 0, 0];
  let inPiece = 0;
  let lowest = 32_767;
  let highest = -32_768;
  // One step of dither apart is still flat.
  const flatInPiece = () => (inPiece > 0 && highest - lowest <= 1 ? inPiece : 0);
  return {
    get samples() {
      return taken;
    },
    get flat() {
      return flat + flatInPiece();
    },
    get clipped() {
      return clipped;
    },
    add(samples) {
      for (let at = 0; at < samples.length;) {
        const end = Math.min(samples.length, at + piece - inPiece);
        inPiece += end - at;
        let [low, high] = [lowest, highest];
        for (; at < end; at += 1) {
          const sample = samples[at]!;
          if (sample < low) low = sample;
          if (sample > high) high = sample;
          if (sample === 32_767 || sample === -32_768) clipped += 1;
        }
        [lowest, highest] = [low, high];
        if (inPiece < piece) continue;
        flat += flatInPiece();
        inPiece = 0;
        lowest = 32_767;
        highest = -32_768;
      }
      taken += samples.length;
    },
  };
}

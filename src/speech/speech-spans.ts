import type { Stretch } from '../../events/transcript.ts';

/** Turns one verdict a frame into spans of speech. */
export interface SpanBuilder {
  /** The next frame: speech or not. */
  add(speech: boolean): void;
  /** All spans, in seconds, sorted, apart from each other. The last frame must have been added. */
  spans(): Stretch[];
}

/** In frames: how many of `window` must be speech to begin, and how few to end. */
export type Smoothing = { window: number; begin: number; end: number };

/**
 * Hysteresis over a sliding window: single frames neither begin speech nor end it. A span reaches
 * back to the start of the window in which it began.
 * @param frameSeconds length of a frame.
 */
export function spanBuilder(frameSeconds: number, { window, begin, end }: Smoothing): SpanBuilder {
  const ring = new Uint8Array(window);
  const found: Stretch[] = [];
  let frames = 0;
  let voiced = 0;
  let from = -1; // first frame of the open span
  let closed = 0; // where the last one ended
  return {
    add(speech) {
      const slot = frames % window;
      voiced += Number(speech) - ring[slot]!;
      ring[slot] = Number(speech);
      frames += 1;
      if (from < 0 && voiced >= begin) from = Math.max(closed, frames - window);
      else if (from >= 0 && voiced <= end) {
        found.push([from * frameSeconds, frames * frameSeconds]);
        closed = frames;
        from = -1;
      }
    },
    spans: () => (from < 0 ? found : [...found, [from * frameSeconds, frames * frameSeconds]]),
  };
}

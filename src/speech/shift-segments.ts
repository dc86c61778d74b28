import type { Segment } from '../../events/transcript.ts';

/**
 * Brings times of one request (seconds from its first sample) to the whole recording's: shifted,
 * clamped into the stretch, sorted, ends never before starts, milliseconds. Empty ones fall away.
 */
export function shiftSegments(segments: readonly Segment[], start: number, end: number): Segment[] {
  const shift = (seconds: number) => {
    const time = Number.isFinite(seconds) ? start + seconds : start;
    return Math.round(Math.min(end, Math.max(start, time)) * 1000) / 1000;
  };
  const shifted = <T extends { start: number; end: number }>(span: T): T => {
    const from = shift(span.start);
    return { ...span, start: from, end: Math.max(from, shift(span.end)) };
  };
  return segments
    .filter(({ text }) => text.trim() !== '')
    .map((segment) => ({
      ...shifted(segment),
      text: segment.text.trim(),
      words: segment.words.map(shifted).sort((a, b) => a.start - b.start),
    }))
    .sort((a, b) => a.start - b.start);
}

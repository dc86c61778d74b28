/** Who speaks when, as one strip below the waveform. */

/** A piece of the strip: `label` null where all are silent. In seconds. */
export type Lane = { label: string | null; start: number; size: number };

type Spoken = { speaker: string | null; start: number; end: number };

/** A column of which less than this share is talk is silence. */
const heard = 0.3;

/**
 * Lanes from left to right that fill the whole strip: its columns, each of who speaks most in it, with
 * neighbours of one speaker joined. So a strip of three hours has some hundred lanes at most, none too narrow.
 * @param duration seconds; @param width of the strip in pixels; @param narrowest a column, in pixels
 */
export function lanesOf(
  turns: readonly Spoken[],
  { duration, width, narrowest = 2 }: { duration: number; width: number; narrowest?: number },
): Lane[] {
  const columns = Math.floor(width / narrowest);
  if (duration <= 0 || columns <= 0) return [];
  const each = duration / columns;
  const spoken = Array.from({ length: columns }, () => new Map<string, number>());
  for (const { speaker, start, end } of turns) {
    const last = Math.min(columns - 1, Math.floor(end / each));
    for (let column = Math.max(0, Math.floor(start / each)); column <= last; column += 1) {
      const share = Math.min(end, (column + 1) * each) - Math.max(start, column * each);
      const label = speaker ?? '';
      const before = spoken[column]!.get(label) ?? 0;
      spoken[column]!.set(label, before + share);
    }
  }
  const lanes: Lane[] = [];
  for (const [column, shares] of spoken.entries()) {
    const [label, share] = [...shares].reduce((most, one) => (one[1] > most[1] ? one : most), [
      '',
      0,
    ] as [string, number]);
    const all = [...shares.values()].reduce((sum, one) => sum + one, 0);
    const shown = share === 0 || all < each * heard ? null : label;
    const before = lanes.at(-1);
    if (before?.label === shown) before.size += each;
    else lanes.push({ label: shown, start: column * each, size: each });
  }
  return lanes;
}

/** The waveform in the colours of who speaks. */
import type { Lane } from './lanes.ts';

/**
 * A gradient whose colours change where the speakers do.
 * @param options.width of the canvas, in its own pixels
 * @param options.classOf class whose `--c` is the colour of a speaker
 * @param options.within an element of the page that the classes count in
 */
export function coloursOf(
  lanes: readonly Lane[],
  options: {
    duration: number;
    width: number;
    classOf: (label: string | null) => string;
    within: HTMLElement;
  },
): CanvasGradient {
  const { duration, width, classOf, within } = options;
  const context = document.createElement('canvas').getContext('2d')!;
  const gradient = context.createLinearGradient(0, 0, width, 0);
  const inks = new Map<string, string>();
  for (const { label, start, size } of lanes) {
    const name = label === null ? '' : classOf(label);
    const ink = inks.get(name) ?? inkOf(name, within);
    inks.set(name, ink);
    gradient.addColorStop(Math.min(1, start / duration), ink);
    gradient.addColorStop(Math.min(1, (start + size) / duration), ink);
  }
  return gradient;
}

/** The colour as the page shows it in its present theme; of no speaker the edge's. */
function inkOf(name: string, within: HTMLElement): string {
  const probe = document.createElement('i');
  probe.className = `ink ${name}`;
  within.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

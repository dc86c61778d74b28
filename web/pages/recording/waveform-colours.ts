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
  const nameOf = (label: string | null) => (label === null ? '' : classOf(label));
  const inks = inksOf(new Set(lanes.map(({ label }) => nameOf(label))), within);
  for (const { label, start, size } of lanes) {
    const ink = inks.get(nameOf(label))!;
    gradient.addColorStop(Math.min(1, start / duration), ink);
    gradient.addColorStop(Math.min(1, (start + size) / duration), ink);
  }
  return gradient;
}

/** Colours as the page shows them in its present theme, asked for together; of no speaker the edge's. */
function inksOf(names: ReadonlySet<string>, within: HTMLElement): Map<string, string> {
  const probes = [...names].map((name) => {
    const probe = document.createElement('i');
    probe.className = `ink ${name}`;
    return [name, probe] as const;
  });
  within.append(...probes.map(([, probe]) => probe));
  const inks = new Map(probes.map(([name, probe]) => [name, getComputedStyle(probe).color]));
  for (const [, probe] of probes) probe.remove();
  return inks;
}

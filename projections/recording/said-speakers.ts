import type { Said } from './said.ts';

/** Everybody who speaks, in the order in which they do. */
export const labelsSpoken = (said: Said): string[] => [
  ...new Set([...labelsIn(said), ...Object.keys(said.names)]),
];

/** With the names of those only who still say something, or of whom the summary speaks. Pure. */
export function withNamesOf(said: Said): Said {
  const speaking = new Set(labelsIn(said));
  const { lines, abstract } = said.summary;
  const isNamed = (label: string): boolean =>
    speaking.has(label) ||
    abstract?.includes(label) === true ||
    lines.some(({ speaker, text }) => speaker === label || text.includes(label));
  const names = Object.entries(said.names).filter(([label]) => isNamed(label));
  return { ...said, names: Object.fromEntries(names) };
}

const labelsIn = ({ raw, recognised, blocks }: Said): string[] =>
  [raw, recognised, blocks].flatMap((all) => all.flatMap(({ speaker }) => speaker ?? []));

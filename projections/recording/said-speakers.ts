import type { Block } from '../../events/facts/transcript.ts';
import type { Line } from './summary.ts';

/** Of what a recording says (`said.ts`): by whom. */
type Spoken = {
  raw: readonly Block[];
  recognised: readonly Block[];
  blocks: readonly Block[];
  names: Readonly<Record<string, string>>;
  summary: { lines: readonly Line[]; abstract: string | null };
};

/** Everybody who speaks, in the order in which they do. */
export const labelsSpoken = (said: Spoken): string[] => [
  ...new Set([...labelsIn(said), ...Object.keys(said.names)]),
];

/** With the names of those only who still say something, or of whom the summary speaks. Pure. */
export function withNamesOf<S extends Spoken>(said: S): S {
  const speaking = new Set(labelsIn(said));
  const { lines, abstract } = said.summary;
  const isNamed = (label: string): boolean =>
    speaking.has(label) ||
    abstract?.includes(label) === true ||
    lines.some(({ speaker, text }) => speaker === label || text.includes(label));
  const names = Object.entries(said.names).filter(([label]) => isNamed(label));
  return { ...said, names: Object.fromEntries(names) };
}

const labelsIn = ({ raw, recognised, blocks }: Spoken): string[] =>
  [raw, recognised, blocks].flatMap((all) => all.flatMap(({ speaker }) => speaker ?? []));

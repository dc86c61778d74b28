import { type LineKind, type SummaryLine, lineKinds } from '../../events/facts/transcript.ts';

/** Lines that are read together. */
export type LineGroup<L> = {
  /** Heading of a template that they are below; null: they are together for their kind. */
  section: string | null;
  /** Of the first of them. */
  kind: LineKind;
  lines: L[];
};

/** Lines as they are read: text, then section by section as these first occur, then the others kind by kind. Pure. */
export function lineGroups<L extends Pick<SummaryLine, 'kind' | 'section'>>(
  lines: readonly L[],
): LineGroup<L>[] {
  const sections = new Map<string, LineGroup<L>>();
  for (const line of lines) {
    const { section, kind } = line;
    if (section === undefined) continue;
    const group = sections.get(section) ?? { section, kind, lines: [] };
    sections.set(section, { ...group, lines: [...group.lines, line] });
  }
  const ofKind = (kind: LineKind): LineGroup<L> => ({
    section: null,
    kind,
    lines: lines.filter((line) => line.section === undefined && line.kind === kind),
  });
  const others = lineKinds.filter((kind) => kind !== 'text');
  return [ofKind('text'), ...sections.values(), ...others.map(ofKind)].filter(
    (group) => group.lines.length > 0,
  );
}

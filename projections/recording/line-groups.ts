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
  const ofSections = new Map<string, L[]>();
  const ofKinds = new Map<LineKind, L[]>(lineKinds.map((kind) => [kind, []]));
  for (const line of lines) {
    const { section, kind } = line;
    if (section === undefined) ofKinds.get(kind)!.push(line);
    else ofSections.set(section, [...(ofSections.get(section) ?? []), line]);
  }
  const [text, ...others] = [...ofKinds].map(([kind, its]) => ({
    section: null,
    kind,
    lines: its,
  }));
  const sections = [...ofSections].map(([section, its]) => ({
    section,
    kind: its[0]!.kind,
    lines: its,
  }));
  return [text!, ...sections, ...others].filter((group) => group.lines.length > 0);
}

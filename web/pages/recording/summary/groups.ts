import type { SummaryLine } from '../recording.ts';
import { type Kind, kinds } from './plans.ts';

/** Lines below one heading. */
export type LineGroup<Line> = {
  key: string;
  kind: Kind;
  /** Of a template; null: that of the kind. */
  section: string | null;
  lines: Line[];
};
type Grouped = Pick<SummaryLine, 'kind' | 'section' | 'of_template'>;

/**
 * Text, then the sections of a template in their order, then the other lines by kind; a kind that is called as a section
 * is in that. Kinds without a line are there too.
 */
export function lineGroups<Line extends Grouped>(
  lines: readonly Line[],
  titleOf: (kind: Exclude<Kind, 'text'>) => string,
): LineGroup<Line>[] {
  const sections = new Map<string, LineGroup<Line>>();
  const sectionOf = (section: string, kind: Kind): LineGroup<Line> => {
    const there = sections.get(section);
    const group = there ?? { key: `section ${section}`, kind, section, lines: [] };
    if (!there) sections.set(section, group);
    return group;
  };
  for (const line of lines)
    if (line.of_template && line.section !== null)
      sectionOf(line.section, line.kind).lines.push(line);
  const [text, ...others] = kinds.map((kind): LineGroup<Line> => {
    const own = lines.filter((line) => !line.of_template && line.kind === kind);
    const same = kind === 'text' ? undefined : sections.get(titleOf(kind));
    same?.lines.push(...own);
    return { key: kind, kind, section: null, lines: same ? [] : own };
  });
  return [text!, ...sections.values(), ...others];
}

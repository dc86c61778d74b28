import { type LineKind, type SummaryLine, lineKinds } from '../../events/facts/transcript.ts';
import { dueDate } from '../shared/due-date.ts';
import { clock } from '../shared/time.ts';
import { type DocumentsInput, documentPaths, speakerName, withSpeakerNames } from './documents.ts';
import { labelsIn } from './labels.ts';
import { escapeInline, escapeLine } from './markdown.ts';

/** A line of a summary as people read it, before any markup. */
export type ShownLine = {
  text: string;
  block: string | null;
  remark: string | null;
  /** The day that a task is due; null where none is, or where it is in doubt which. */
  date: string | null;
};

/**
 * The lines of a summary by kind, in the order in which people want to read them; kinds without a line are left out. A
 * name stands before the text, a date after it; `remark` says of a decision or task that it was not found in what that
 * person said.
 */
export function summarySections(
  input: Pick<DocumentsInput, 'lines' | 'speakers' | 'uiLanguage' | 'localStart'>,
): { kind: LineKind; heading: string; lines: ShownLine[] }[] {
  const labels = labelsIn(input.uiLanguage);
  return lineKinds.flatMap((kind) => {
    const lines = input.lines.filter((line) => line.kind === kind);
    if (lines.length === 0) return [];
    return [{ kind, heading: labels(kind), lines: lines.map((line) => shown(input, line)) }];
  });
}

/** The day a task is due by the day of the recording; null for all else, and for a task that may be nobody's. */
export const dueDateOf = (
  { kind, due, unfounded }: SummaryLine,
  localStart: string,
): string | null =>
  kind !== 'task' || due === null || unfounded ? null : dueDate(due, localStart);

/** A line without markup. */
export const plainLineOf = ({ text, remark }: ShownLine): string =>
  remark === null ? text : `${text} (${remark})`;

/** The summary as Markdown: a heading and a list for each kind of line, each with a link to where it was said. */
export function renderLines(input: DocumentsInput): string[] {
  const transcript = documentPaths(input.base).transcript.replace(/\.md$/u, '');
  const starts = new Map(input.blocks.map(({ id, start }) => [id, start]));
  return summarySections(input).flatMap(({ kind, heading, lines }) => [
    `## ${heading}`,
    lines
      .map(({ text, block, remark, date }) => {
        const start = block === null ? undefined : starts.get(block);
        const link = start === undefined ? '' : ` [[${transcript}#^${block}|${clock(start)}]]`;
        const said = remark === null ? link : ` *(${escapeInline(remark)})*`;
        // Obsidian's Tasks reads a date at the end of the line alone.
        const due = date === null ? '' : ` 📅 ${date}`;
        return `- ${kind === 'task' ? '[ ] ' : ''}${escapeLine(text)}${said}${due}`;
      })
      .join('\n'),
  ]);
}

function shown(
  input: Pick<DocumentsInput, 'speakers' | 'uiLanguage' | 'localStart'>,
  line: SummaryLine,
): ShownLine {
  const { text, speaker, person, due, block, unfounded } = line;
  const name = speaker === null ? person : speakerName(input, speaker);
  const said = withSpeakerNames(input, text);
  const dated =
    due === null || said.toLowerCase().includes(due.toLowerCase())
      ? said
      : `${said.replace(/\.$/u, '')} (${withSpeakerNames(input, due)})`;
  return {
    text: name === null ? dated : `${name}: ${dated}`,
    block,
    remark: unfounded && name !== null ? labelsIn(input.uiLanguage)('not-found', { name }) : null,
    date: dueDateOf(line, input.localStart),
  };
}

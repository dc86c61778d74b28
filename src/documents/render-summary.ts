import type { Interruption } from '../../projections/recording/interruptions.ts';
import type { Sidenote } from '../../projections/recording/sidenotes.ts';
import type { LineKind, SummaryLine } from '../../events/facts/transcript.ts';
import { lineGroups } from '../../projections/recording/line-groups.ts';
import { dueDate } from '../shared/due-date.ts';
import { clock } from '../shared/time.ts';
import { type DocumentsInput, documentPaths, speakerName, withSpeakerNames } from './documents.ts';
import { labelsIn } from './labels.ts';
import { escapeInline, escapeLine, oneLine } from './markdown.ts';

/** A line of a summary as people read it, before any markup. */
export type ShownLine = {
  kind: LineKind;
  text: string;
  block: string | null;
  /** The side note that it rests on, if on no block. */
  note: { name: string; block: string | null } | null;
  remark: string | null;
  done: boolean;
  /** The day that a task is due; null where none is, or where it is in doubt which. */
  date: string | null;
};

/** Its id, and whose it is: what documents take back of it. */
type Shown = ShownLine & { id: string };

/** Lines below a heading; null: below the title. */
type ShownSection = {
  heading: string | null;
  /** The heading is of a template: people wrote it. */
  section: string | null;
  /** Of its first line. */
  kind: LineKind;
  lines: Shown[];
};

/**
 * The lines of a summary below the headings of its template, then the others by kind, in the order in which people want
 * to read them; a kind that is called as a section is in that. Headings without a line are left out. A name stands before the text, a date after it; `remark` says of a decision or task that it was not found in what that
 * person said.
 */
export function summarySections(input: SectionsInput): ShownSection[] {
  const labels = labelsIn(input.uiLanguage);
  const sections: ShownSection[] = [];
  for (const { section, kind, lines } of lineGroups(input.lines)) {
    const heading = section ?? (kind === 'text' ? null : labels(kind));
    const its = lines.map((line) => shown(input, line));
    const same = sections.find((one) => one.heading !== null && one.heading === heading);
    if (same) same.lines.push(...its);
    else sections.push({ heading, section, kind, lines: its });
  }
  return sections;
}

/** The day a task is due by the day of the recording; null for all else, and for a task that may be nobody's. */
export const dueDateOf = (
  { kind, due, unfounded }: SummaryLine,
  localStart: string,
): string | null =>
  kind !== 'task' || due === null || unfounded ? null : dueDate(due, localStart);

/** A line without markup. */
export const plainLineOf = ({ text, note, remark, done }: ShownLine): string => {
  const behind = remark ?? note?.name ?? null;
  return `${done ? '✓ ' : ''}${behind === null ? text : `${text} (${behind})`}`;
};

/** The summary as Markdown: a heading and a list for each kind of line, each with a link to where it was said. */
export function renderLines(input: DocumentsInput): string[] {
  const transcript = documentPaths(input.base).transcript.replace(/\.md$/u, '');
  const starts = new Map(input.blocks.map(({ id, start }) => [id, start]));
  return summarySections(input).flatMap(({ heading, section, lines }) => {
    const written = lines.map(({ kind, text, block, note, remark, date, done }) => {
      const start = block === null ? undefined : starts.get(block);
      const place = note ?? (start === undefined ? null : { name: clock(start), block });
      const link = place?.block ? ` [[${transcript}#^${place.block}|${place.name}]]` : '';
      const said = remark === null ? link : ` *(${escapeInline(remark)})*`;
      // Obsidian's Tasks reads a date at the end of the line alone.
      const due = date === null ? '' : ` 📅 ${date}`;
      const box = kind === 'task' ? `[${done ? 'x' : ' '}] ` : '';
      return `${heading === null ? '' : '- '}${box}${escapeLine(text)}${said}${due}`;
    });
    if (heading === null) return written;
    return [headingOf({ heading, section }), written.join('\n')];
  });
}

/** A heading as documents have it. */
export const headingOf = ({ heading, section }: { heading: string; section: string | null }) =>
  `## ${section === null ? heading : escapeInline(section)}`;

type SectionsInput = Pick<
  DocumentsInput,
  'lines' | 'speakers' | 'uiLanguage' | 'localStart' | 'sidenotes' | 'blocks'
>;

function shown(input: SectionsInput, line: SummaryLine): Shown {
  const { id = '', kind, text, speaker, person, due, block, unfounded, by, done } = line;
  const name = speaker === null ? person : speakerName(input, speaker);
  // What a person wrote stays as they wrote it.
  const said = by === undefined ? withSpeakerNames(input, text) : text;
  const dated =
    due === null ||
    (by !== undefined && isDay(due)) ||
    said.toLowerCase().includes(due.toLowerCase())
      ? said
      : `${said.replace(/\.$/u, '')} (${withSpeakerNames(input, due)})`;
  return {
    id,
    kind,
    done: done === true,
    text: name === null ? dated : `${name}: ${dated}`,
    block,
    note: block === null ? noteBehind(input, line) : null,
    remark: unfounded && name !== null ? labelsIn(input.uiLanguage)('not-found', { name }) : null,
    date: dueDateOf(line, input.localStart),
  };
}

function noteBehind(input: SectionsInput, { note: number }: SummaryLine): Shown['note'] {
  const note = input.sidenotes.find((one) => one.note === number);
  if (number === undefined || note === undefined) return null;
  const { at, block } = shownSidenote(input, note);
  return { name: `${labelsIn(input.uiLanguage)('sidenote')}, ${clock(at)}`, block };
}

/** A side note as people read it, before any markup. */
type ShownSidenote = { at: number; text: string; block: string | null };
type Block = DocumentsInput['blocks'][number];
type Wanted = Pick<DocumentsInput, 'sidenotes' | 'interruptions' | 'blocks' | 'uiLanguage'>;
/** What a transcript has besides its passages. */
type Between = { sidenote: ShownSidenote } | { interruption: string };

/** Characters of a passage that stand for a moment that was marked without words. */
const quotedMax = 160;

/** The side notes below their heading, by their times; null without any. */
export function sidenoteSection(
  input: Wanted,
): { heading: string; lines: readonly ShownSidenote[] } | null {
  const { sidenotes } = input;
  if (sidenotes.length === 0) return null;
  const isMine = sidenotes.every(({ own }) => own);
  const heading = labelsIn(input.uiLanguage)(isMine ? 'my-sidenotes' : 'sidenotes');
  return { heading, lines: sidenotes.map((note) => shownSidenote(input, note)) };
}

/** A side note without markup, with its time. */
export const plainSidenote = ({ at, text }: ShownSidenote): string =>
  `[${clock(at)}] ${oneLine(text)}`;

/**
 * The blocks with the side notes where they were written, each behind the block that had begun by then, and with the times
 * in which nothing was recorded.
 */
export function withSidenotes(input: Wanted): ({ block: Block } | Between)[] {
  const notes = input.sidenotes.map((note) => ({
    at: note.at,
    between: { sidenote: shownSidenote(input, note) },
  }));
  const pauses = input.interruptions.map((one) => ({
    // A passage that begins right there came after it.
    at: one.at - 0.01,
    between: { interruption: interruptionLine(input, one) },
  }));
  const waiting: { at: number; between: Between }[] = [...notes, ...pauses].toSorted(
    (a, b) => a.at - b.at,
  );
  const before = (time: number) => {
    const until = waiting.findIndex(({ at }) => at >= time);
    return waiting.splice(0, until < 0 ? waiting.length : until).map(({ between }) => between);
  };
  return [
    ...input.blocks.flatMap((block) => [...before(block.start), { block }]),
    ...before(Infinity),
  ];
}

/** The side notes as Markdown: a heading and a list, each with a link to where it was written; or nothing. */
export function renderSidenotes(input: DocumentsInput): string[] {
  const section = sidenoteSection(input);
  if (!section) return [];
  const transcript = documentPaths(input.base).transcript.replace(/\.md$/u, '');
  const lines = section.lines.map(({ at, text, block }) => {
    const time = block === null ? `(${clock(at)})` : `[[${transcript}#^${block}|${clock(at)}]]`;
    return `- ${escapeLine(text)} ${time}`;
  });
  return [`## ${section.heading}`, lines.join('\n')];
}

/** A side note between the passages of the transcript: a quotation that says what it is. */
export const renderSidenote = (input: Wanted, { at, text }: ShownSidenote): string =>
  `> *${labelsIn(input.uiLanguage)('sidenote')}* [${clock(at)}] ${escapeInline(text)}`;

/** When nothing was recorded, and why: `14:03–14:07 not recorded (call)`. */
function interruptionLine({ uiLanguage }: Wanted, { from, to, reason }: Interruption): string {
  const clockOf = (time: string): string => time.slice('YYYY-MM-DDT'.length, -9);
  const times = { from: clockOf(from), to: clockOf(to) };
  const labels = labelsIn(uiLanguage);
  return reason === null
    ? labels('not-recorded', times)
    : labels('not-recorded-because', { ...times, reason });
}

/** A moment without words has those of its passage. */
function shownSidenote(
  input: Pick<DocumentsInput, 'blocks' | 'uiLanguage'>,
  { at, text, block, mark }: Sidenote,
): ShownSidenote {
  const passage =
    input.blocks.find(({ id }) => id === block) ??
    input.blocks.findLast(({ start }) => start <= at);
  const labels = labelsIn(input.uiLanguage);
  const words = mark && text === '' ? momentOf(passage, labels) : text;
  return { at, text: words, block: passage?.id ?? null };
}

function momentOf(passage: Block | undefined, labels: ReturnType<typeof labelsIn>): string {
  if (!passage) return labels('moment');
  const said = oneLine(passage.text);
  const end = said.lastIndexOf(' ', quotedMax);
  const cut = said.length > quotedMax ? `${said.slice(0, end < 1 ? quotedMax : end)} …` : said;
  return labels('moment-of', { words: cut });
}

/** A date as people set it: it stands behind the line alone. */
const isDay = (due: string): boolean => /^\d{4}-\d\d-\d\d$/u.test(due);

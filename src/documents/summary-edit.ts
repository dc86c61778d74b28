import { type LineKind, type SummaryLine, lineKinds } from '../../events/facts/transcript.ts';
import type { DocumentEdit } from '../../projections/recording/edit-document.ts';
import { splitWords, spokenForm } from '../../projections/recording/timed-words.ts';
import { templateLimits } from '../../projections/templates.ts';
import { type LineEdit, summaryLimits } from '../../projections/recording/edit-summary.ts';
import { type DocumentsInput, documentPaths, speakerName } from './documents.ts';
import { unescaped } from './document-edit.ts';
import { labelsIn } from './labels.ts';
import { headingOf, summarySections } from './render-summary.ts';
import { streamSafe } from '../shared/stream-safe.ts';

/**
 * Compares the summary as we would write it with what a person made of it, line by line: a line is an item below a
 * heading of ours, or a paragraph before the first. Where the summary has sections, a heading that is renamed or new is one,
 * too. What else was changed is nothing that an edit of lines can say.
 * @param input what our document is made of
 */
export function summaryEditIn(ours: string, theirs: string, input: DocumentsInput): DocumentEdit {
  const headings = headingsOf(input);
  const transcript = documentPaths(input.base).transcript.replace(/\.md$/u, '');
  const before = partsOf(ours, { headings, ours: null, transcript });
  const after = partsOf(theirs, { headings, ours: headingLines(ours), transcript });
  const known = knownLines(input);
  const isOurs = before.items.length === known.length;
  // A summary has no more lines, and each is looked for among all of ours.
  const isLong = after.items.length > summaryLimits.linesMax;
  if (!isOurs || isLong) return { changes: [], own: ours.trim() !== theirs.trim() };
  const pairs = paired(
    before.items.map((item, at) => ({ ...item, ...known[at]!, kind: item.kind ?? 'point' })),
    after.items,
  );
  return {
    changes: [],
    lines: editsOf(pairs, input),
    own:
      before.rest.join('\n') !== after.rest.join('\n') ||
      after.items.some(({ done }) => done === null),
  };
}

/** A line as a document has it. */
type Item = Below & { text: string; done: Done; date: string | null };
/** Whether a task is done; null: its box says something else, which no line can say. */
type Done = boolean | null;
/** Below which heading, and what lines are there; null: what they were, below a heading that is new. */
type Below = { kind: LineKind | null; section: string | null };
type Headings = ReadonlyMap<string, Below>;
type Ours = Item & { kind: LineKind; id: string; line: SummaryLine };
type Pairs = { ours: readonly Ours[]; theirs: readonly (Item & { ours: Ours | null })[] };

const knownLines = (input: DocumentsInput): { id: string; line: SummaryLine }[] =>
  summarySections(input).flatMap(({ lines }) =>
    lines.flatMap(({ id }) => {
      const line = input.lines.find((one) => one.id === id);
      return line ? [{ id, line }] : [];
    }),
  );

/** What stands below which heading, as we write it. */
function headingsOf(input: DocumentsInput): Headings {
  const labels = labelsIn(input.uiLanguage);
  return new Map<string, Below>([
    ...lineKinds.flatMap((kind): [string, Below][] =>
      kind === 'text' ? [] : [[`## ${labels(kind)}`, { kind, section: null }]],
    ),
    ...summarySections(input).flatMap(({ heading, section, kind }): [string, Below][] =>
      heading === null || section === null
        ? []
        : [[headingOf({ heading, section }), { kind, section }]],
    ),
  ]);
}

const headingLines = (markdown: string): ReadonlySet<string> =>
  new Set(linesOf(markdown).filter((line) => line.startsWith('#')));

const linesOf = (markdown: string): string[] =>
  markdown
    .replaceAll(/\r\n?/gu, '\n')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * The lines of a document, and all else that it says.
 * @param known.ours headings of our document, by which those are known that a person made; null: it is that document
 * @param known.transcript as links of ours name it
 */
function partsOf(
  markdown: string,
  {
    headings,
    ours,
    transcript,
  }: { headings: Headings; ours: ReadonlySet<string> | null; transcript: string },
): { items: Item[]; rest: string[] } {
  const hasSections = [...headings.values()].some(({ section }) => section !== null);
  const items: Item[] = [];
  const rest: string[] = [];
  let below: Below | null = null;
  /** A heading that a person made and that has no line yet. */
  let empty: string | null = null;
  for (const line of linesOf(markdown)) {
    const listed = /^[-*+] (.*)$/u.exec(line)?.[1];
    if (/^#{1,6} /u.test(line)) {
      if (empty !== null) rest.push(empty);
      const made = hasSections && ours?.has(line) === false ? sectionIn(line) : null;
      const known = headings.get(line) ?? made;
      empty = headings.has(line) || made === null ? null : line;
      // Text stands below the title, up to the first heading.
      below = known ?? (line.startsWith('# ') ? belowTitle : null);
      if (known === null) rest.push(line);
    } else if (below === belowTitle && !isPlaceholder(line))
      items.push(itemIn(line, below, transcript));
    else if (below !== null && below !== belowTitle && listed !== undefined) {
      items.push(itemIn(listed, below, transcript));
      empty = null;
    } else rest.push(line);
  }
  if (empty !== null) rest.push(empty);
  return { items, rest };
}

/** The section that a heading makes; null: it is none. */
function sectionIn(line: string): Below | null {
  const title = streamSafe(unescaped(line.replace(/^## /u, ''))).normalize();
  const isOne = line.startsWith('## ') && title !== '' && title.length <= templateLimits.titleMax;
  return isOne ? { kind: null, section: title } : null;
}

const belowTitle: Below = { kind: 'text', section: null };

/** What stands there when there is no summary. */
const isPlaceholder = (line: string): boolean => /^\*[^*]+\*$/u.test(line);

/** A line without its box, its link, its remark and its dates. */
function itemIn(written: string, below: Below, transcript: string): Item {
  const [, box, said = written] = /^\[(.)\] (.*)$/su.exec(written) ?? [];
  const date = /📅\uFE0F? ?(\d{4}-\d\d-\d\d)/u.exec(said)?.[1] ?? null;
  const dateless = said.replaceAll(/[📅✅➕⏳🛫❌]\uFE0F? ?\d{4}-\d\d-\d\d/gu, '').trim();
  const linkless = withoutOurLink(dateless, transcript);
  const remark = linkless.endsWith(')*') ? linkless.lastIndexOf(' *(') : -1;
  const text = remark < 0 ? linkless : linkless.slice(0, remark);
  // A section of a template may have tasks among others.
  const kind = below.section !== null && box !== undefined ? 'task' : below.kind;
  const done = kind === 'task' && box !== undefined ? doneIn(box) : false;
  return { kind, section: below.section, text: unescaped(text), done, date };
}

/** Of the links in a line the last one that leads into our transcript is ours; others are a person's. */
function withoutOurLink(line: string, transcript: string): string {
  const links = [...line.matchAll(/(?<!\\)\[\[([^[\]]*)\]\]/gu)];
  const ours = links.findLast(([, target = '']) => target.startsWith(`${transcript}#^`));
  if (!ours) return line;
  const behind = line.slice(ours.index + ours[0].length);
  return `${line.slice(0, ours.index).trimEnd()} ${behind.trimStart()}`.trim();
}

/** Notes apps have marks of their own, as for what is half done or was dropped. */
const doneIn = (box: string): Done => (box === ' ' ? false : /x/iu.test(box) ? true : null);

/** Finds our lines in theirs: the same text, then one that stands in its place or has most of its words. */
function paired(ours: readonly Ours[], items: readonly Item[]): Pairs {
  const left = new Set(ours);
  const words = new Map([...ours, ...items].map(({ text }) => [text, wordsOf(text)]));
  const theirs = items.map((item) => ({ ...item, ours: null as Ours | null }));
  /** How sure it is that a line of theirs is one of ours; 0: it is not. */
  const match = (sureness: (one: Ours, other: Item, at: number) => number): void => {
    for (const [at, other] of theirs.entries()) {
      if (other.ours !== null) continue;
      const best = [...left]
        .map((one) => ({ one, sure: sureness(one, other, at) }))
        .reduce<{ one: Ours; sure: number } | null>(
          (most, next) => (next.sure > (most?.sure ?? 0) ? next : most),
          null,
        );
      if (best) left.delete((other.ours = best.one));
    }
  };
  match((one, other) => Number(one.text === other.text && one.kind === other.kind));
  match((one, other) => Number(one.text === other.text));
  const isSameKind = (one: Ours, { kind }: Item): boolean => kind === null || kind === one.kind;
  match((one, other) => {
    const like = isSameKind(one, other)
      ? likeness(words.get(one.text)!, words.get(other.text)!)
      : 0;
    return like >= likenessMin ? like : 0;
  });
  match((one, other, at) => {
    const before = theirs[at - 1]?.ours ?? null;
    return Number(isSameKind(one, other) && (ours[ours.indexOf(one) - 1] ?? null) === before);
  });
  return { ours, theirs };
}

/** With this share of words in common a line is the same one, changed. */
const likenessMin = 0.4;

/** The share of words that both have. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  return both / Math.max(1, a.size, b.size);
}
const wordsOf = (text: string): Set<string> => new Set(splitWords(text).map(spokenForm));

function editsOf({ ours, theirs }: Pairs, input: DocumentsInput): LineEdit[] {
  const kept = new Set(theirs.flatMap((one) => one.ours ?? []));
  const removed = ours.filter((one) => !kept.has(one));
  const isMoved = (list: string): boolean => {
    const before = ours.filter((one) => listOf(one) === list && kept.has(one));
    const after = theirs.flatMap(({ ours: one }) => (one && listOf(one) === list ? [one] : []));
    return before.some((one, at) => one !== after[at]);
  };
  const moved = new Set([...new Set(ours.map(listOf))].filter(isMoved));
  const edits: LineEdit[] = removed.map(({ id }) => ({ line: id, remove: true }));
  // New lines have no id yet: several behind the same line are added from the last to the first.
  const added: LineEdit[] = [];
  let last: string | null = null;
  for (const one of theirs) {
    const { ours: line, section, done, date } = one;
    const kind = kindOf(one);
    if (line === null) {
      const said = saidIn(one.text, null, input);
      const due = date === null ? {} : { due: date };
      added.unshift({
        add: { ...said, ...due, kind, section, done: done === true, after: last },
      });
      continue;
    }
    const change = {
      ...(line.text === one.text ? {} : saidIn(one.text, line, input)),
      ...(line.kind === kind ? {} : { kind }),
      ...(line.section === section ? {} : { section }),
      ...(done === null || line.done === done ? {} : { done }),
      ...(line.date === date ? {} : { due: date }),
      ...(moved.has(listOf(line)) || line.kind !== kind || line.section !== section
        ? { after: last }
        : {}),
    };
    if (Object.keys(change).length > 0) edits.push({ line: line.id, ...change });
    last = line.id;
  }
  return [...edits, ...added];
}

/** Lines of one kind are in an order of their own; those of all sections are in one. */
const listOf = ({ kind, section }: Ours): string => (section === null ? kind : '## ');

/** Below a heading that is new a line is what it was; without its box it is no task. */
function kindOf({ kind, ours }: Item & { ours: Ours | null }): LineKind {
  if (kind !== null) return kind;
  return ours === null || ours.kind === 'task' ? 'point' : ours.kind;
}

/** What a line says, who it is about, and until when, of its text in the document. */
function saidIn(text: string, ours: Ours | null, input: DocumentsInput) {
  const { line } = ours ?? {};
  const names = [
    ...(line?.person ? [line.person] : []),
    ...input.speakers.map(({ label }) => speakerName(input, label)),
  ];
  const person = names.find((name) => text.startsWith(`${name}: `)) ?? null;
  let said = person === null ? text : text.slice(person.length + 2);
  const due = line?.due ?? null;
  const shownDue = due === null ? '' : ` (${due})`;
  const wasShown = shownDue !== '' && ours?.text.endsWith(shownDue) === true;
  const isShown = wasShown && said.endsWith(shownDue);
  if (isShown) said = said.slice(0, -shownDue.length);
  // The date stood for its full stop.
  if (isShown && line && said === line.text.replace(/\.$/u, '')) said = line.text;
  return { text: said, person, ...(wasShown && !isShown ? { due: null } : {}) };
}

import { doubtsIn } from '../../projections/recording/utterances.ts';
import { doubtLabel } from '../words/labels-of-documents.ts';
import { Scalar, stringify } from 'yaml';
import { clock } from '../shared/time.ts';
import {
  type DocumentName,
  type DocumentsInput,
  type PerDocument,
  documentPaths,
  speakerName,
  speakersOf,
  withSpeakerNames,
} from './documents.ts';
import { escapeInline, escapeLine, oneLine, sanitizeMarkdown } from './markdown.ts';
import { sayNotes } from '../words/say.ts';
import { labelsIn } from './labels.ts';
import { unsafeCharacters } from './file-names.ts';
import { type LineKind, type SummaryLine, lineKinds } from '../../events/facts/transcript.ts';
import { dueDate } from '../shared/due-date.ts';
import type { Sidenote } from '../../projections/recording/sidenotes.ts';

/** Goes up whenever the same input leads to other bytes; each save's fact says which one wrote it. */
export const rendererVersion = 8;

/**
 * The three documents as Markdown. Pure: equal input gives equal bytes, at any time, on any machine.
 * @throws {TypeError} a block's id cannot be a block id in Obsidian
 */
export function renderDocuments(input: DocumentsInput): PerDocument {
  const labels = labelsIn(input.uiLanguage);
  const paths = documentPaths(input.base);
  const backlink = `[[${input.base}]]`;
  const abstract = escapeLine(withSpeakerNames(input, input.abstract));
  const heading = `# ${escapeInline(input.title)}`;
  const headed = (label: string): string => `${heading} – ${label}`;
  const audio = input.audio == null ? '' : `![[${input.audio}]]`;

  return {
    index: document(frontMatter(input, 'index', aliasesOf(input)), [
      heading,
      abstract,
      audio,
      `- ${link(paths.transcript, labels('transcript'))}\n- ${link(paths.summary, labels('summary'))}`,
      input.source === null ? '' : `${labels('source')}: ${escapeInline(input.source)}`,
      ...renderSpeakingTimes(input),
      ...renderNotes(input),
    ]),
    transcript: document(frontMatter(input, 'transcript', [aliasWith(labels('transcript'))]), [
      backlink,
      headed(labels('transcript')),
      audio,
      ...(input.blocks.length > 0 ? [] : [`*${labels('no-speech')}*`]),
      ...renderBlocks(input),
    ]),
    summary: document(frontMatter(input, 'summary', [aliasWith(labels('summary'))]), [
      backlink,
      headed(labels('summary')),
      ...(input.lines.length > 0
        ? renderLines(input)
        : [
            withSpeakerNames(input, sanitizeMarkdown(input.summary), escapeLine) ||
              `*${labels('no-summary')}*`,
          ]),
      ...renderSidenotes(input),
    ]),
  };

  function aliasWith(label: string): string {
    return `${input.title} – ${label}`;
  }
}

/** The title is an alias as well: the file's name begins with a date and may lack characters of it. */
const aliasesOf = ({ title, aliases }: DocumentsInput): string[] => [
  ...new Set([title, ...aliases].filter((alias) => alias.trim() !== '')),
];

const document = (front: string, paragraphs: readonly string[]): string =>
  `${front}\n${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;

const link = (path: string, text: string) => `[[${path.replace(/\.md$/u, '')}|${text}]]`;

/**
 * One paragraph a block: solo `[00:01:23] text`, meeting `**Name** [00:01:23] text`. Each ends in its block
 * id, by which links, edits and later versions find it again; so neighbouring blocks are never
 * merged, not even of one speaker. Side notes stand between them.
 * @throws {TypeError} an id is not made of letters, digits and dashes
 */
const renderBlocks = (input: DocumentsInput): string[] =>
  withSidenotes(input).map((part) => {
    if ('sidenote' in part) return renderSidenote(input, part.sidenote);
    const { block } = part;
    if (!/^[A-Za-z0-9-]+$/u.test(block.id)) throw new TypeError(`not a block id: ${block.id}`);
    const speaker = input.kind === 'meeting' ? block.speaker : null;
    const name = speaker === null ? '' : `**${escapeInline(speakerName(input, speaker))}** `;
    const before = input.times ? `${name}[${clock(block.start)}] ` : name;
    const text = before === '' ? escapeLine(block.text) : before + escapeInline(block.text);
    return `${text.trimEnd()} ^${block.id}`.trimStart();
  });

/** Who spoke for how long in a meeting: a heading and a list, or nothing. */
function renderSpeakingTimes(input: DocumentsInput): string[] {
  const labels = labelsIn(input.uiLanguage);
  const speakers = input.kind === 'meeting' ? speakersOf(input) : [];
  const all = speakers.reduce((sum, { seconds }) => sum + seconds, 0);
  const lines = speakers
    .filter(({ seconds }) => seconds > 0)
    .map((speaker) => {
      const shown = linkTo(input, speaker) ?? escapeLine(speaker.name);
      const percent = labels('percent', { share: speaker.seconds / all });
      return `- ${shown}: ${clock(speaker.seconds)} (${percent})`;
    });
  return lines.length === 0 ? [] : [`## ${labels('speaking-time')}`, lines.join('\n')];
}

/** A link to the note about a person; null where there is to be none, or a note cannot have that name. */
const linkTo = (
  { links }: DocumentsInput,
  { name, isGiven }: { name: string; isGiven: boolean },
): string | null => {
  const isName =
    !unsafeCharacters.test(name) && !name.startsWith('.') && escapeInline(name) === name;
  return links && isGiven && isName ? `[[${name}]]` : null;
};

/** Doubtful passages that are linked one by one; of the others only the number is shown. */
const doubtLinksMax = 20;

/** What the index says about how this came to be: a heading and a list, or nothing. */
function renderNotes(input: DocumentsInput): string[] {
  const labels = labelsIn(input.uiLanguage);
  const remarks = sayNotes('documents', input.notes, input.uiLanguage);
  const lines = [...remarks.map(escapeInline), ...doubts(input)];
  return lines.length === 0
    ? []
    : [`## ${labels('remarks')}`, lines.map((line) => `- ${line}`).join('\n')];
}

/** Passages that may be wrong, with links to them; they stay in the transcript as they are. */
function doubts(input: DocumentsInput): string[] {
  const labels = labelsIn(input.uiLanguage);
  const doubtful = input.blocks.flatMap((block) =>
    doubtsIn(block).map(({ start, reason }) => ({ id: block.id, start, reason })),
  );
  if (doubtful.length === 0) return [];
  const transcript = documentPaths(input.base).transcript.replace(/\.md$/u, '');
  const links = doubtful.slice(0, doubtLinksMax).map(({ id, start, reason }) => {
    const label = doubtLabel(reason);
    const said = label === null ? escapeInline(reason) : labels(label);
    return `[[${transcript}#^${id}|${clock(start)}]] (${said})`;
  });
  const rest = doubtful.length - links.length;
  const all = rest > 0 ? [...links, labels('more-doubts', { count: rest })] : links;
  return [`${labels('doubts', { count: doubtful.length })} ${all.join(', ')}`];
}

/**
 * The front matter of a document, flat as Obsidian shows it, with its fences. What a person said or
 * wrote is always in double quotes, so that no reader of YAML takes a title for a date or `no` for
 * false. Links and Markdown have no meaning in it.
 */
function frontMatter(
  input: DocumentsInput,
  document: DocumentName,
  aliases: readonly string[],
): string {
  const { address = null, recordingId } = input;
  const properties = {
    title: quoted(document === 'index' ? input.title : aliases[0]!),
    aliases: aliases.map(quoted),
    // Obsidian's date and time carry no zone: the wall clock where it was recorded.
    date: input.localStart.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length),
    kind: input.kind,
    document,
    ...(input.language === null ? {} : { language: quoted(input.language) }),
    ...(input.duration === null ? {} : { duration: Math.round(input.duration) }),
    speakers: speakersOf(input).map((speaker) => quoted(linkTo(input, speaker) ?? speaker.name)),
    recording: quoted(address === null ? recordingId : `${address}/notes/${recordingId}`),
    ...(input.source === null ? {} : { source: quoted(input.source) }),
    tags: ['mitschrift'],
  };
  return `---\n${stringify(properties, { lineWidth: 0 })}---\n`;
}

function quoted(text: string): Scalar<string> {
  const scalar = new Scalar(oneLine(text));
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

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

/** A side note as people read it, before any markup. */
type ShownSidenote = { at: number; text: string; block: string | null };
type Block = DocumentsInput['blocks'][number];
type Wanted = Pick<DocumentsInput, 'sidenotes' | 'blocks' | 'uiLanguage'>;

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

/** The blocks with the side notes where they were written: each behind the block that had begun by then. */
export function withSidenotes(input: Wanted): ({ block: Block } | { sidenote: ShownSidenote })[] {
  const waiting = input.sidenotes.map((note) => shownSidenote(input, note));
  const before = (time: number) => {
    const until = waiting.findIndex(({ at }) => at >= time);
    return waiting.splice(0, until < 0 ? waiting.length : until).map((sidenote) => ({ sidenote }));
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

/** A moment without words has those of its passage. */
function shownSidenote(input: Wanted, { at, text, block, mark }: Sidenote): ShownSidenote {
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

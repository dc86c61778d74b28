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
import { renderLines, renderSidenote, renderSidenotes, withSidenotes } from './render-summary.ts';
import { escapeInline, escapeLine, oneLine, sanitizeMarkdown } from './markdown.ts';
import { sayNotes } from '../words/say.ts';
import { labelsIn } from './labels.ts';
import { unsafeCharacters } from './file-names.ts';

/** Goes up whenever the same input leads to other bytes; each save's fact says which one wrote it. */
export const rendererVersion = 12;

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
    if ('interruption' in part) return `*${escapeInline(part.interruption)}*`;
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
    ...(input.folder === undefined ? {} : { folder: quoted(input.folder) }),
    tags: ['mitschrift', ...tagsOf(input)],
  };
  return `---\n${stringify(properties, { lineWidth: 0 })}---\n`;
}

/**
 * Tags in Obsidian's alphabet: letters, digits, `_`, `-` and `/`, without blanks, and not of digits alone
 * (https://help.obsidian.md/tags).
 */
function tagsOf({ tags = [] }: DocumentsInput): Scalar<string>[] {
  const names = tags.map((name) =>
    name
      .normalize('NFC')
      .split('/')
      .map((part) =>
        part
          .split(/[^\p{L}\p{M}\p{N}_]/u)
          .filter(Boolean)
          .join('-'),
      )
      .filter(Boolean)
      .join('/'),
  );
  const usable = names
    .filter((name) => name !== '')
    .map((name) => (/^\d+$/u.test(name) ? `_${name}` : name));
  return [...new Set(usable)].filter((name) => name !== 'mitschrift').map(quoted);
}

function quoted(text: string): Scalar<string> {
  const scalar = new Scalar(oneLine(text));
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

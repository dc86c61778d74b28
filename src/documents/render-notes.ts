import { documentPaths, type DocumentsInput } from './documents.ts';
import { escapeInline, escapeLine } from './escape.ts';
import { labelsIn, type Labels } from './labels.ts';
import { clock } from './render-transcript.ts';

/** Doubtful passages that are linked one by one; of more only the number is told. */
const doubtLinksMax = 20;

/** What the index has to tell about how this came to be: a heading and a list, or nothing. */
export function renderNotes(input: DocumentsInput): string[] {
  const labels = labelsIn(input.uiLanguage);
  const lines = [...input.notes.map((note) => sentence(note, labels)), ...doubts(input, labels)];
  return lines.length === 0
    ? []
    : [`## ${labels.notes}`, lines.map((line) => `- ${line}`).join('\n')];
}

function sentence({ code, detail }: DocumentsInput['notes'][number], labels: Labels): string {
  const known = Object.hasOwn(labels.noteSentences, code) ? labels.noteSentences[code] : undefined;
  const text = known ?? escapeLine(labels.unknownNote(code));
  const shown = escapeInline(detail);
  return shown === '' ? text : `${text} (${shown})`;
}

/** Passages that may be wrong, with links to them; they stay in the transcript as they are. */
function doubts(input: DocumentsInput, labels: Labels): string[] {
  const doubtful = input.blocks.filter((block) => block.doubt !== undefined);
  if (doubtful.length === 0) return [];
  const transcript = documentPaths(input.base).transcript.replace(/\.md$/u, '');
  const links = doubtful.slice(0, doubtLinksMax).map(({ id, start, doubt = '' }) => {
    const reason = Object.hasOwn(labels.doubtReasons, doubt)
      ? labels.doubtReasons[doubt]
      : escapeInline(doubt);
    return `[[${transcript}#^${id}|${clock(start)}]] (${reason})`;
  });
  const rest = doubtful.length - links.length;
  const all = rest > 0 ? [...links, labels.moreDoubts(rest)] : links;
  return [`${labels.doubts(doubtful.length)} ${all.join(', ')}`];
}

import { documentPaths, type DocumentsInput, type PerDocument } from './documents.ts';
import { escapeInline, escapeLine } from './escape.ts';
import { frontMatter } from './front-matter.ts';
import { labelsIn } from './labels.ts';
import { renderNotes } from './render-notes.ts';
import { renderBlocks } from './render-transcript.ts';
import { tameMarkdown } from './tame-markdown.ts';

/** Goes up whenever the same input leads to other bytes; each save's fact says which one wrote it. */
export const rendererVersion = 1;

/**
 * The three documents as Markdown. Pure: equal input gives equal bytes, at any time, on any machine.
 * @throws {TypeError} a block's id cannot be a block id in Obsidian
 */
export function renderDocuments(input: DocumentsInput): PerDocument {
  const labels = labelsIn(input.uiLanguage);
  const paths = documentPaths(input.base);
  const backlink = `[[${input.base}]]`;
  const abstract = escapeLine(input.abstract);
  const heading = `# ${escapeInline(input.title)}`;

  return {
    index: document(frontMatter(input, aliasesOf(input)), [
      heading,
      abstract,
      `- ${link(paths.transcript, labels.transcript)}\n- ${link(paths.summary, labels.summary)}`,
      ...renderNotes(input),
    ]),
    transcript: document(frontMatter(input, []), [
      backlink,
      `# ${labels.transcript}`,
      ...(input.blocks.length > 0 ? renderBlocks(input) : [`*${labels.noSpeech}*`]),
    ]),
    summary: document(frontMatter(input, []), [
      backlink,
      `# ${labels.summary}`,
      tameMarkdown(input.summary) || `*${labels.noSummary}*`,
    ]),
  };
}

/** The title is an alias as well: the file's name begins with a date and may lack characters of it. */
const aliasesOf = ({ title, aliases }: DocumentsInput): string[] => [
  ...new Set([title, ...aliases].filter((alias) => alias.trim() !== '')),
];

const document = (front: string, paragraphs: readonly string[]): string =>
  `${front}\n${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;

const link = (path: string, text: string) => `[[${path.replace(/\.md$/u, '')}|${text}]]`;

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A piece of Markdown as `marked` reads it. */
export type Token = {
  type: string;
  raw: string;
  text?: string;
  depth?: number;
  task?: boolean;
  checked?: boolean;
  tokens?: Token[];
  items?: Token[];
};

/** The Markdown parser that `mermaid` is built on: CommonMark with GitHub's tables and task lists. */
const mermaidRequire = createRequire(createRequire(import.meta.url).resolve('mermaid'));
const { marked } = (await import(pathToFileURL(mermaidRequire.resolve('marked')).href)) as {
  marked: { lexer(markdown: string): Token[] };
};

/** The blocks of a document below its front matter, without the spaces between them. */
export const blocksOf = (document: string): Token[] =>
  marked.lexer(document.replace(/^---\n[^]*?\n---\n/u, '')).filter(({ type }) => type !== 'space');

/** What a reader sees of a piece, without markup. */
export const seenOf = ({ tokens, items, text, raw }: Token): string =>
  [...(tokens ?? []), ...(items ?? [])].map(seenOf).join('') || (tokens ? '' : (text ?? raw));

/** The kinds of pieces inside of one. */
export const typesIn = ({ tokens = [], items = [] }: Token): string[] =>
  [...tokens, ...items].flatMap((token) => [token.type, ...typesIn(token)]);

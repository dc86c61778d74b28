/**
 * Text as Markdown that shows exactly this text, on one line, wherever in a line it stands. Covers
 * CommonMark (a backslash before ASCII punctuation makes it literal), GFM's strikethrough, and what
 * Obsidian adds: `[[links]]`, `#tags`, `==marks==`, `%%comments%%`, `$maths$`, `^block-ids`.
 */
export function escapeInline(text: string): string {
  return (
    oneLine(text)
      .replace(/[\\`*_[\]<#^~$]/gu, '\\$&')
      // Only an entity's ampersand means something, and only a pair of these two.
      .replace(/&(?=#?\w+;)/gu, '\\&')
      .replace(/(?<==)=|(?<=%)%/gu, '\\$&')
  );
}

/** As `escapeInline`, for text that begins a line: also no list, quotation, rule or underline. */
export function escapeLine(text: string): string {
  return escapeInline(text)
    .replace(/^[-+>=]/u, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/u, '$1\\$2');
}

/** Text without line breaks, controls and broken characters; words stay as they are. */
export function oneLine(text: string): string {
  return text
    .replace(/[\s\u0085]+/gu, (space) => (/^\u00A0+$|^\u202F+$/u.test(space) ? space : ' '))
    .replace(/\p{Cc}/gu, '')
    .replace(/\p{Cs}/gu, '\uFFFD')
    .trim();
}

/** Lists nest this deep at most. */
const depthMax = 4;

/**
 * Untrusted Markdown (a language model wrote it), reduced to headings, lists and bold, with
 * everything else in it shown as text. Headings begin at the second level, below the document's.
 */
export function sanitizeMarkdown(markdown: string): string {
  /** Indents of the list items the present line is within. */
  let indents: number[] = [];
  const lines = markdown.split(/\r\n|[\n\r\u2028\u2029]/u).map((line) => {
    if (line.trim() === '') return '';
    const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(\S.*)$/u.exec(line);
    if (!item) {
      indents = [];
      return plainLine(line);
    }
    const [, space = '', mark = '', text = ''] = item;
    const indent = space.replaceAll('\t', '    ').length;
    indents = [...indents.filter((outer) => outer < indent), indent].slice(0, depthMax);
    // Four spaces a level nest below `-` and below `10.` alike; a first level is never indented,
    // so that no item becomes indented code.
    return `${'    '.repeat(indents.length - 1)}${mark.replace(/[*+]/u, '-')} ${withBold(text)}`;
  });
  return lines
    .join('\n')
    .replace(/\n{3,}/gu, '\n\n')
    .replace(/^\n+|(?<!\n)\n+$/gu, '');
}

function plainLine(line: string): string {
  const [, marks = '', text = line] = /^ {0,3}(#{1,6})\s+(\S.*)$/u.exec(line) ?? [];
  return `${marks === '' ? '' : `${'#'.repeat(Math.max(2, marks.length))} `}${withBold(text)}`;
}

/** Escapes a line but for its `**bold**`. */
function withBold(line: string): string {
  const parts = oneLine(line).split(/\*\*(?=\S)([^*]*[^*\s])\*\*/u);
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return `**${escapeInline(part)}**`;
      // Spaces beside bold text belong to the line; escaping would take them away.
      const begin = part.search(/[^ ]|$/u);
      const end = begin === part.length ? begin : part.search(/(?<! ) *$/u);
      const text = part.slice(begin, end);
      const escaped = index === 0 ? escapeLine(text) : escapeInline(text);
      return part.slice(0, begin) + escaped + part.slice(end);
    })
    .join('');
}

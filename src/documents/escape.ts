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

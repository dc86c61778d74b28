import { chartMermaid } from './mermaid-chart.ts';

const opening = '<!-- statechart -->';
const closing = '<!-- /statechart -->';

/** The text with the present statechart between its markers. @throws {Error} when they are missing. */
export function replaceChart(text: string): string {
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start < 0 || end < 0) {
    throw new Error(`machines/statechart.md lacks the markers ${opening} and ${closing}`);
  }
  const picture = `\n\n\`\`\`mermaid\n${chartMermaid()}\`\`\`\n\n`;
  return text.slice(0, start + opening.length) + picture + text.slice(end);
}

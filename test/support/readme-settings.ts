import { type SettingKey, settingKeys, settingOf } from '../../src/config/schema.ts';

const opening = '<!-- settings -->';
const closing = '<!-- /settings -->';

/** The text with the present table of settings between its markers. @throws {Error} they are missing */
export function replaceSettings(text: string): string {
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start < 0 || end < 0) {
    throw new Error(`src/config/settings.md lacks the markers ${opening} and ${closing}`);
  }
  const table = aligned([['Key', 'Default', 'Meaning'], ...settingKeys.map(row)]);
  return `${text.slice(0, start + opening.length)}\n\n${table}\n\n${text.slice(end)}`;
}

function row(key: SettingKey): string[] {
  const { fallback, fallbackText, title, hint, secret } = settingOf(key);
  const none = fallback === null || (Array.isArray(fallback) && fallback.length === 0);
  const shown =
    fallbackText?.en ?? (none ? '–' : `\`${JSON.stringify(fallback).replaceAll('"', '')}\``);
  // A hint says nothing without its title: “In MB.”
  const meaning = `**${title.en}.** ${hint.en}`;
  return [`\`${key}\``, shown, secret ? `${meaning} Secret.` : meaning];
}

/** A Markdown table as the formatter leaves it: columns as wide as their widest cell. */
function aligned(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

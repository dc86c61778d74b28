import { settingKeys, settingOf, type SettingKey } from '../../src/config/schema.ts';
import { variableOf } from '../../src/settings.ts';

const opening = '<!-- settings -->';
const closing = '<!-- /settings -->';

/** The text with the present table of settings between its markers. @throws {Error} they are missing */
export function replaceSettings(text: string): string {
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start < 0 || end < 0) {
    throw new Error(`README.md lacks the markers ${opening} and ${closing}`);
  }
  const head = ['| Key, and its variable | Default | |', '|---|---|---|'];
  const table = [...head, ...settingKeys.map(row)].join('\n');
  return `${text.slice(0, start + opening.length)}\n\n${table}\n\n${text.slice(end)}`;
}

function row(key: SettingKey): string {
  const { fallback, fallbackText, description, secret } = settingOf(key);
  const none = fallback === null || (Array.isArray(fallback) && fallback.length === 0);
  const shown =
    fallbackText ?? (none ? '–' : `\`${JSON.stringify(fallback).replaceAll('"', '')}\``);
  const kept = secret ? ' Secret.' : '';
  return `| \`${key}\`<br>\`${variableOf(key)}\` | ${shown} | ${description}${kept} |`;
}

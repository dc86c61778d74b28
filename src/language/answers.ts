import { jsonrepair } from 'jsonrepair';
import { isRecord, parsedJson } from '../shared/json.ts';

const preamble =
  /^(?:(?:sure|certainly|of course|okay|here (?:is|are)|gerne?|natürlich|selbstverständlich|hier (?:ist|sind|folgt))\b.{0,120}[:!.]|\**(?:summary|zusammenfassung|notes|notizen)\**:?\**)$/iu;
const farewell =
  /^(?:i hope|let me know|feel free|if you (?:need|want|would)|ich hoffe|lass(?:en sie)? (?:mich|es)|wenn (?:du|sie) (?:noch|weitere))\b/iu;

/**
 * A model's prose as plain text: without fences, headings, links, images, tags, invisible
 * characters, and without the phrases round it. Bold, italics and lists stay. Never HTML; still
 * escaped by the code that renders it.
 */
export function plainAnswer(answer: string): string {
  const lines = withoutMarkup(answer)
    .split('\n')
    .map((line) => line.replace(/^\s*#{1,6}\s+/u, '').trimEnd());
  const isBefore = (line: string) => line === '' || preamble.test(line.trim());
  const first = lines.findIndex((line) => !isBefore(line));
  lines.splice(0, first < 0 ? lines.length : first);
  while (lines.length > 0 && (lines.at(-1) === '' || farewell.test(lines.at(-1)!.trim())))
    lines.pop();
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
}

/** One line of plain text: no list or emphasis either, no quotes round it. `C#`, `user_id` and `a<b` are words. */
export function plainLine(answer: string): string {
  const line = withoutEmphasis(
    withoutMarkup(answer)
      .replace(/^\s*(?:[-*+]|#{1,6})\s+/u, '')
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  );
  const inner = line.replace(/^["'„“”«»‚‘’]+/u, '');
  if (inner === line) return line;
  const closed = /(?<!["'„“”«»‚‘’])["'„“”«»‚‘’]+([.,;:]?)$/u.exec(inner);
  return (closed ? inner.slice(0, closed.index) + closed[1]! : line).trim();
}

/** Without pairs of marks round words, and without one that is left at either end. */
function withoutEmphasis(line: string): string {
  const pair =
    /(?<![\p{L}\p{N}])(\*{1,3}|_{1,3}|`{1,3})(?![\s*_`])([^*`]{0,500}?[^\s*_`])\1(?![\p{L}\p{N}])/gu;
  const inner = line.replaceAll(pair, '$2').replaceAll(pair, '$2');
  return inner.replace(/^[*_`#]+(?=[\p{L}\p{N}\s])|(?<=[\p{L}\p{N}\s.,;:!?])[*_`]+$/gu, '').trim();
}

/** Elements of HTML that models write into text; attributes have a value, `a <b and c> d` has none. */
const tag =
  /<!--[^\n]{0,500}?-->|<\/?(?:a|abbr|b|big|blockquote|body|br|center|code|dd|del|div|dl|dt|em|font|h[1-6]|head|hr|html|i|iframe|img|ins|kbd|li|mark|object|ol|p|pre|q|s|samp|script|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|th|thead|think|title|tr|transcript|tt|u|ul|var|video)(?:\s+[\w-]{1,40}\s{0,3}=\s{0,3}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'|[^\s"'>]{1,500}))*\s{0,3}\/?>/giu;

const withoutMarkup = (answer: string): string =>
  answer
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(/^[^\S\r\n\u2028\u2029]*`{3,}\w*[^\S\r\n\u2028\u2029]*$/gmu, '')
    .replaceAll(/!?\[([^[\]\n]*)\]\([^)\n]{0,500}\)/gu, '$1')
    .replaceAll(tag, '')
    // Invisible characters turn text round or hide in it; the two joiners some scripts need stay.
    .replaceAll(/(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}]/gu, '')
    .replaceAll(/[\u2028\u2029]/gu, '\n');

/**
 * The JSON object a model answered with, however it is wrapped: the last balanced `{…}`, read as it
 * is or, failing that, mended (trailing commas, single quotes, comments). Undefined where there is
 * none. What it holds must still be checked: mending invents nulls for what was cut off.
 */
export function jsonObjectIn(answer: string): Record<string, unknown> | undefined {
  for (const candidate of balancedObjects(answer).toReversed()) {
    const value = parsed(candidate) ?? mended(candidate);
    if (value) return value;
  }
  return undefined;
}

/** All JSON objects of an answer, in order, read as `jsonObjectIn` reads the last. */
export const jsonObjectsIn = (answer: string): Record<string, unknown>[] =>
  balancedObjects(answer)
    .map((candidate) => parsed(candidate) ?? mended(candidate))
    .filter((value) => value !== undefined);

const names = 'think|thinking|thought|reasoning';
const closed = new RegExp(`^\\s*<(${names})>[\\s\\S]*?</\\1>`, 'iu');
const closedMistral = /^\s*\[THINK\][\s\S]*?\[\/THINK\]/iu;
const headless = new RegExp(`^(?:(?!<(?:${names})>)[\\s\\S])*?</(?:${names})>`, 'iu');
const unclosed = new RegExp(`^\\s*(?:<(?:${names})>|\\[THINK\\])[\\s\\S]*$`, 'iu');

/**
 * An answer without the thoughts before it: in tags, in tags whose opening the chat template has
 * swallowed (DeepSeek, Qwen), or in tags that never close, which leaves nothing.
 */
export function withoutThinking(answer: string): string {
  return answer
    .replace(closed, '')
    .replace(closedMistral, '')
    .replace(headless, '')
    .replace(unclosed, '')
    .trim();
}

/** Top-level `{…}` of a text, in order; braces inside of strings do not count. */
function balancedObjects(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"' && depth > 0) inString = true;
    else if (character === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (character === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, at + 1));
    }
  }
  return found;
}

function parsed(text: string): Record<string, unknown> | undefined {
  const value = parsedJson(text);
  return isRecord(value) ? value : undefined;
}

function mended(text: string): Record<string, unknown> | undefined {
  try {
    return parsed(jsonrepair(text));
  } catch {
    return undefined;
  }
}

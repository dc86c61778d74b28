import { jsonrepair } from 'jsonrepair';

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
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function mended(text: string): Record<string, unknown> | undefined {
  try {
    return parsed(jsonrepair(text));
  } catch {
    return undefined;
  }
}

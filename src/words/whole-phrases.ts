import { failures, failuresInGerman } from './failures.ts';
import type { Text, Texts } from './sentences.ts';

/**
 * What `sayWhole` says of each failure in English, with its German: for texts that still go about as English sentences
 * (checks, trials, problems). It goes when the last of them is a code.
 */
export function wholePhrases(): Record<string, string> {
  const phrases: Record<string, string> = {};
  for (const [code, { texts }] of Object.entries(failures)) {
    const german = wholes((failuresInGerman as Record<string, Texts>)[code]!);
    for (const [at, english] of wholes(texts).entries()) phrases[english] = german[at]!;
  }
  return phrases;
}

/** With and without what may be absent, and with each value of a choice. */
function wholes({ detail, todo, admin, choices }: Texts): string[] {
  const parts = [detail, todo, admin].flatMap((part) => (part === undefined ? [] : [other(part)]));
  const [name, words] = Object.entries(choices ?? {})[0] ?? [];
  const chosen = words ? Object.values(words).map((word) => [`{${name}}`, word] as const) : [null];
  return chosen.flatMap((choice) =>
    variants(parts.map((part) => (choice ? part.replace(...choice) : part)).join('\n')).map(
      (text) =>
        text
          .split('\n')
          .map((part) => part.trim())
          .filter((part) => part !== '')
          .join(' '),
    ),
  );
}

function variants(text: string): string[] {
  const clause = /\[([^[\]]*)\]/.exec(text);
  if (!clause) return [text];
  return ['', clause[1]!].flatMap((put) => variants(text.replace(clause[0], put)));
}

const other = (text: Text): string => (typeof text === 'string' ? text : text.other);

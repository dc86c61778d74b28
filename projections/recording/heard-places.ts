import { foldWord, wordsOf } from '../../src/shared/folded-words.ts';

/** How something is written, and as what it was misheard. */
export type Misheard = { readonly write: string; readonly heard: readonly string[] };

/** Where a text says something else than it should, in UTF-16 units. */
export type HeardPlace = { from: number; to: number; write: string };

/** Finds what was misheard. */
export type HeardFinder = (text: string) => HeardPlace[];

/**
 * Finds what was misheard in texts: whole words, folded as in a search, the longest first, those of the first words where
 * several say the same. Where it is written right already, nothing is found. Linear in the text, for few terms that begin alike.
 */
export function heardFinder(words: readonly Misheard[]): HeardFinder {
  const byFirst = new Map<string, Candidate[]>();
  const known = new Set<string>();
  for (const { write, heard } of words) {
    const written = tokensOf(write).map(({ folded }) => folded);
    for (const term of heard) {
      const folded = tokensOf(term).map((token) => token.folded);
      const [first] = folded;
      const key = folded.join(' ');
      if (first === undefined || known.has(key)) continue;
      known.add(key);
      byFirst.set(first, [...(byFirst.get(first) ?? []), { heard: folded, write, written }]);
    }
  }
  for (const candidates of byFirst.values())
    candidates.sort((a, b) => b.heard.length - a.heard.length);
  return (text) => (byFirst.size === 0 ? [] : found(text, byFirst));
}

/** A text with terms in place of what was misheard. */
export function textWith(text: string, places: readonly HeardPlace[]): string {
  let [written, end] = ['', 0];
  for (const { from, to, write } of places) {
    written += text.slice(end, from) + write;
    end = to;
  }
  return written + text.slice(end);
}

/** A word of a text, and its folded form. */
type Token = { folded: string; from: number; to: number };
type Candidate = { heard: readonly string[]; write: string; written: readonly string[] };

function found(text: string, byFirst: ReadonlyMap<string, Candidate[]>): HeardPlace[] {
  const tokens = tokensOf(text);
  const places: HeardPlace[] = [];
  for (let at = 0; at < tokens.length;) {
    const candidate = byFirst
      .get(tokens[at]!.folded)
      ?.find(({ heard }) => standsAt(text, tokens, at, heard));
    if (!candidate) {
      at += 1;
      continue;
    }
    const { heard, write, written } = candidate;
    const [from, to] = [tokens[at]!.from, tokens[at + heard.length - 1]!.to];
    const isRight =
      text.slice(from, to) === write || isPartOf(text, tokens, at, { heard, written });
    if (!isRight) places.push({ from, to, write });
    at += heard.length;
  }
  return places;
}

const tokensOf = (text: string): Token[] =>
  Array.from(wordsOf(text), ({ word, at }) => ({
    folded: foldWord(word),
    from: at,
    to: at + word.length,
  }));

/** Whether words stand there one after the other, with nothing between them that divides what is said. */
function standsAt(
  text: string,
  tokens: readonly Token[],
  at: number,
  words: readonly string[],
): boolean {
  if (at < 0) return false;
  return words.every((word, index) => {
    const token = tokens[at + index];
    if (token?.folded !== word) return false;
    return index === 0 || joins.test(text.slice(tokens[at + index - 1]!.to, token.from));
  });
}

const joins = /^[\s\-‐‑'’]*$/u;

/** Whether what is there is a part of the term as it is written: `Mitschrift` in `Mitschrift Service`. */
function isPartOf(
  text: string,
  tokens: readonly Token[],
  at: number,
  { heard, written }: Pick<Candidate, 'heard' | 'written'>,
): boolean {
  if (written.length <= heard.length) return false;
  for (let before = 0; before <= written.length - heard.length; before += 1)
    if (standsAt(text, tokens, at - before, written)) return true;
  return false;
}

/** Whisper reads the last 224 tokens of a prompt: in words of everyday talk, about so many characters. */
const promptCharactersMax = 800;

/** A segment that says so many terms in a row, and nothing else, is the prompt and not speech. */
const echoMin = 3;

/**
 * Terms as Whisper takes them: `… , Kubernetes, Anna Müller.`, the most useful last, since it keeps the end; null
 * without any.
 * @param terms the most useful first
 */
export function promptOf(terms: readonly string[]): string | null {
  const chosen: string[] = [];
  let characters = 0;
  for (const term of terms) {
    characters += term.length + 2;
    if (characters > promptCharactersMax) break;
    chosen.push(term);
  }
  const list = chosen.toReversed().join(', ');
  return list === '' ? null : list + '.';
}

/**
 * Terms as sherpa-onnx takes them; null without any. `:`, `#` and `@` begin scores there and `/` stands between terms.
 */
export function hotwordsOf(terms: readonly string[]): string | null {
  const taken = terms.filter((term) => !/(?:^|\s)[:#@]|\//u.test(term));
  return taken.length === 0 ? null : taken.join('/');
}

/** Whether a text says terms of the prompt and nothing else: what Whisper makes of silence. */
export function echoesTerms(text: string, terms: readonly string[]): boolean {
  const plain = (one: string) =>
    one
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const known = new Set(terms.map(plain));
  const said = text
    .split(/[,.;]/u)
    .map(plain)
    .filter((one) => one !== '');
  return said.length >= echoMin && said.every((one) => known.has(one));
}

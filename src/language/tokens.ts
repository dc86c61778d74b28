/** Scripts that cost about a token a character and are written without spaces. */
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/**
 * Tokens a text costs, estimated on the safe side: a third of its characters, one each in dense
 * scripts. No server's tokenizer is asked: each has another, and an estimate is all planning needs.
 */
export function estimatedTokens(text: string): number {
  const many = denseCharacters(text);
  return Math.ceil((text.length - many) / 3) + many;
}

/**
 * The fewest tokens a server can have counted if it saw all of the text: an eighth of the
 * characters, half of them in dense scripts. Fewer reported means it saw only part of the prompt.
 */
export function fewestTokens(text: string): number {
  const many = denseCharacters(text);
  return (text.length - many) / 8 + many / 2;
}

const denseCharacters = (text: string): number => text.match(dense)?.length ?? 0;

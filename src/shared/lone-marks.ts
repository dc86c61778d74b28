/** Marks that stand by themselves only because a recogniser gave them so. */
const mark = /^(?:(?![%&@#*_\\])\p{P})+$/u;
/** Scripts without spaces, and their marks: what stands beside them belongs to them. */
const unspacedEnd =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\u3000-\u303F\uFF00-\uFFEF]$/u;

/**
 * Words of scripts without spaces, each with the marks after it: a mark that is a word by itself
 * joins the word before it, once.
 */
export function withMarks<T extends { text: string; end: number }>(words: readonly T[]): T[] {
  const marked: T[] = [];
  for (const word of words) {
    const last = marked.at(-1);
    const belongs = last && mark.test(word.text) && unspacedEnds(last.text, word.text);
    if (!belongs) {
      marked.push(word);
    } else if (!last.text.endsWith(word.text)) {
      marked[marked.length - 1] = {
        ...last,
        text: last.text + word.text,
        end: Math.max(last.end, word.end),
      };
    }
  }
  return marked;
}

/** Texts one behind another: with a blank between them, but for scripts that have none. */
export const joinTexts = (texts: readonly string[]): string =>
  texts
    .map((text) => text.trim())
    .reduce(
      (all, text) => (all === '' || unspacedEnd.test(all) ? all + text : `${all} ${text}`),
      '',
    );

const unspacedEnds = (...texts: string[]): boolean => texts.some((text) => unspacedEnd.test(text));

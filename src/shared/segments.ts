/** Characters that are cut into segments at once. */
const chunkCharacters = 2_048;

/**
 * The segments of a text, as `Intl.Segmenter` gives them, in time that grows as the text does: V8's own iterator takes four times as
 * long for twice the text (26 s for 160,000 characters in Node 20). Each chunk begins where a segment began.
 */
export function* textSegments(
  segmenter: Intl.Segmenter,
  text: string,
): Generator<{ segment: string; index: number; isWordLike: boolean | undefined }> {
  let size = chunkCharacters;
  for (let from = 0; from < text.length;) {
    const isLast = from + size >= text.length;
    const found = Array.from(segmenter.segment(text.slice(from, from + size)));
    // The last one, and the one before it, may have been longer but for the end of the chunk.
    const whole = isLast ? found : found.slice(0, -2);
    for (const { segment, isWordLike } of whole) {
      yield { segment, index: from, isWordLike };
      from += segment.length;
    }
    // A segment that is as long as the chunk.
    size = whole.length === 0 ? size * 2 : chunkCharacters;
  }
}

/** Marks that stand by themselves only because a recogniser gave them so. */
const mark = /^(?:(?![%&@#*_\\])\p{P})+$/u;
/** Scripts without spaces, and their marks: what stands beside them belongs to them. */
const ideographic = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
const ideographs = String.raw`${ideographic}ー\u3001-\u303F\uFF00-\uFFEF`;
const spelled = String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
/** Their letters alone, for a class of characters. */
export const unspacedScripts = `${ideographic}${spelled}`;
const unspaced = new RegExp(`[${ideographs}${spelled}]`, 'u');
const unspacedEnd = new RegExp(`[${ideographs}${spelled}]$`, 'u');

/** A word: what stands between spaces; without spaces about two ideographs, or four letters of other scripts. */
const anyWord = new RegExp(
  `[${ideographs}]{1,2}|[${spelled}]{1,4}|[^\\s${ideographs}${spelled}]+`,
  'gu',
);

/** How many words a text has, about. */
export const wordCount = (text: string): number => (text.match(anyWord) ?? []).length;

/** The words of a text, each with what stands before the next: joined they are the text. */
export const textWords = (text: string): string[] =>
  (text.match(/\S+\s*/gu) ?? []).flatMap((run) => (unspaced.test(run) ? wordsInRun(run) : [run]));

/** Whether a new word begins behind a text without a space between them. */
export const beginsWord = (before: string, after: string): boolean =>
  unspacedEnd.test(before) && /^\p{L}/u.test(after);

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

/** Finds words by dictionaries, whatever its locale. */
const byDictionary = new Intl.Segmenter('en', { granularity: 'word' });

function wordsInRun(run: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of textSegments(byDictionary, run)) {
    if (isWordLike || words.length === 0) words.push(segment);
    else words[words.length - 1] += segment;
  }
  return words;
}

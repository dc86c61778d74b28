/** Seconds of speech by which the language is decided. */
const decidedBySeconds = 20;

type Heard = { index: number; start: number; end: number; language: string | null };

/**
 * The language of most of the first 20 s of speech, which the rest is recognised in; null while less was
 * recognised, and where the engine does not say. Pure: the same utterances, the same language.
 * @returns with the indexes of utterances that were taken for another language
 */
export function decidedLanguage(
  utterances: readonly Heard[],
): { language: string; others: number[] } | null {
  let seconds = 0;
  const first: Heard[] = [];
  for (const utterance of utterances) {
    if (seconds >= decidedBySeconds) break;
    first.push(utterance);
    seconds += utterance.end - utterance.start;
  }
  const language = seconds >= decidedBySeconds ? mostHeard(first) : null;
  if (language === null) return null;
  const isOther = (one: Heard) => one.language !== null && one.language !== language;
  return { language, others: utterances.filter(isOther).map(({ index }) => index) };
}

/** The language of most of the speech, by seconds. */
export function mostHeard(
  utterances: readonly { start: number; end: number; language: string | null }[],
): string | null {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of utterances) {
    if (language !== null) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  }
  const [most] = [...seconds].toSorted((a, b) => b[1] - a[1]);
  return most?.[0] ?? null;
}

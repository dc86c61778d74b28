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

/**
 * `de` → `German`; for prompts, which are in English. Without a code: the transcript's own
 * language.
 */
export function languageName(code: string | null): string {
  const locale = knownLocale(code);
  const name = locale && new Intl.DisplayNames(['en'], { type: 'language' }).of(locale);
  return name || 'the language of the transcript';
}

/** A language code that `Intl` takes; undefined for none and for nonsense. */
export function knownLocale(code: string | null): string | undefined {
  if (!code || code === 'auto') return undefined;
  try {
    return Intl.getCanonicalLocales(code)[0];
  } catch {
    return undefined;
  }
}

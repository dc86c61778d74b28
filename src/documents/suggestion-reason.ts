type Language = 'de' | 'en';

/**
 * Why a name is suggested, as a person reads it: the words it rests on in quotation marks, or a sentence. What is
 * neither a quote nor one of the codes (`projections/recording/suggest-names.ts`) is shown as it is.
 */
export function suggestionReason(reason: string | null, uiLanguage: Language): string | null {
  if (reason === null) return null;
  const quote = /^“(.*)”$/su.exec(reason)?.[1];
  if (quote !== undefined) return uiLanguage === 'de' ? `„${quote}“` : reason;
  return Object.hasOwn(sentences, reason)
    ? sentences[reason as keyof typeof sentences][uiLanguage]
    : reason;
}

const sentences = {
  'named-before': {
    de: 'in dieser Aufnahme schon so benannt',
    en: 'named before in this recording',
  },
  'named-live': {
    de: 'während der Aufnahme so genannt',
    en: 'called so while it was recorded',
  },
  'only-one-left': {
    de: 'von den angegebenen Personen als Einzige übrig',
    en: 'the only one left of the people given',
  },
  voice: {
    de: 'die Stimme klingt wie in früheren Aufnahmen',
    en: 'the voice sounds as in earlier recordings',
  },
} satisfies Record<string, Record<Language, string>>;

/** Languages that speech engines know, as far as a person is offered them. */
import { persistentJSON } from '@nanostores/persistent';

export const commonLanguages =
  'ar bg ca cs da de el en es et fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv th tr uk vi zh'.split(
    ' ',
  );

/** Languages that models speak and that browsers have no name for. */
const unnamed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { ba: 'Bashkir', bo: 'Tibetan' },
  de: { ba: 'Baschkirisch', bo: 'Tibetisch' },
};

/** What languages are called in the language of the page, by their code. */
export function languageNames(locale: string): (code: string) => string {
  const names = new Intl.DisplayNames([locale], { type: 'language', fallback: 'none' });
  return (code) => names.of(code) ?? unnamed[locale]?.[code] ?? code;
}

const recentCount = 3;
/** What was chosen last in this browser, newest first. */
const recent = persistentJSON<readonly string[]>('mitschrift.languages', []);

export const rememberLanguage = (code: string): void =>
  recent.set([code, ...recent.get().filter((other) => other !== code)].slice(0, recentCount));

export type SpokenLanguage = { code: string; name: string; isRecent: boolean };

/**
 * Those that were chosen last, then all others by name, as the language of the page calls them.
 */
export function spokenLanguages(locale: string, codes: readonly string[]): SpokenLanguage[] {
  const nameOf = languageNames(locale);
  const all = [...new Set(codes)]
    .map((code) => ({ code, name: nameOf(code), isRecent: recent.get().includes(code) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, locale));
  const first = recent.get().flatMap((code) => all.find((one) => one.code === code) ?? []);
  return [...first, ...all.filter(({ isRecent }) => !isRecent)];
}

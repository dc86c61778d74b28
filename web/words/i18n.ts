/**
 * Words of the app in the chosen language, by `@nanostores/i18n`. English stands in the `words.ts` of each
 * folder and is part of its code; another language in `words.<code>.ts` beside it, loaded when it is chosen.
 */
import {
  type ComponentsJSON,
  type TranslationsJSON,
  createI18n,
  formatter,
  localeFrom,
} from '@nanostores/i18n';
import { atom, computed } from 'nanostores';
import { persistentAtom } from '@nanostores/persistent';
import { asksPseudo, pseudoWords } from './pseudo.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** The language chosen in this browser; undefined follows the browser. */
export const chosenLanguage = persistentAtom<Language | undefined>('mitschrift.language');

/** The first of the browser's languages that there is, in whatever country it is spoken. */
const ofBrowser = atom<Language>(
  navigator.languages
    .map((tag) => languages.find((code) => code === tag.split('-')[0]!.toLowerCase()))
    .find((code) => code !== undefined) ?? 'en',
);

// Nobody is to be shown it by a link: what people install is built without it.
const isPseudo = import.meta.env.MODE !== 'production' && asksPseudo(location.search);
export const locale = isPseudo ? atom<Language>('en') : localeFrom(chosenLanguage, ofBrowser);

/** Numbers, dates and times as the language writes them, in the country that the browser names with it. */
export const format = formatter(
  computed(locale, (code) => navigator.languages.find((tag) => tag.startsWith(`${code}-`)) ?? code),
);

const isThisYear = (at: Date): boolean => at.getFullYear() === new Date().getFullYear();

/** A day; with its year where that is not this one. */
export const dayOf = computed(
  format,
  ({ time }) =>
    (at: Date, month: 'short' | 'long' = 'short', weekday?: 'long'): string =>
      time(at, { weekday, day: 'numeric', month, ...(!isThisYear(at) && { year: 'numeric' }) }),
);

/** A time of today; before it the day of any other. @param at a date, or milliseconds since 1970 */
export const momentOf = computed(
  [format, dayOf],
  ({ time }, day) =>
    (at: Date | number): string => {
      const date = new Date(at);
      const clock = time(date, { timeStyle: 'short' });
      return date.toDateString() === new Date().toDateString() ? clock : `${day(date)}, ${clock}`;
    },
);

/** Days and times by what is said of them. `at`: a date, milliseconds since 1970, or as the service writes it. */
export const dates = computed(format, ({ time }) => {
  const as =
    (options: Intl.DateTimeFormatOptions) =>
    (at: Date | number | string): string =>
      time(new Date(at), options);
  return {
    day: as({ dateStyle: 'medium' }),
    shortDay: as({ day: 'numeric', month: 'short' }),
    fullDay: as({ dateStyle: 'long' }),
    longDay: as({ day: 'numeric', month: 'long', year: 'numeric' }),
    dayOfYear: as({ day: 'numeric', month: 'long' }),
    weekday: as({ weekday: 'long', day: 'numeric', month: 'long' }),
    time: as({ timeStyle: 'short' }),
    second: as({ timeStyle: 'medium' }),
    moment: as({ dateStyle: 'medium', timeStyle: 'short' }),
    shortMoment: as({ dateStyle: 'short', timeStyle: 'short' }),
    fullMoment: as({ dateStyle: 'full', timeStyle: 'short' }),
    longMoment: as({
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
    }),
  };
});

type Module = { default: TranslationsJSON };
const others = import.meta.glob<Module>(
  '../{app,components,order,questions,recording-bar,retention,sharing,spelling,two-step,pages/*}/words.*.ts',
);

/** `i18n(folder, english)`: the folder's words, a store. A folder's name is unique. */
export const i18n = createI18n(locale, {
  get: async (code, folders) => await wordsOf(code, folders),
  preprocessors: isPseudo ? [pseudoWords] : [],
});

/** Loads the words of folders before they are shown, so that no page appears in English first. */
export async function prepareWords(folders: readonly string[]): Promise<void> {
  const code = locale.get();
  if (code === 'en') return;
  const missing = folders.filter((folder) => i18n.cache[code]?.[folder] === undefined);
  i18n.cache[code] = Object.assign({ ...i18n.cache[code] }, await wordsOf(code, missing));
}

async function wordsOf(code: string, folders: readonly string[]): Promise<ComponentsJSON> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const [, load] = Object.entries(others).find(([path]) =>
        path.endsWith(`/${folder}/words.${code}.ts`),
      ) ?? [folder, undefined];
      return [folder, load === undefined ? {} : (await load()).default] as const;
    }),
  );
  return Object.fromEntries(found);
}

/** What a translation of `english` must hold: every key, with texts for its parameters and counts. */
export type Translation<English> = {
  [Key in keyof English]: English[Key] extends string ? string : string | Record<string, string>;
};

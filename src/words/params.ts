/** Languages in which the server speaks. English decides which sentences there are. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/**
 * What a parameter of a sentence is, which decides how it is written. A code's parameters are kept in facts and sent to
 * clients, so values are plain JSON: times are RFC 3339, sizes bytes.
 */
export type ParamKind =
  | 'text'
  | 'said'
  | 'place'
  | 'bytes'
  | 'seconds'
  | 'briefSeconds'
  | 'minutes'
  | 'hours'
  | 'time'
  | 'date'
  | 'integer'
  | 'percent'
  | 'list'
  | 'or'
  | 'places'
  | 'language'
  | 'sentence'
  | 'sentences'
  | readonly string[];
/** `text?`: the parameter may be absent; the part of the sentence in `[…]` that has it is then left out. */
export type Kinds = Readonly<Record<string, ParamKind | OptionalKind>>;
export type OptionalKind = `${Exclude<ParamKind, readonly string[]>}?`;

/** A code of an area with what varies in its sentence. `area` is absent where the place that has it says which it is. */
export type Sentence = {
  area?: string;
  code: string;
  params?: Readonly<Record<string, ParamValue>>;
};
export type ParamValue = string | number | readonly string[] | Sentence | readonly Sentence[];

type ValueOf<K> = K extends readonly (infer V)[]
  ? V | readonly V[]
  : K extends `${infer Given}?`
    ? ValueOf<Given> | undefined
    : K extends 'bytes' | 'seconds' | 'briefSeconds' | 'minutes' | 'hours' | 'integer' | 'percent'
      ? number
      : K extends 'list' | 'or' | 'places'
        ? readonly string[]
        : K extends 'sentence'
          ? Sentence
          : K extends 'sentences'
            ? readonly Sentence[]
            : string;
type Absent<P extends Kinds> = {
  [Name in keyof P]: P[Name] extends OptionalKind ? Name : never;
}[keyof P];
/** The values that a sentence with these parameters needs. */
export type Values<P extends Kinds> = {
  readonly [Name in Exclude<keyof P, Absent<P>>]: ValueOf<P[Name]>;
} & { readonly [Name in Absent<P>]?: ValueOf<P[Name]> };

/**
 * Free text is cut there: names, and what a server said. A path or an address is of no use when it is cut: it may be as long
 * as the longest path of Linux.
 */
const charactersMax = { text: 120, said: 300, place: 4096 } as const;
/** Longer words are cut. */
const wordMax = 40;
/** Of a list, at most as many are named. */
const namedMax = 10;

/**
 * A value as a language writes it. @returns undefined for a choice and a sentence, whose words stand in the catalogue,
 * and for a value that is not of its kind (a fact of another release may hold one)
 */
export function written(
  kind: ParamKind,
  value: ParamValue,
  language: Language,
): string | undefined {
  if (typeof kind !== 'string' || kind === 'sentence' || kind === 'sentences') return undefined;
  if (kind === 'list' || kind === 'or' || kind === 'places')
    return Array.isArray(value)
      ? namesListed(value as readonly string[], kind, language)
      : undefined;
  if (typeof value === 'object') return undefined;
  if (kind === 'text' || kind === 'said' || kind === 'place')
    return oneLine(String(value), charactersMax[kind]);
  if (kind === 'time' || kind === 'date') return moment(String(value), kind, language);
  if (kind === 'language') return languageName(String(value), language);
  return typeof value === 'number' && Number.isFinite(value)
    ? quantity(kind, value, language)
    : undefined;
}

const numbers = new Map<string, Intl.NumberFormat>();
function numberFormat(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = language + JSON.stringify(options);
  const format = numbers.get(key) ?? new Intl.NumberFormat(localeOf[language], options);
  numbers.set(key, format);
  return format;
}

const localeOf = { en: 'en-GB', de: 'de' } as const satisfies Record<Language, string>;

function quantity(
  kind: 'bytes' | 'seconds' | 'briefSeconds' | 'minutes' | 'hours' | 'integer' | 'percent',
  value: number,
  language: Language,
): string {
  if (kind === 'integer') return numberFormat(language, {}).format(value);
  if (kind === 'percent')
    return numberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(value);
  if (kind === 'bytes') return size(value, language);
  if (kind === 'briefSeconds') return briefly(value, language);
  return numberFormat(language, {
    style: 'unit',
    unit: kind.slice(0, -1),
    unitDisplay: 'long',
    maximumFractionDigits: 1,
  }).format(value);
}

/** As tables and brackets have it: 3.2 s, 1 min 15 s. */
function briefly(seconds: number, language: Language): string {
  const minutes = Math.floor(seconds / 60);
  const digits = { maximumFractionDigits: minutes > 0 ? 0 : 1 };
  const rest = `${numberFormat(language, digits).format(seconds - minutes * 60)}\u00A0s`;
  return minutes > 0 ? `${minutes}\u00A0min ${rest}` : rest;
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** In steps of 1,024, as the limits in the settings count, with three digits. */
function size(bytes: number, language: Language): string {
  let value = bytes;
  let step = 0;
  // 1,000 bytes are no 0.977 KB, but 1,010 MB are 0.986 GB.
  while (Math.abs(value) >= (step === 0 ? 1024 : 1000) && step < units.length - 1) {
    value /= 1024;
    step += 1;
  }
  const digits = step === 0 ? {} : { maximumSignificantDigits: 3 };
  const byte = language === 'de' ? 'Byte' : pluralOfBytes(bytes);
  const unit = step === 0 ? byte : units[step]!;
  return `${numberFormat(language, digits).format(value)} ${unit}`;
}

const pluralOfBytes = (bytes: number): string => (bytes === 1 ? 'byte' : 'bytes');

function moment(value: string, kind: 'time' | 'date', language: Language): string | undefined {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return undefined;
  if (kind === 'date')
    return new Intl.DateTimeFormat(localeOf[language], { dateStyle: 'long' }).format(date);
  const time = new Intl.DateTimeFormat(localeOf[language], { timeStyle: 'short' }).format(date);
  return language === 'de' ? `${time} Uhr` : time;
}

const more = {
  en: (count: number) => `${count} more`,
  de: (count: number) => `${count} weitere`,
} as const satisfies Record<Language, (count: number) => string>;

/** Names or places with commas between, and “and” or “or” before the last. */
export function namesListed(
  names: readonly string[],
  kind: 'list' | 'or' | 'places',
  language: Language,
): string {
  const most = charactersMax[kind === 'places' ? 'place' : 'text'];
  const shown = names.slice(0, namedMax).map((name) => oneLine(name, most));
  if (names.length > namedMax) shown.push(more[language](names.length - namedMax));
  const type = kind === 'or' ? 'disjunction' : 'conjunction';
  return new Intl.ListFormat(localeOf[language], { type }).format(shown);
}

function languageName(tag: string, language: Language): string {
  try {
    return new Intl.DisplayNames(localeOf[language], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return oneLine(tag, charactersMax.text); // no tag of a language
  }
}

/** On one line, so that nobody's text looks like a sentence of ours; what is cut ends behind a word, if one ends near. */
function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line.length <= most) return line;
  const wordEnd = line.lastIndexOf(' ', most);
  // Half a character would be none.
  const kept = line.slice(0, wordEnd > most - wordMax ? wordEnd : most).replace(/\p{Cs}$/u, '');
  return `${kept.trimEnd()}…`;
}

import {
  type ParamKind,
  type Kinds,
  type Language,
  type ParamValue,
  type Sentence,
  type Values,
  namesListed,
  written,
} from './params.ts';

/** A text, or two of which `count` chooses by the language's plural. `{name}` is a parameter; `[…]` goes where one in it is absent. */
export type Text = string | Readonly<{ one: string; other: string }>;
/**
 * What a sentence says: `detail` to everyone, `todo` on pages alone (a document outlives it), `admin` to administrators,
 * in Health and on the command line. `title` and `choices` (the words of each value of a choice) where it has them.
 */
export type Texts = Readonly<{
  title?: Text;
  detail: Text;
  todo?: Text;
  admin?: Text;
  choices?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}>;
/** What people are asked to do about what only an administrator can mend. Administrators are not sent to themselves. */
export const tellAdministrator = {
  en: 'Tell an administrator.',
  de: 'Informieren Sie einen Administrator.',
} as const satisfies Readonly<Record<Language, string>>;

export type WordEntry<P extends Kinds = Kinds, T extends Texts = Texts> = {
  readonly params: P;
  readonly texts: T;
};
export type WordCatalogue = Readonly<Record<string, WordEntry>>;

type Named<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Named<Rest> : never;
/** The first line is for the compiler, which compares overloads with `any` in them. */
type NamedIn<T> = unknown extends T
  ? never
  : T extends string
    ? Named<T>
    : T extends object
      ? NamedIn<T[keyof T]>
      : never;
type ChoiceNames<P extends Kinds> = {
  [Name in keyof P]: P[Name] extends readonly string[] ? Name : never;
}[keyof P];
/** Every choice needs its words; every name in a text has to be a parameter. */
type Checked<P extends Kinds, T> = ([ChoiceNames<P>] extends [never]
  ? unknown
  : {
      choices: {
        [Name in ChoiceNames<P>]: Record<
          P[Name] extends readonly (infer V extends string)[] ? V : never,
          string
        >;
      };
    }) &
  ([Exclude<NamedIn<T>, keyof P>] extends [never]
    ? unknown
    : { noSuchParameter: Exclude<NamedIn<T>, keyof P> });

/** What a catalogue holds of a code: the `detail` alone, or several parts. */
export type Given = string | Texts;
export const textsIn = (given: Given): Texts =>
  typeof given === 'string' ? { detail: given } : given;
type PartsOf<G extends Given> = G extends string ? { readonly detail: G } : G;

const none = {};
/** An entry of the English catalogue: its parameters with their kinds, if it has some, and its words. */
export function says<const G extends Given>(
  given: G & Checked<typeof none, G>,
): WordEntry<typeof none, PartsOf<G>>;
export function says<const P extends Kinds, const G extends Given>(
  params: P,
  given: G & Checked<P, G>,
): WordEntry<P, PartsOf<G>>;
export function says(...all: [Given] | [Kinds, Given]): WordEntry {
  const [params, given] = all.length === 1 ? [none, all[0]] : all;
  return { params, texts: textsIn(given) };
}

type Prefixed<P extends string, T> = {
  readonly [Code in keyof T & string as `${P}-${Code}`]: T[Code];
};
/** Entries under names that begin with what they are of, so that one list serves several. */
export const prefixed = <const P extends string, T extends object>(
  prefix: P,
  entries: T,
): Prefixed<P, T> =>
  Object.fromEntries(
    Object.entries(entries).map(([code, entry]) => [`${prefix}-${code}`, entry]),
  ) as Prefixed<P, T>;

/** What a catalogue of another language has: the same codes, parts and choices as the English one. */
export type Words<C extends WordCatalogue> = {
  readonly [Code in keyof C]: TextsLike<C[Code]['texts']>;
};
type TextsLike<T> =
  | {
      readonly [Part in keyof T]: T[Part] extends Text
        ? Text
        : { readonly [Name in keyof T[Part]]: { readonly [Value in keyof T[Part][Name]]: string } };
    }
  | (keyof T extends 'detail' ? string : never);

/** A code of a catalogue with the parameters that its sentence has: what facts hold and clients are sent. */
export type SentenceOf<C extends WordCatalogue, Code extends keyof C = keyof C> = Sentence & {
  code: Code & string;
};
/** The parameters of a code; none are left out where it has none. */
export type ParamsOf<E extends WordEntry> =
  object extends Values<E['params']>
    ? [params?: Values<E['params']>]
    : [params: Values<E['params']>];

/** Makes the sentences of a catalogue. An unknown code or a missing parameter does not compile. */
export const sayingsOf =
  <C extends WordCatalogue>(_: C, area: string) =>
  <Code extends keyof C & string>(
    code: Code,
    ...[params]: ParamsOf<C[Code]>
  ): SentenceOf<C, Code> => {
    const given = Object.entries(params ?? {}).filter(([, value]) => value !== undefined);
    return {
      area,
      code,
      ...(given.length > 0 && { params: Object.fromEntries(given) as Record<string, ParamValue> }),
    };
  };

/** A sentence as it is read, by its parts. */
export type Spoken = { title?: string; detail: string; todo?: string; admin?: string };

/** How a catalogue says a sentence. */
export type Speech = {
  language: Language;
  /** What a sentence within a sentence says. */
  within: (sentence: Sentence) => string | undefined;
};

/**
 * A sentence by its entry, in the words of a language.
 * @param texts the language's own; those of `entry` are English
 */
export function spoken(
  entry: WordEntry,
  texts: Texts,
  params: Readonly<Record<string, ParamValue>>,
  speech: Speech,
): Spoken {
  const values = new Map<string, string>();
  const write = (name: string): string | undefined => {
    const kind = entry.params[name];
    const value = params[name];
    if (kind === undefined || value === undefined) return undefined;
    const plain = (typeof kind === 'string' ? kind.replace('?', '') : kind) as ParamKind;
    if (typeof plain !== 'string') return chosen(texts.choices?.[name] ?? {}, value);
    if (plain === 'sentence')
      return typeof value === 'object' && 'code' in value ? speech.within(value) : undefined;
    if (plain === 'sentences')
      return (value as readonly Sentence[]).map((one) => speech.within(one) ?? one.code).join('; ');
    return written(plain, value, speech.language);
  };
  /** The words of a value, or of several. */
  const chosen = (words: Readonly<Record<string, string>>, value: ParamValue) => {
    const named = [value]
      .flat()
      .flatMap((one) =>
        typeof one === 'string' && Object.hasOwn(words, one) ? (words[one] ?? []) : [],
      );
    if (named.length === 0) return undefined;
    return namesListed(
      named.map((one) => filled(one, write)),
      'list',
      speech.language,
    );
  };
  const value = (name: string): string | undefined => {
    const known = values.get(name) ?? write(name);
    if (known !== undefined) values.set(name, known);
    return known;
  };
  const part = (text: Text): string => {
    if (typeof text === 'string') return filled(text, value);
    const count = Number(params['count']);
    return filled(pluralOf(speech.language, count) === 'one' ? text.one : text.other, value);
  };
  const { title, todo, admin } = texts;
  return {
    detail: part(texts.detail),
    ...(title !== undefined && { title: part(title) }),
    ...(todo !== undefined && { todo: part(todo) }),
    ...(admin !== undefined && { admin: part(admin) }),
  };
}

const plurals = new Map<Language, Intl.PluralRules>();
function pluralOf(language: Language, count: number): Intl.LDMLPluralRule {
  const rules = plurals.get(language) ?? new Intl.PluralRules(language);
  plurals.set(language, rules);
  return rules.select(count);
}

/** Parameters filled in; a part in `[…]` goes if one in it is absent; an absent one elsewhere leaves nothing. */
function filled(text: string, value: (name: string) => string | undefined): string {
  const whole = text.replaceAll(/\[([^[\]]*)\]/g, (_, clause: string) =>
    [...clause.matchAll(named)].every(([, name = '']) => value(name) !== undefined) ? clause : '',
  );
  return whole
    .replaceAll(named, (_, name: string) => value(name) ?? '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

const named = /\{(\w+)\}/g;

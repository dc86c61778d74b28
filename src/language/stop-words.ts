import { deu, eng } from 'stopword';

/** Words that speech is full of and the lists, made for writing, lack. */
const spoken = {
  de: 'äh ähm hm ja nee nö halt eben mal so also genau okay ok quasi sozusagen irgendwie einfach eigentlich glaube denke sage sagen gesagt mehr haben habe hat gibt wäre würde machen mache macht',
  en: "uh um er hm yeah yes no okay ok so well like just really kind sort actually basically think know mean going gonna get got thing things right would could should have has had it's that's i'm we're don't there's let's",
};

const lists = {
  de: new Set([...deu, ...spoken.de.split(' ')]),
  en: new Set([...eng, ...spoken.en.split(' ')]),
};

export type StopLanguage = keyof typeof lists;

/**
 * The words that say nothing by themselves, in lower case: of the language, or of both when it is
 * neither.
 */
export function stopWords(language: string | null): ReadonlySet<string> {
  const code = language?.slice(0, 2).toLowerCase();
  return code === 'de' || code === 'en' ? lists[code] : either;
}

const either = new Set([...lists.de, ...lists.en]);

/** Articles, pronouns and prepositions of which one language has many and the other has none. */
const telling: Record<StopLanguage, ReadonlySet<string>> = {
  de: new Set(
    'der die das und ist nicht ein eine zu den mit für auf von wird sich dass es auch'.split(' '),
  ),
  en: new Set(
    'the and is not a of to with for on that it they are was this be as by have'.split(' '),
  ),
};

/** German or English, when a text is clearly one of them; null for others and for few words. */
export function languageOf(text: string): StopLanguage | null {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const count = (code: StopLanguage) => words.filter((word) => telling[code].has(word)).length;
  const [german, english] = [count('de'), count('en')];
  const least = Math.max(4, words.length / 12);
  if (german >= least && german > 3 * english) return 'de';
  return english >= least && english > 3 * german ? 'en' : null;
}

import { textSegments } from '../shared/segments.ts';
import { streamSafe } from '../shared/stream-safe.ts';
import { knownLocale, stopWords } from './sentences.ts';

/** Words shorter than this have no forms that could be told from other words. */
export const formLettersMin = 4;

const endingMax = 3;

/** Whether two words are the same but for an ending of three letters at most. */
export function isFormOf(word: string, other: string): boolean {
  if (word === other) return true;
  const stem = Math.max(formLettersMin, Math.max(word.length, other.length) - endingMax);
  return (
    word.slice(0, stem) === other.slice(0, stem) && Math.min(word.length, other.length) >= stem
  );
}

export const wordSegmenter = (language: string | null) =>
  new Intl.Segmenter(knownLocale(language), { granularity: 'word' });

/** The words of a text, as they are compared. */
export function comparedWords(
  text: string,
  language: string | null,
  by = wordSegmenter(language),
): string[] {
  return Array.from(textSegments(by, streamSafe(text).normalize('NFKC').toLowerCase()))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}

/** The words of a text that mean something, each in the first of its forms. */
export function contentIn(text: string, language: string | null): string[] {
  const stop = stopWords(language);
  return comparedWords(text, language)
    .filter((word) => word.length > 1 && !stop.has(word))
    .filter((word, at, all) => !all.slice(0, at).some((earlier) => isFormOf(word, earlier)));
}

/** The numbers of a text, with their points, commas and colons. */
export const numbersIn = (text: string): string[] =>
  streamSafe(text)
    .normalize('NFKC')
    .match(/\d+(?:[.,:]\d+)*/gu) ?? [];

/** So many letters of a word tell what it is about, also within a compound: `Budget` in `Jahresbudget`. */
const lettersOfCompound = 5;

/**
 * Whether two texts have so many words that mean something in common. True where one of them has no such word, since
 * nothing can be said then.
 */
export function sharesContent(
  text: string,
  source: string,
  { language, least = 1 }: { language: string | null; least?: number },
): boolean {
  const said = new Set([...contentIn(source, language), ...numbersIn(source)]);
  if (said.size === 0) return true;
  const words = [...contentIn(text, language), ...numbersIn(text)];
  const holds = (one: string, other: string) =>
    (one.length >= lettersOfCompound || /\p{Script=Han}/u.test(one)) && other.includes(one);
  const shared = words.filter(
    (word) =>
      said.has(word) ||
      [...said].some((other) => isFormOf(word, other) || holds(word, other) || holds(other, word)),
  );
  return new Set(shared).size >= least;
}

/** How people greet, thank and part, by language; what begins a sentence. */
const beginnings: Readonly<Record<string, string>> = {
  de: "guten (?:morgen|tag|abend)|(?:herzlich )?willkommen|hallo|servus|moin|gr(?:ü|ue)(?:ß|ss) (?:gott|euch|dich)|gr(?:ü|ue)ezi|mein name ist|ich hei(?:ß|ss)e|schön,? dass|(?:vielen|herzlichen|besten|schönen) dank|danke|tschüss?|auf wiedersehen|bis (?:dann|bald|später|morgen|nächste woche|zum nächsten mal)|(?:einen )?schönen (?:tag|abend|feierabend|urlaub)|schönes wochenende|mach(?:t|en sie)?[' ]?s gut|das war'?s",
  en: "good (?:morning|afternoon|evening)|(?:and )?welcome|hello|hi|hey|my name is|nice to (?:meet|see) you|(?:many )?thanks|thank you|bye|goodbye|see you|take care|have a (?:nice|good|great)|cheers|that's all",
  es: 'buenos días|buenas (?:tardes|noches)|hola|bienvenid\\p{L}+|(?:muchas )?gracias|adiós|hasta (?:luego|mañana|pronto)|me llamo',
  fr: "bonjour|bonsoir|salut|bienvenue|(?:un grand )?merci|au revoir|à (?:bientôt|demain)|bonne (?:journée|soirée)|je m'appelle",
  it: 'buongiorno|buonasera|ciao|benvenut\\p{L}+|(?:molte |mille )?grazie|arrivederci|a (?:presto|domani)|mi chiamo',
  nl: 'goede(?:morgen|middag|navond)|hallo|welkom|(?:hartelijk )?dank|bedankt|tot (?:ziens|morgen|straks)|mijn naam is',
  pt: 'bom dia|boa (?:tarde|noite)|olá|bem-vind\\p{L}+|(?:muito )?obrigad[oa]|até (?:logo|amanhã)|meu nome é',
};

const begins = new RegExp(
  `^(?:(?:so|ja|well|okay|ok|gut|right|also|und|and)[,.]? )?(?:${Object.values(beginnings).join('|')})(?![\\p{L}\\p{N}])`,
  'iu',
);

/** What else such a sentence says: a name, “all of you”, “for coming”. */
const wordsBeside = 2;

/** Whether a sentence only greets, introduces, thanks or says goodbye: nothing of a talk is lost without it. */
export function isCourtesy(sentence: string, language: string | null): boolean {
  const plain = sentence
    .replaceAll('’', "'")
    .trim()
    .replace(/^[^\p{L}\p{N}]+/u, '');
  const beginning = begins.exec(plain)?.[0];
  if (beginning === undefined || /\p{N}/u.test(plain)) return false;
  const rest = plain.slice(beginning.length);
  return contentIn(rest, language).filter((word) => !company.has(word)).length <= wordsBeside;
}

/** Whom one greets. */
const company = new Set(
  'all alle allen zusammen everyone everybody folks team leute liebe kollegen kolleginnen ladies gentlemen damen herren tous todos tutti iedereen guten morgen good hallo hello'.split(
    ' ',
  ),
);

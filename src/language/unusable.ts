import { repeats } from '../shared/repeated-words.ts';
import type { FaultOfAnswer } from '../words/failures-of-language.ts';
import { knownLocale } from './sentences.ts';
import { spokenWords } from './spoken-words.ts';

type AskedText = {
  /** What was asked: its instructions, without the data. */
  instructions: string;
  /** What the answer must not repeat; empty where it may. */
  read: string;
  /** What the answer is about: tells the language where none was asked for. */
  source: string;
  /** ISO 639-1 code that was asked for; null for the language of what was read. */
  language: string | null;
  /** The language of what was read; null where it is not known; where left out the one that was asked for. */
  spoken?: string | null;
  /** Whether a refusal can look like this answer; where left out it can. */
  mayRefuse?: boolean;
};

/** So many words in a row that were read, or that were asked, are not an answer's own. */
const echoWords = { least: 40, most: 80, share: 0.6 };

const instructionWords = 10;

/** An answer that stands word for word in a talk so many times its length is no summary of it. */
const excerptShare = 5;

/**
 * Why a model's text is neither a summary nor a title; null when nothing speaks against it.
 */
export function whyUnusable(
  text: string,
  { instructions, read, source, language, spoken = language, mayRefuse = true }: AskedText,
): FaultOfAnswer | null {
  if (text.includes('\uFFFD')) return 'unreadable';
  const words = wordsOf(text);
  if (repeats(words)) return 'repeats-itself';
  if (mayRefuse && declines(text)) return 'declines';
  if (sharesRun(words, wordsOf(instructions), instructionWords)) return 'repeats-task';
  const readWords = wordsOf(read);
  // Who obeys an order in the talk repeats a few words of it, and nothing else.
  const isExcerpt = words.length * excerptShare <= readWords.length;
  if (words.length > 0 && isExcerpt && sharesRun(words, readWords, words.length))
    return 'repeats-text';
  const run = Math.floor(readWords.length * echoWords.share);
  if (sharesRun(words, readWords, Math.min(echoWords.most, Math.max(echoWords.least, run))))
    return 'repeats-text';
  return isForeign(text, { language, spoken, source }) ? 'other-language' : null;
}

/*
 * Which language and script a text is in, as far as it takes to tell that a model answered in another
 * one than it was asked for.
 */

/** Words of which one language has many and the others here have few, in lower case. */
const telling = new Map(
  Object.entries({
    de: 'der die das und ist nicht ein eine zu mit für auf von wird sich dass auch im den es um sie wir',
    en: 'the and is not of to with for that they are was this have by from on it as be',
    fr: 'le la les des est pas une dans pour qui sur avec sont nous ils cette du et au ont',
    es: 'el los las una por con para del se más pero está son y en que lo su muy',
    it: 'il gli che di è non una per con sono della nel anche questo alla si del i ha le',
    pt: 'os não uma por com para que do da em são mais ao dos na no é foi',
    nl: 'de het een en van niet dat op voor met zijn wordt ook aan er is te in hebben bij',
    sv: 'och att det som är inte för med den till har av på ett kan vi ska om',
    da: 'og at det er ikke for med til har af på et den som kan vi om blev',
    pl: 'nie się na że do jest to jak ale przez dla jego oraz był są czy w z i',
  }).map(([code, words]) => [code, new Set(words.split(' '))]),
);

/** Codes of languages that read alike. */
const alike: Readonly<Record<string, string>> = { nb: 'da', nn: 'da', no: 'da' };

/** Scripts (ISO 15924) by their letters; Japanese is recognised by its kana. */
const scripts = Object.entries({
  Latn: /\p{Script=Latin}/gu,
  Cyrl: /\p{Script=Cyrillic}/gu,
  Grek: /\p{Script=Greek}/gu,
  Arab: /\p{Script=Arabic}/gu,
  Hebr: /\p{Script=Hebrew}/gu,
  Deva: /\p{Script=Devanagari}/gu,
  Thai: /\p{Script=Thai}/gu,
  Kore: /\p{Script=Hangul}/gu,
  Geor: /\p{Script=Georgian}/gu,
  Armn: /\p{Script=Armenian}/gu,
});

const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

const han = /\p{Script=Han}/gu;

/** Fewer letters tell no script: a title may be a name. */
const lettersMin = 12;

const charactersMax = 20_000;

/** One word that two languages share may stand there often. */
const kindsMin = 3;

/**
 * Whether a text is clearly in another language or script than was asked for.
 * @param asked.language ISO 639-1 code; null for the language of the source
 */
function isForeign(
  text: string,
  asked: Pick<AskedText, 'language' | 'source'> & { spoken: string | null },
): boolean {
  const source = asked.source.slice(0, charactersMax);
  const script = scriptOf(text);
  // One language may be written in two scripts: where it is the talk's own, the talk tells.
  const expectedScript = isTranslated(asked.language, asked.spoken)
    ? scriptOfLanguage(asked.language)
    : scriptOf(source);
  if (script !== null && expectedScript !== null && script !== expectedScript) return true;
  const expected = codeOf(asked.language) ?? languageOf(source);
  const written = languageOf(text);
  if (expected === null || written === null || written === expected) return false;
  // A language that is not known here may read like a neighbour; English is what models fall back to.
  return telling.has(expected) || written === 'en';
}

/** The language of a text, when it is clearly one of those known here; null for few words. */
export function languageOf(text: string): string | null {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = [...telling].map(([code, list]) => {
    const found = words.filter((word) => list.has(word));
    return { code, count: found.length, kinds: new Set(found).size };
  });
  const [first, second] = counts.toSorted((one, other) => other.count - one.count);
  const least = Math.max(4, words.length / 8);
  if (!first || first.count < least || first.kinds < kindsMin) return null;
  return first.count >= 1.5 * (second?.count ?? 0) ? first.code : null;
}

/** Whether a text is wanted in another language than was spoken, as far as one knows; null: in the same. */
export const isTranslated = (language: string | null, spoken: string | null): boolean =>
  codeOf(language) !== null && codeOf(language) !== codeOf(spoken);

const wordsOf = (text: string): string[] => spokenWords(text, null).map(({ word }) => word);

/** Whether so many words in a row stand in the other text, too. Looks at every tenth beginning. */
function sharesRun(words: readonly string[], others: readonly string[], length: number): boolean {
  if (words.length < length || others.length < length) return false;
  const text = ` ${others.join(' ')} `;
  const step = Math.ceil(length / 8);
  for (let start = 0; start + length <= words.length; start += step) {
    if (text.includes(` ${words.slice(start, start + length).join(' ')} `)) return true;
  }
  return false;
}

/**
 * A “cannot” of the model's own in the first sentence, of something that only a model says of itself; of a short answer
 * also behind it. “Unfortunately the AI project is late” is what was said.
 */
function declines(text: string): boolean {
  const start = text.replaceAll('’', "'").slice(0, 300);
  const [first = '', ...rest] = start.split(/(?<=[.!?:])\s+/u);
  if (asksForText.test(first)) return true;
  if (beginsDeclining.test(first) && ownInability.test(first) && aboutItself.test(first))
    return true;
  if (text.length > shortCharacters) return false;
  return rest.some((sentence) => refusesItself.test(sentence) && aboutItself.test(sentence));
}

/** A refusal is no longer, as a rule. */
const shortCharacters = 300;

/** Asks for what it was given. */
const asksForText =
  /^(?:[\p{L} ]{1,20}[,!.] +)?(?:please (?:provide|share|paste|send)|could you (?:please )?(?:provide|share|paste|send)|(?:it (?:looks|seems) like |there is |there's )no (?:transcript|text)\b(?! of)|it (?:looks|seems) like you (?:didn't|haven't)\b.{0,60}\b(?:transcript|text)\b|no (?:transcript|text) (?:was|has been)|the (?:provided )?(?:transcript|text) (?:is|was|appears to be|seems to be) (?:empty|missing|not (?:provided|included))|bitte (?:gib|geben|stell\p{L}*|send\p{L}*|füg\p{L}*|teil\p{L}*) (?:sie )?(?:mir )?(?:das|den|ein(?:en)?) (?:transkript|text)|(?:es wurde |es gibt )?kein (?:transkript|text) (?:angegeben|übergeben|vorhanden))/iu;

const refusesItself =
  /^["“*\s]*(?:i'm sorry|i am sorry|i (?:can't|cannot|am unable|won't)|as an? (?:ai|language model)|es tut mir leid|als (?:ki|sprachmodell)|ich kann (?:leider )?nicht)/iu;

const beginsDeclining =
  /^["“*\s]*(?:i'm sorry|i am sorry|sorry\b|i apologi[sz]e|my apologies|unfortunately|as an? (?:ai|language model)|i (?:can't|cannot|can not|could not|couldn't|am unable|am not able|won't|will not|don't have)|i'm (?:unable|not able|just an?)|es tut mir leid|tut mir leid|entschuldig|leider|als (?:ki|sprachmodell)|ich kann|ich bin (?:nicht in der lage|ein|nur)|je suis désolé|désolé|je ne peux|lo siento|no puedo|mi dispiace|non posso|desculpe|não posso|het spijt me|ik kan)/iu;

/** Whoever answers says that they cannot. */
const ownInability =
  /\b(?:i|i'm|i am) ?(?:can't|cannot|can not|could not|couldn't|unable|am unable|not able|am not able|won't|will not|don't have|just)|as an? (?:ai|language model)|als (?:ki|sprachmodell)|(?:ich kann|kann ich|ich bin|bin ich)\b.{0,300}\b(?:nicht|kein\p{L}*|nur|ki|sprachmodell)|je ne (?:peux|suis)|no puedo|non posso|não posso|ik kan/iu;

const aboutItself =
  /\b(?:language model|ai|assist|help with|help you|that request|your request|process|provided|transcripts?|summar\w*|fulfil\w*|comply|sprachmodell|ki|helfen|anfrage|transkript\w*|zusammenfass\w*|verarbeiten|modèle de langage|transcription|résum\w*|modelo de lenguaje|transcripción|resum\w*|modello linguistico|trascrizione|riassum\w*|taalmodel|samenvat\w*)\b/iu;

/** The code that `languageOf` has for a language; null for `auto` and for none. */
function codeOf(language: string | null): string | null {
  const code = language?.toLowerCase().split('-')[0];
  if (code === undefined || code === 'auto') return null;
  return alike[code] ?? code;
}

/** The script that a language is written in, as a rule; null where it is none of those known here. */
function scriptOfLanguage(language: string | null): string | null {
  const locale = knownLocale(language);
  const script = locale === undefined ? null : (new Intl.Locale(locale).maximize().script ?? null);
  if (script === 'Hans' || script === 'Hant') return chinese;
  return script === japanese || scripts.some(([name]) => name === script) ? script : null;
}

const chinese = 'Hani';
const japanese = 'Jpan';

function scriptOf(text: string): string | null {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const [ofHan, ofKana] = [count(han), count(kana)];
  const cjk = { name: ofKana * 20 > ofHan ? japanese : chinese, letters: ofHan + ofKana };
  const all = [...scripts.map(([name, pattern]) => ({ name, letters: count(pattern) })), cjk];
  const sum = all.reduce((letters, one) => letters + one.letters, 0);
  const most = all.reduce((best, one) => (one.letters > best.letters ? one : best));
  return sum >= lettersMin && most.letters > 0.6 * sum ? most.name : null;
}

import { repeats } from '../shared/repeated-words.ts';
import { spokenWords } from './spoken-words.ts';
import { isForeign } from './tongues.ts';

export type AskedText = {
  /** What was asked: its instructions, without the data. */
  instructions: string;
  /** What the answer must not repeat; empty where it may. */
  read: string;
  /** What the answer is about: tells the language where none was asked for. */
  source: string;
  /** ISO 639-1 code that was asked for; null for the language of what was read. */
  language: string | null;
};

/** So many words in a row that were read, or that were asked, are not an answer's own. */
const echoWords = { least: 40, most: 80, share: 0.6 };
const instructionWords = 10;
/** An answer that stands word for word in a talk so many times its length is no summary of it. */
const excerptShare = 5;

/**
 * Why a model's text is neither a summary nor a title: the end of the sentence “The answer
 * …”. Null when nothing speaks against it.
 */
export function whyUnusable(
  text: string,
  { instructions, read, source, language }: AskedText,
): string | null {
  if (text.includes('\uFFFD')) return 'holds characters that cannot be read';
  const words = wordsOf(text);
  if (repeats(words)) return 'says the same over and over';
  if (declines(text)) return 'declines to do it';
  if (sharesRun(words, wordsOf(instructions), instructionWords))
    return 'repeats what was asked for';
  const readWords = wordsOf(read);
  // Who obeys an order in the talk repeats a few words of it, and nothing else.
  const isExcerpt = words.length * excerptShare <= readWords.length;
  if (words.length > 0 && isExcerpt && sharesRun(words, readWords, words.length))
    return 'repeats the text';
  const run = Math.floor(readWords.length * echoWords.share);
  if (sharesRun(words, readWords, Math.min(echoWords.most, Math.max(echoWords.least, run))))
    return 'repeats the text';
  return isForeign(text, { language, source }) ? 'is in another language' : null;
}

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
 * An apology or a “cannot” at the beginning, of something that only a model says of itself; of a short answer also
 * behind its first sentence.
 */
function declines(text: string): boolean {
  const start = text.replaceAll('’', "'").slice(0, 300);
  if (asksForText.test(start) || (beginsDeclining.test(start) && aboutItself.test(start)))
    return true;
  if (text.length > shortCharacters) return false;
  const [, ...rest] = start.split(/(?<=[.!?:])\s+/u);
  return rest.some((sentence) => refusesItself.test(sentence) && aboutItself.test(sentence));
}

/** A refusal is no longer, as a rule. */
const shortCharacters = 300;
/** Asks for what it was given. */
const asksForText =
  /^(?:[\p{L} ]{1,20}[,!.] +)?(?:please (?:provide|share|paste|send)|could you (?:please )?(?:provide|share|paste|send)|(?:it (?:looks|seems) like|there is|there's) (?:no|you (?:didn't|haven't))\b.*\b(?:transcript|text)|no (?:transcript|text) (?:was|has been)|the (?:provided )?(?:transcript|text) (?:is|was|appears to be|seems to be) (?:empty|missing|not (?:provided|included))|bitte (?:gib|geben|stell\p{L}*|send\p{L}*|füg\p{L}*|teil\p{L}*) (?:sie )?(?:mir )?(?:das|den|ein(?:en)?) (?:transkript|text)|(?:es wurde |es gibt )?kein (?:transkript|text) (?:angegeben|übergeben|vorhanden))/iu;
const refusesItself =
  /^["“*\s]*(?:i'm sorry|i am sorry|i (?:can't|cannot|am unable|won't)|as an? (?:ai|language model)|es tut mir leid|als (?:ki|sprachmodell)|ich kann (?:leider )?nicht)/iu;

const beginsDeclining =
  /^["“*\s]*(?:i'm sorry|i am sorry|sorry\b|i apologi[sz]e|my apologies|unfortunately|as an? (?:ai|language model)|i (?:can't|cannot|can not|could not|couldn't|am unable|am not able|won't|will not|don't have)|i'm (?:unable|not able|just an?)|es tut mir leid|tut mir leid|entschuldig|leider|als (?:ki|sprachmodell)|ich kann|ich bin (?:nicht in der lage|ein|nur)|je suis désolé|désolé|je ne peux|lo siento|no puedo|mi dispiace|non posso|desculpe|não posso|het spijt me|ik kan)/iu;
const aboutItself =
  /\b(?:language model|ai|assist|help with|help you|that request|your request|process|provided|transcripts?|summar\w*|fulfil\w*|comply|sprachmodell|ki|helfen|anfrage|transkript\w*|zusammenfass\w*|verarbeiten|modèle de langage|transcription|résum\w*|modelo de lenguaje|transcripción|resum\w*|modello linguistico|trascrizione|riassum\w*|taalmodel|samenvat\w*)\b/iu;

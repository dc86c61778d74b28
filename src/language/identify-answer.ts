import type { NameQuote } from '../../events/facts/results.ts';
import { jsonObjectsIn, plainLine } from './answers.ts';
import { similarWords } from './similar-words.ts';
import { spokenWords } from './spoken-words.ts';

/** A name as a model answered it; nothing of it is checked against what was said. */
export type AnsweredName = {
  name: string;
  /** 0 to 1. */
  confidence: number;
  quotes: { text: string; how: NameQuote['how'] }[];
};

const nameMax = 60;
const confidenceDefault = 0.5;
/** Of an answer, and of an entry; more is a server that means harm. */
const entriesMax = 200;
const quotesMax = 5;

/**
 * The names in a model's answer, however it is wrapped and whatever it calls its fields: a list under any key,
 * entries by label, single objects in a row. Without what is no name (`isNoName`). Null for an answer without
 * JSON, or with JSON about something else.
 */
export function namesInAnswer(answer: string): AnsweredName[] | null {
  const objects = jsonObjectsIn(answer);
  // A model that thinks aloud writes drafts; the last one that holds a list is meant.
  const last = objects.findLast(holdsList);
  const entries = (last ? [last] : objects).flatMap((object) => entriesIn(object, depthMax));
  if (entries.length === 0 && !last) return null;
  return entries.slice(0, entriesMax).flatMap((entry) => {
    const name = nameIn(entry['name']);
    return name === null
      ? []
      : [{ name, confidence: confidenceIn(entry), quotes: quotesIn(entry, name) }];
  });
}

/** A name on one line; null for what is no name: nothing, a word for nothing, a label, too long. */
function nameIn(said: unknown): string | null {
  if (typeof said !== 'string' || said.length > 4 * nameMax) return null;
  if (/[\r\n]/u.test(said.trim())) return null;
  const name = plainLine(said.normalize('NFC'));
  return Array.from(name).length > nameMax || isNoName(name) ? null : name;
}

/** Whether a text stands for “no name”, or only for a voice: `null`, `unknown`, `Speaker 1`, `SPEAKER_00`. */
const isNoName = (name: string): boolean =>
  !/\p{L}/u.test(name) || nothing.test(name) || label.test(name);

const nothing =
  /^\W*(?:null|nil|none|undefined|no ?name|n\.?\/?a\.?|(?:the )?(?:unknown|unnamed|unidentified|anonymous)(?: .*)?|not (?:known|given|stated|mentioned|specified|provided)|unbekannte?r?(?: .*)?|namenlos|keine?r?|niemand|nobody|inconnue?|desconocid[oa]|sconosciut[oa])\W*$/iu;
const label =
  /^(?:the )?(?:speaker|sprecher(?:in)?|person|participant|teilnehmer(?:in)?|voice|stimme|user|locuteur|intervenant|hablante|parlante)(?:[ _#-]*(?:\d+|\p{L}))?$/iu;

type Entry = Record<string, unknown>;

const depthMax = 3;
const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const holdsList = (object: Entry): boolean => Object.values(object).some(Array.isArray);

/** Every object with a `name` in it. */
function entriesIn(value: unknown, depth: number): Entry[] {
  if (depth < 0) return [];
  if (Array.isArray(value)) return value.flatMap((one) => entriesIn(one, depth));
  if (!isObject(value)) return [];
  return 'name' in value
    ? [value]
    : Object.values(value).flatMap((one) => entriesIn(one, depth - 1));
}

function quotesIn(entry: Entry, name: string): AnsweredName['quotes'] {
  const said = ['quotes', 'quote', 'evidence', 'text'].flatMap((key) => entry[key] ?? []);
  return said.slice(0, quotesMax).flatMap((one) => {
    const own = isObject(one) ? one : {};
    const text = isObject(one) ? (own['quote'] ?? own['text'] ?? own['evidence']) : one;
    if (typeof text !== 'string' || text.trim() === '') return [];
    const how = [own, entry].map((where) => where['how'] ?? where['kind'] ?? where['type']);
    return [{ text, how: howIn(how[0] ?? how[1]) ?? howSaid(text, name) }];
  });
}

function howIn(said: unknown): NameQuote['how'] | undefined {
  if (typeof said !== 'string') return undefined;
  if (/self|own|introduces? (?:him|her|them)/iu.test(said)) return 'said_by_self';
  return /address|greet|thank|introduc|called|other/iu.test(said) ? 'addressed' : undefined;
}

/** Where a model does not say: after words such as “I am” a name is the speaker’s own. */
function howSaid(quote: string, name: string): NameQuote['how'] {
  const words = spokenWords(quote, null).map(({ word }) => word);
  const own = spokenWords(name, null).map(({ word }) => word);
  const at = words.findIndex((word) => own.some((one) => similarWords(word, one)));
  const before = words.slice(Math.max(0, at - 4), Math.max(0, at)).join(' ');
  return introduction.test(before) ? 'said_by_self' : 'addressed';
}

const introduction =
  /(?:^| )(?:i am|i'm|my name is|name's|this is|ich bin(?: der| die)?|ich heiße|ich heisse|mein name ist|hier ist|hier spricht|je suis|je m'appelle|me llamo|soy|mi chiamo|sono)(?: the| der| die)?$/u;

function confidenceIn({ confidence }: Entry): number {
  const words: Record<string, number> = { high: 0.9, medium: 0.6, low: 0.3 };
  const said =
    typeof confidence === 'string' ? (words[confidence.toLowerCase()] ?? confidence) : confidence;
  const number = typeof said === 'string' ? Number.parseFloat(said) : said;
  if (typeof number !== 'number' || !(number >= 0)) return confidenceDefault;
  return Math.min(1, number > 1 ? number / 100 : number);
}

import type { NameQuote } from '../../events/facts/results.ts';
import { jsonObjectsIn, plainLine } from './answers.ts';
import { spokenWords } from './spoken-words.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { editDistance } from '../shared/edit-distance.ts';

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

/** The words of a talk, as the proof compares them, with where they stand. */
export type SpokenTalk = {
  blocks: readonly Block[];
  language: string | null;
  words: { word: string; block: number; start: number; end: number }[];
  /** Where each word is said, as indexes into `words`. */
  places: ReadonlyMap<string, readonly number[]>;
};

export function spokenTalk(blocks: readonly Block[], language: string | null): SpokenTalk {
  const words = blocks.flatMap(({ text }, block) =>
    spokenWords(text, language).map((word) => ({ ...word, block })),
  );
  const places = new Map<string, number[]>();
  for (const [at, { word }] of words.entries()) {
    const there = places.get(word);
    if (there) there.push(at);
    else places.set(word, [at]);
  }
  return { blocks, language, words, places };
}

/** A quote is shown to a person; of longer ones that much is kept round the name. */
const quoteWordsMax = 24;

/** A quote as it was heard, and whether the name is in it. */
type Evidence = Omit<NameQuote, 'how'> & { isNamed: boolean };

/**
 * Where a quote was said, in the words of the talk and not in the model's. Of a quote with `…` in it one of its
 * parts is enough, the one with the name before others. Null when nobody said it.
 */
export function evidenceFor(quote: string, name: string, talk: SpokenTalk): Evidence | null {
  const parts = [quote, ...quote.split(/…|\.{3,}|\[[.…]*\]/u)];
  let found: Evidence | null = null;
  for (const part of parts) {
    const own = spokenWords(part, talk.language).map(({ word }) => word);
    const first = placeOf(own, talk);
    if (first === undefined) continue;
    const evidence = heard(talk, name, first, first + own.length);
    if (evidence.isNamed) return evidence;
    found ??= evidence;
  }
  return found;
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

/** Index of the first of these words in a row; undefined when they are not said. */
const placeOf = (own: readonly string[], { words, places }: SpokenTalk): number | undefined =>
  (places.get(own[0] ?? '') ?? []).find((at) =>
    own.every((word, index) => words[at + index]?.word === word),
  );

function heard(talk: SpokenTalk, name: string, first: number, end: number): Evidence {
  const own = spokenWords(name, talk.language).map(({ word }) => word);
  const named = talk.words
    .slice(first, end)
    .findIndex(({ word }) => own.some((one) => similarWords(word, one)));
  const middle = first + Math.max(0, named);
  const from = Math.max(first, Math.min(middle - quoteWordsMax / 2, end - quoteWordsMax));
  const to = Math.min(end, from + quoteWordsMax);
  const [start, last] = [talk.words[from]!, talk.words[to - 1]!];
  return {
    text: textBetween(talk.blocks, start, last),
    start: timeAt(talk.blocks[start.block]!, start.start, 'start'),
    end: timeAt(talk.blocks[last.block]!, last.end, 'end'),
    isNamed: named >= 0,
  };
}

type Place = SpokenTalk['words'][number];

function textBetween(blocks: readonly Block[], start: Place, last: Place): string {
  const texts = blocks.slice(start.block, last.block + 1).map(({ text }) => text);
  texts.push(texts.pop()!.slice(0, last.end));
  texts.unshift(texts.shift()!.slice(start.start));
  return texts.join(' ').replaceAll(/\s+/gu, ' ').trim();
}

/** When the word at an offset of a block was said: as the engine says, else by its share of the text. */
function timeAt({ text, words, start, end }: Block, offset: number, side: 'start' | 'end'): number {
  const runs = text.trim().split(/\s+/u).length;
  const before = text.slice(0, offset).trim();
  const isInside = side === 'end' || !/(?:^|\s)$/u.test(text.slice(0, offset));
  const passed = before === '' ? 0 : before.split(/\s+/u).length - (isInside ? 1 : 0);
  if (runs === words.length && words[passed]) return words[passed][side];
  return start + (offset / Math.max(1, text.length)) * (end - start);
}

/**
 * Whether two words may be the same name, heard or inflected a little differently: `Anna`, `Annas`, `Ana`.
 * Words of fewer than four letters must be equal. In lower case, as `spokenWords` gives them.
 */
function similarWords(one: string, other: string): boolean {
  if (one === other) return true;
  const length = Math.max(one.length, other.length);
  const short = Math.min(one.length, other.length);
  const most = length < 7 ? 1 : 2;
  if (short < 3 || length < 4 || length - short > most) return false;
  return editDistance(one, other) <= most;
}

import type { Block, SummaryLine } from '../../events/facts/transcript.ts';
import {
  contentIn,
  formLettersMin,
  isFormOf,
  numbersIn,
  wordSegmenter,
  comparedWords,
  isCourtesy,
} from './content-words.ts';
import type { DraftLine } from './draft-lines.ts';
import { stopWords } from './sentences.ts';
import type { SpeakerNames } from './talk.ts';
import { isTranslated } from './unusable.ts';

/** What a line is checked against. */
type Talk = {
  blocks: readonly Block[];
  names: SpeakerNames;
  /** Its own language, and that of the lines. */
  language: string | null;
  written: string | null;
  /** Labels of all who speak. */
  labels: readonly string[];
  /** Blocks by the words and numbers that stand in them. */
  places: ReadonlyMap<string, ReadonlySet<number>>;
  /** What people noted beside it, by number. */
  noted: ReadonlyMap<number, string>;
};

/**
 * Lines as they may be shown. A line keeps its link only when a name, a number or two content words of it stand in that
 * block or its neighbours. A decision or task of a person says so instead (`unfounded`) where that is so in none of
 * their blocks, nor in one beside them that names, addresses or asks them. What stands in no block may rest on a side
 * note in the same way, if the model names that note. A date stays only when it was said, by its numbers or
 * by its month or weekday. Nobody is named where one person dictates. Greetings and thanks are no points. In another
 * language than the talk's the words of a line tell nothing of whose it is.
 * @param about.language of the lines; null: the talk's own
 * @param about.spoken the talk's own, null where it is not known; absent: the same
 */
export function withEvidence(
  lines: readonly DraftLine[],
  blocks: readonly Block[],
  {
    noted = [],
    ...about
  }: {
    names: SpeakerNames;
    language: string | null;
    spoken?: string | null;
    noted?: readonly { note: number; text: string }[];
  },
): SummaryLine[] {
  const labels = [...new Set(blocks.flatMap(({ speaker }) => speaker ?? []))];
  const { spoken = about.language } = about;
  const written = about.language ?? spoken;
  const talk: Talk = {
    blocks,
    names: about.names,
    language: spoken,
    written,
    labels,
    places: placesIn(blocks, spoken),
    noted: new Map(noted.map(({ note, text }) => [note, text])),
  };
  const isTelling = ({ kind, text }: DraftLine) => kind !== 'point' || !isCourtesy(text, written);
  const telling = lines.filter(isTelling);
  return (telling.length > 0 ? telling : lines).map((line) => checked(line, talk));
}

function checked(line: DraftLine, talk: Talk): SummaryLine {
  const { kind } = line;
  const isDictated = talk.labels.length === 0;
  const text = isDictated && line.person !== null ? `${line.person}: ${line.text}` : line.text;
  const said = isDictated ? null : line.person;
  const speaker = said === null ? null : labelOf(said, talk);
  const person = speaker === null ? said : null;
  const stands = evidenceOf(text, said, talk);
  const named = line.turn === null ? -1 : line.turn - 1;
  const turn = named in talk.blocks && stands(named) ? named : null;
  const note = turn === null ? noteBehind(text, line, talk) : null;
  const isAssigned = said !== null && (kind === 'decision' || kind === 'task');
  const mayTell = isAssigned && note === null && !isTranslated(talk.written, talk.language);
  const isUnfounded = mayTell && !isTheirs(text, said, { speaker, talk });
  const isDueSaid =
    line.due !== null &&
    (note === null ? wasSaid(line.due, turn, talk) : wasSaid(line.due, 0, note.talk));
  return {
    kind,
    text,
    speaker,
    person,
    due: isDueSaid ? line.due : null,
    block: turn === null || isUnfounded ? null : talk.blocks[turn]!.id,
    ...(isUnfounded ? { unfounded: true as const } : {}),
    ...(note === null ? {} : { note: note.number }),
    ...(line.section === undefined ? {} : { section: line.section }),
  };
}

/** The side note that a line names, where it says what the line says; as a talk of one block. */
function noteBehind(
  text: string,
  { note: number, person }: DraftLine,
  talk: Talk,
): { number: number; talk: Talk } | null {
  const said = number === null ? undefined : talk.noted.get(number);
  if (number === null || said === undefined) return null;
  const own = { ...talk, places: placesIn([{ text: said }], talk.language) };
  return evidenceOf(text, person, own, 0)(0) ? { number, talk: own } : null;
}

/** Whether a person said what a line says of them, or was told so beside what they said. */
function isTheirs(
  text: string,
  person: string,
  { speaker, talk }: { speaker: string | null; talk: Talk },
): boolean {
  const own = new Set(turnsOf(speaker, talk));
  const stands = evidenceOf(text, null, talk, 0);
  if ([...own].some(stands)) return true;
  const code = talk.language?.split('-')[0]?.toLowerCase() ?? '';
  const called = comparedWords(person, talk.language).filter((word) => word.length > 1);
  const addressing = [...called, ...(secondPerson[code] ?? secondPerson['en']!).split(' ')];
  const isAsked = (at: number) => own.has(at + 1) && /[?？]/u.test(talk.blocks[at]?.text ?? '');
  const addresses = (at: number) =>
    isAsked(at) || addressing.some((word) => talk.places.get(word)?.has(at));
  return [...own]
    .flatMap((at) => [at - 1, at + 1])
    .some((at) => !own.has(at) && stands(at) && addresses(at));
}

/** Whom one speaks to, by language. */
const secondPerson: Readonly<Record<string, string>> = {
  de: 'du dir dich dein deine deinen sie ihnen ihr euch',
  en: 'you your',
  es: 'tú te ti usted ustedes vosotros',
  fr: 'tu te toi vous votre',
  it: 'tu ti te voi lei',
  nl: 'je jij jou u jullie',
  pt: 'tu te você vocês',
};

/** Whether there is evidence of a line in a block, or in one at most `reach` away. */
function evidenceOf(
  text: string,
  person: string | null,
  talk: Talk,
  reach = 1,
): (at: number) => boolean {
  const near = (places: ReadonlySet<number>) => (at: number) =>
    places.has(at) || (reach > 0 && (places.has(at - 1) || places.has(at + 1)));
  const strong = [...namesIn(text, person, talk), ...numbersIn(text)].map((word) =>
    near(talk.places.get(word) ?? none),
  );
  const content = contentIn(text, talk.written).map((word) => near(formsOf(word, talk)));
  return (at) =>
    strong.some((stands) => stands(at)) || content.filter((stands) => stands(at)).length >= 2;
}

const none: ReadonlySet<number> = new Set();

/** The blocks of a speaker, also under another label that has the same name. */
function turnsOf(speaker: string | null, { blocks, names }: Talk): number[] {
  if (speaker === null) return [];
  const name = names[speaker];
  return blocks.flatMap((block, at) =>
    block.speaker === speaker ||
    (name !== undefined && block.speaker !== null && names[block.speaker] === name)
      ? [at]
      : [],
  );
}

/** Numbers of a date stand where the line rests, or one of its words; without a block, anywhere. */
function wasSaid(due: string, turn: number | null, { places, language }: Talk): boolean {
  const stands = (word: string) => {
    const at = places.get(word) ?? none;
    return turn === null
      ? at.size > 0
      : [turn - 1, turn, turn + 1].some((neighbour) => at.has(neighbour));
  };
  const numbers = numbersIn(due);
  if (numbers.length > 0 && numbers.every(stands)) return true;
  // “The fifteenth of March” has no number that could stand there.
  return comparedWords(due, language)
    .filter((word) => !beforeDates.has(word) && !/^\p{N}/u.test(word))
    .some(stands);
}

const beforeDates = new Set(
  'by on at in until till to the am bis zum zur im um an der die das vor'.split(' '),
);

/** The words of the names in a line that can be looked for. */
function namesIn(
  text: string,
  person: string | null,
  { names, labels, written: language }: Talk,
): string[] {
  const stop = stopWords(language);
  const known = [person, ...labels.map((label) => names[label])].filter(
    (name) => name !== null && name !== undefined && (name === person || text.includes(name)),
  );
  // Capitals inside of a sentence: a name, but in a language that writes all nouns with one.
  const capitals =
    language === null || language.startsWith('de')
      ? []
      : (text.match(/(?<=[\p{Ll}\p{N},;] )\p{Lu}[\p{L}\p{M}'’-]+/gu) ?? []);
  return [...known, ...capitals]
    .flatMap((name) => comparedWords(name ?? '', language))
    .filter((word) => word.length > 1 && !stop.has(word));
}

/** The label of a person who speaks; null where it is not one speaker's name, or a part of one's. */
function labelOf(person: string, { labels, names, language }: Talk): string | null {
  const plain = (name: string) =>
    name
      .normalize('NFKC')
      .toLowerCase()
      // An underscore is a mark of Markdown to who cleans an answer: of a label it is gone.
      .replaceAll(/[\s_-]+/gu, '');
  const exact = labels.find((label) =>
    [label, names[label] ?? label].some((name) => plain(name) === plain(person)),
  );
  if (exact !== undefined) return exact;
  const words = comparedWords(person, language).filter((word) => !titles.has(word));
  const partly = labels.filter((label) => {
    const own = comparedWords(names[label] ?? '', language);
    const [few, many] = own.length < words.length ? [own, words] : [words, own];
    return few.length > 0 && few.every((word) => many.includes(word));
  });
  return new Set(partly.map((label) => names[label])).size === 1 ? partly[0]! : null;
}

const titles = new Set('mr mrs ms miss dr prof professor herr frau doktor'.split(' '));

function placesIn(blocks: readonly Pick<Block, 'text'>[], language: string | null): Talk['places'] {
  const places = new Map<string, Set<number>>();
  // Costs more to make than to use on a block.
  const segmenter = wordSegmenter(language);
  for (const [at, { text }] of blocks.entries()) {
    for (const word of [...comparedWords(text, language, segmenter), ...numbersIn(text)]) {
      const found = places.get(word);
      if (found) found.add(at);
      else places.set(word, new Set([at]));
    }
  }
  return places;
}

/** Where a word stands in any of its forms: with the same beginning, and an ending of three letters at most. */
function formsOf(word: string, { places }: Talk): ReadonlySet<number> {
  const found = new Set(places.get(word));
  if (word.length < formLettersMin) return found;
  for (const [other, blocks] of places) {
    if (isFormOf(word, other)) for (const at of blocks) found.add(at);
  }
  return found;
}

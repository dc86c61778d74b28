import type { LineKind } from '../../events/facts/transcript.ts';
import { jsonObjectIn, plainLine } from './answers.ts';

/** A line of a summary as a model gave it: nothing of it is checked against the talk. */
export type DraftLine = {
  kind: LineKind;
  text: string;
  /** Who, as the model names them. */
  person: string | null;
  due: string | null;
  /** Number of the line of the talk that it rests on, from 1. */
  turn: number | null;
  /** Number of the side note that it rests on. */
  note: number | null;
  /** Title of the section that it belongs to; absent: none. */
  section?: string;
};

/** How a model is told of a side note, so that its number is none of a line of the talk. */
export const markOf = (note: number): string => `N${note}`;

/**
 * The lines of a summary in a model's answer; undefined where there is no JSON of that form. Also takes a list without
 * an object around it, a list for each kind, and lines that are only a text. A line of several people is one for each.
 * @param told titles of the sections that were asked for, by number or title: another one is none; and names of people,
 * which may have commas
 */
export function linesIn(answer: string, told: Told = {}): DraftLine[] | undefined {
  const object = jsonObjectIn(inObject(answer));
  const lists = Object.entries(object ?? {}).flatMap(([key, list]): [string, unknown[]][] =>
    Array.isArray(list) ? [[key, list]] : [],
  );
  if (lists.length === 0) return undefined;
  return lists.flatMap(([key, list]) => list.flatMap((item) => linesOf(item, key, told)));
}

/** What a model was told that its lines may name. */
type Told = { titles?: readonly string[]; names?: readonly string[] };

/** Lines as notes for a model that is to bring them together. */
export const notesIn = (lines: readonly DraftLine[]): string =>
  lines
    .map(({ turn, note, kind, person, text, due }) => {
      const about = [person, due].filter((one) => one !== null).join(', ');
      return `[${turn ?? (note === null ? '–' : markOf(note))}] ${kind}${about === '' ? '' : ` (${about})`}: ${text}`;
    })
    .join('\n');

/** How many of such notes have to be kept when they are brought together: all that is no point. */
export const countToKeep = (notes: string): number =>
  notes.match(/^\[[^\]\n]*\] (?:decision|task|open)\b/gmu)?.length ?? 0;

/** As long as people may write. */
const textMax = 4000;

const nameMax = 60;

/** A list that is all of an answer, as an object. */
function inObject(answer: string): string {
  const start = answer.search(/[[{]/u);
  const end = answer.lastIndexOf(']');
  return /^\[\s*\{/u.test(answer.slice(start)) && end > start
    ? `{"lines": ${answer.slice(start, end + 1)}}`
    : answer;
}

function linesOf(item: unknown, list: string, { titles = [], names = [] }: Told): DraftLine[] {
  if (typeof item !== 'object' || item === null)
    return withText({
      kind: kindOf(list),
      text: textIn(item),
      person: null,
      due: null,
      turn: null,
      note: null,
    });
  const { kind, type, text, person, due, turn, note, section } = item as Record<string, unknown>;
  const line = {
    kind: kindOf(textIn(kind ?? type) || list),
    text: textIn(text).replace(/^[-+•]\s+/u, ''),
    due: known(textIn(due)),
    ...placeIn(turn, note),
    ...sectionIn(section, titles),
  };
  const people = peopleIn(person, names);
  return (people.length > 0 ? people : [null]).flatMap((one) =>
    withText({ ...line, person: one, text: withoutName(line.text, one) }),
  );
}

const withText = (line: DraftLine): DraftLine[] =>
  /[\p{L}\p{N}]/u.test(line.text) ? [{ ...line, text: upToSentence(line.text) }] : [];

/** A text that is too long up to the last sentence that fits, else up to a word. */
function upToSentence(text: string): string {
  if (text.length <= textMax) return text;
  const fitting = text.slice(0, textMax - 2);
  const sentences = /^.*[.!?…。！？](?=\s|$)/su.exec(fitting)?.[0];
  return `${sentences ?? fitting.replace(/\s+\S*$/u, '')} …`;
}

const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? plainLine(String(value)) : '';

/** Some models give the mark of a note as the line's number. */
const placeIn = (turn: unknown, note: unknown): Pick<DraftLine, 'turn' | 'note'> => {
  const isNote = /^\[?N\d/u.test(textIn(turn));
  return isNote
    ? { turn: null, note: numberIn(turn) }
    : { turn: numberIn(turn), note: numberIn(note) };
};

const numberIn = (value: unknown): number | null => {
  const digits = /\d{1,9}/u.exec(textIn(Array.isArray(value) ? value[0] : value))?.[0];
  return digits === undefined ? null : Number(digits);
};

/** By its number from 1, or by its title. */
function sectionIn(value: unknown, titles: readonly string[]): Pick<DraftLine, 'section'> {
  const said = textIn(value).toLowerCase();
  const titled = titles.findIndex((title) => title.toLowerCase() === said);
  const at = titled >= 0 ? titled : /^\d{1,2}$/u.test(said) ? Number(said) - 1 : -1;
  const title = titles[at];
  return title === undefined ? {} : { section: title };
}

const kinds: readonly [RegExp, LineKind][] = [
  [/deci[ds]|beschl|entsch/iu, 'decision'],
  [/task|to-?do|action|aufgabe/iu, 'task'],
  [/open|question|offen|frage/iu, 'open'],
];

const kindOf = (name: string): LineKind =>
  kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'point';

/** What stands for nothing, and what stands for all: neither is a person. */
const nothing =
  /^(?:null|none|nil|undefined|n\/?a|unknown|unbekannt|unclear|unklar|tbd|not (?:said|specified|given|mentioned)|nicht (?:genannt|gesagt)|kein\w*|no date|[?–—-]*)$/iu;

const everyone =
  /^(?:all|alle|everyone|everybody|nobody|niemand|somebody|jemand|(?:the |das )?(?:team|group|gruppe)|we|wir|us|both|beide)$/iu;

const known = (text: string): string | null =>
  nothing.test(text) || text.length > nameMax ? null : text;

function peopleIn(person: unknown, names: readonly string[]): string[] {
  const all = Array.isArray(person) ? person.map(textIn) : listedIn(textIn(person), names);
  return all.flatMap((name) => known(name.trim()) ?? []).filter((name) => !everyone.test(name));
}

/** People in a list. A name that is known stays whole: “Schmidt, Anna” is one person. */
function listedIn(list: string, names: readonly string[]): string[] {
  if (nothing.test(list)) return [];
  const whole = names
    .filter((name) => separator.test(name) && list.includes(name))
    .toSorted((a, b) => b.length - a.length);
  const marked = whole.reduce((left, name, at) => left.replaceAll(name, `\0${at}\0`), list);
  return marked
    .split(separator)
    .map((part) => part.replaceAll(/\0(\d+)\0/gu, (_, at: string) => whole[Number(at)]!));
}

const separator = /[,;&/]|\s(?:and|und)\s/u;

/** “Anna: sends it”, “Anna sends it” of Anna: the name is shown before the text. */
function withoutName(text: string, person: string | null): string {
  if (person === null || !text.startsWith(person)) return text;
  const rest = text.slice(person.length);
  return /^(?:\s*[:–—-]\s|\s+(?!(?:and|und|or|oder|sowie)\b)\p{Ll})/u.test(rest)
    ? rest.replace(/^\s*[:–—-]?\s+/u, '')
    : text;
}

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
};

const linesMax = 60;
const textMax = 500;
const nameMax = 60;
const peopleMax = 4;

/**
 * The lines of a summary in a model's answer; undefined where there is no JSON of that form. Also takes a list without
 * an object around it, a list for each kind, and lines that are only a text. A line of several people is one for each.
 */
export function linesIn(answer: string): DraftLine[] | undefined {
  const object = jsonObjectIn(inObject(answer));
  const lists = Object.entries(object ?? {}).filter(([, value]) => Array.isArray(value));
  if (lists.length === 0) return undefined;
  return lists
    .flatMap(([key, list]) => (list as unknown[]).flatMap((item) => linesOf(item, key)))
    .slice(0, linesMax);
}

/** Lines as notes for a model that is to bring them together. */
export const notesIn = (lines: readonly DraftLine[]): string =>
  lines
    .map(({ turn, kind, person, text, due }) => {
      const about = [person, due].filter((one) => one !== null).join(', ');
      return `[${turn ?? '–'}] ${kind}${about === '' ? '' : ` (${about})`}: ${text}`;
    })
    .join('\n');

/** A list that is all of an answer, as an object. */
function inObject(answer: string): string {
  const start = answer.search(/[[{]/u);
  const end = answer.lastIndexOf(']');
  return /^\[\s*\{/u.test(answer.slice(start)) && end > start
    ? `{"lines": ${answer.slice(start, end + 1)}}`
    : answer;
}

function linesOf(item: unknown, list: string): DraftLine[] {
  if (typeof item !== 'object' || item === null)
    return withText({
      kind: kindOf(list),
      text: textIn(item),
      person: null,
      due: null,
      turn: null,
    });
  const { kind, type, text, person, due, turn } = item as Record<string, unknown>;
  const line = {
    kind: kindOf(textIn(kind ?? type) || list),
    text: textIn(text).replace(/^[-+•]\s+/u, ''),
    due: known(textIn(due)),
    turn: numberIn(turn),
  };
  const people = peopleIn(person);
  return (people.length > 0 ? people : [null]).flatMap((one) =>
    withText({ ...line, person: one, text: withoutName(line.text, one) }),
  );
}

const withText = (line: DraftLine): DraftLine[] =>
  /[\p{L}\p{N}]/u.test(line.text) && line.text.length <= textMax ? [line] : [];

const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? plainLine(String(value)) : '';

const numberIn = (value: unknown): number | null => {
  const digits = /\d{1,9}/u.exec(textIn(Array.isArray(value) ? value[0] : value))?.[0];
  return digits === undefined ? null : Number(digits);
};

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

function peopleIn(person: unknown): string[] {
  const names = Array.isArray(person)
    ? person.map(textIn)
    : (known(textIn(person)) ?? '').split(/[,;&/]|\s(?:and|und)\s/u);
  return names
    .flatMap((name) => known(name.trim()) ?? [])
    .filter((name) => !everyone.test(name))
    .slice(0, peopleMax);
}

/** “Anna: sends it”, “Anna sends it” of Anna: the name is shown before the text. */
function withoutName(text: string, person: string | null): string {
  if (person === null || !text.startsWith(person)) return text;
  const rest = text.slice(person.length);
  return /^(?:\s*[:–—-]\s|\s+(?!(?:and|und|or|oder|sowie)\b)\p{Ll})/u.test(rest)
    ? rest.replace(/^\s*[:–—-]?\s+/u, '')
    : text;
}

import type { Kind } from '../../events/facts/recording.ts';

/*
 * What recordings hold, as plain data: what was said and done, and nothing of how it is kept. Each second of audio is a number
 * of its own, by which it is known again wherever it goes.
 */

/**
 * A second of audio. `number` 0: silence; `said`: its words, as people corrected them; `was`: what they were before; `name`:
 * who said them.
 */
export type Second = {
  number: number;
  said: readonly string[];
  was: readonly string[];
  name: string | null;
};
export type Note = { text: string; at: number; mark: boolean };
/** A line of the summary that a person wrote. */
export type Line = { text: string; kind: 'task' | 'point'; done: boolean };

export type Talk = {
  id: string;
  kind: Kind;
  seconds: readonly Second[];
  notes: readonly Note[];
  lines: readonly Line[];
  /** That a person gave it. */
  title: string | null;
  /** People said who says what, otherwise than by its sound. */
  moved: boolean;
  /** What the whole said of which it is a half: both halves are called as that was. */
  whole: readonly string[];
  /** What its versions said that can be read still, by their numbers. */
  versions: ReadonlyMap<number, Talk>;
};

/** A talk that was just heard. */
export const newTalk = (talk: Pick<Talk, 'id' | 'kind' | 'seconds'> & Partial<Talk>): Talk => ({
  notes: [],
  lines: [],
  title: null,
  moved: false,
  whole: [],
  versions: new Map(),
  ...talk,
});

/** Everything there is. `written`: each text that was ever in it, of which some are gone. */
export type World = {
  talks: Map<string, Talk>;
  written: Set<string>;
  /** Texts that no version has any more. */
  removed: Set<string>;
  /** Those of them after which no file may be called either. */
  forGood: Set<string>;
  numbers: Set<number>;
};

export const emptyWorld = (): World => ({
  talks: new Map(),
  written: new Set(),
  removed: new Set(),
  forGood: new Set(),
  numbers: new Set(),
});

const wordOf = (number: number): string => `w${number}`;

/** Who says a number in a meeting of two. */
export const labelOf = (number: number): string => `SPEAKER_0${number % 2}`;

export const secondsOf = (
  numbers: readonly number[],
  nameOf: (number: number) => string | null = () => null,
): Second[] =>
  numbers.map((number) => ({ number, said: [wordOf(number)], was: [], name: nameOf(number) }));

/** Puts a talk in the place of the one with its id, and keeps in mind what is in it. */
export function put(world: World, talk: Talk): void {
  world.talks.set(talk.id, talk);
  for (const text of textsOf(talk)) world.written.add(text);
  for (const { number } of talk.seconds) if (number !== 0) world.numbers.add(number);
}

/** Everything in it that is known again by its text. */
export const textsOf = ({ seconds, notes, lines }: Talk): string[] => [
  ...seconds.flatMap(({ said }) => said),
  ...notes.flatMap(({ text }) => (text === '' ? [] : [text])),
  ...lines.map(({ text }) => text),
];

/** It is removed or erased, and nobody may read it any more; for good, also not in the name of a file. */
export function forget(
  world: World,
  { seconds, notes, lines }: Pick<Talk, 'seconds' | 'notes' | 'lines'>,
  forGood = true,
): void {
  const texts = [
    ...seconds.flatMap(({ said, was }) => [...said, ...was]),
    ...[...notes, ...lines].flatMap(({ text }) => (text === '' ? [] : [text])),
  ];
  for (const text of texts) {
    world.removed.add(text);
    if (forGood) world.forGood.add(text);
  }
}

/**
 * What may nowhere be read any more: `removed` in no title and no version, `texts` nowhere at all.
 * A half of what was cut is called as the whole was, also when what it quotes was removed from the other half.
 * @param quotes a language model quotes what was said, and its words stay when they are corrected
 * @param titled words of titles and of names of files. Of what was corrected a title keeps its words, and of what was removed,
 * not for good, a name
 */
export function goneOf(
  { talks, written, removed, forGood, numbers }: World,
  { quotes, titled }: { quotes: boolean; titled: { titles: string[]; files: string[] } },
): { texts: string[]; removed: string[]; numbers: number[] } {
  const left = [...talks.values()];
  const present = new Set(left.flatMap(textsOf));
  const before = new Set(left.flatMap(({ seconds }) => seconds.flatMap(({ was }) => was)));
  const heard = new Set(left.flatMap(({ seconds }) => seconds.map(({ number }) => number)));
  const halved = new Set(left.flatMap(({ whole }) => whole));
  const isTitle = (text: string) => titled.titles.includes(text);
  const isCorrected = (text: string) => (before.has(text) || halved.has(text)) && isTitle(text);
  const isName = (text: string) => !forGood.has(text) && titled.files.includes(text);
  const isGone = (text: string) =>
    !quotes && !present.has(text) && !isCorrected(text) && !isName(text);
  return {
    texts: [...written].filter(isGone),
    removed: [...removed].filter(
      (text) => !quotes && !present.has(text) && !before.has(text) && !halved.has(text),
    ),
    numbers: [...numbers].filter((number) => !heard.has(number)),
  };
}

/** In whole milliseconds, as the service tells them. */
const laterBy = (by: number) => (note: Note) => ({
  ...note,
  at: Math.round((note.at + by) * 1000) / 1000,
});

/** Lines of the summary are of the first part, unless they rest on what is said in the second (`second`). */
export function cut(
  talk: Talk,
  { at, into, second }: { at: number; into: string; second: readonly string[] },
): [Talk, Talk] {
  const part = (from: number, to: number, isOfPart: (line: Line) => boolean): Omit<Talk, 'id'> => ({
    ...talk,
    seconds: talk.seconds.slice(from, to),
    notes: talk.notes.filter((note) => note.at >= from && note.at < to).map(laterBy(-from)),
    lines: talk.lines.filter(isOfPart),
    whole: [...talk.whole, ...talk.seconds.flatMap(({ said, was }) => [...said, ...was])],
    versions: new Map(),
  });
  const goes = ({ text }: Line) => second.includes(text);
  return [
    { ...part(0, at, (line) => !goes(line)), id: talk.id },
    {
      ...part(at, talk.seconds.length, goes),
      id: into,
      title: talk.title === null ? null : `${talk.title} (2)`,
    },
  ];
}

export const join = (first: Talk, behind: Talk, id: string): Talk => ({
  ...first,
  id,
  seconds: [...first.seconds, ...behind.seconds],
  notes: [...first.notes, ...behind.notes.map(laterBy(first.seconds.length))],
  lines: [...first.lines, ...behind.lines],
  moved: first.moved || behind.moved,
  whole: [...first.whole, ...behind.whole],
  versions: new Map(),
});

export const without = (talk: Talk, from: number, to: number, id = talk.id): Talk => ({
  ...talk,
  id,
  versions: new Map(),
  seconds: talk.seconds.map((second, at) =>
    at >= from && at < to ? { number: 0, said: [], was: [], name: null } : second,
  ),
});

/** Who is called `from` is called `to`. */
export const renamed = (talk: Talk, from: string, to: string): Talk => ({
  ...talk,
  seconds: talk.seconds.map((second) => (second.name === from ? { ...second, name: to } : second)),
});

/** Who said these words is somebody else. */
export const reassigned = (talk: Talk, words: readonly string[], name: string | null): Talk => ({
  ...talk,
  moved: true,
  seconds: talk.seconds.map((second) =>
    second.said.some((word) => words.includes(word)) ? { ...second, name } : second,
  ),
});

import type { Kind } from '../../events/facts/recording.ts';
import type { Block, Correction } from '../../events/facts/transcript.ts';
import { newLabel } from './carry-over.ts';
import { type ReadFact, type Recording, factAt, shownOf } from './recording.ts';
import { read } from './reading.ts';
import {
  blockAt,
  blocksDivided,
  moved,
  spanAt,
  utteranceAt,
  utterancesDivided,
} from './said-divided.ts';
import { mentionsGone } from './said-gone.ts';
import { labelsSpoken, withNamesOf } from './said-speakers.ts';
import type { Interruption } from './interruptions.ts';
import type { Sidenote } from './sidenotes.ts';
import { type Utterance, underLabels } from './utterances.ts';
import { type Line, abstractOfPeople, isOfPerson, peoplesBasis } from './summary.ts';
import { namedLabels } from './voices.ts';
import { writtenTitle } from './written-texts.ts';

/** What a recording says, with its times: what can be cut, and put together with what others say. */
export type Said = {
  duration: number;
  kind: Kind;
  language: string | null;
  /** Who recognised it, and who put the marks in. */
  speech: Worker;
  punctuation: Worker;
  utterances: readonly Utterance[];
  /** As it was heard; with what people corrected before it had names; with punctuation; and with all corrections. */
  heard: readonly Block[];
  raw: readonly Block[];
  recognised: readonly Block[];
  blocks: readonly Block[];
  unplaced: readonly Correction[];
  /** By label, and whether anybody said who they are. */
  names: Readonly<Record<string, string>>;
  voices: Voices | null;
  /** Labels whose voices are remembered under their names; null: no voices are. */
  remembered: readonly string[] | null;
  /** `edited`: people changed it; `abstract`: in a person's words. */
  summary: { lines: readonly Line[]; by: Worker; edited: boolean; abstract: string | null };
  /** What is called so by a model or by its words; what a person said stands in another fact. */
  title: string;
  sidenotes: readonly Sidenote[];
  interruptions: readonly Interruption[];
};

type Worker = { engine: string; model: string | null };
/** How the speakers were told apart, and how they sound. */
type Voices = {
  data: ReadFact<'diarization.completed'>['data'];
  content: ReadFact<'diarization.completed'>['content'] | undefined;
};

const builtIn: Worker = { engine: 'built-in', model: null };

/** What a recording says now: what people are shown. Pure. */
export function saidOf(recording: Recording): Said {
  const source = shownOf(recording);
  const { results } = source;
  const reading = read(recording, source);
  const diarized = factAt(recording, results.diarization, 'diarization.completed');
  const summarised = factAt(recording, results.summary, 'summary.completed');
  const punctuatedBy = factAt(recording, results.punctuated, 'transcript.punctuated');
  const speech = factAt(recording, results.transcription, 'transcription.completed');
  return {
    duration: reading.duration ?? 0,
    kind: reading.kind,
    language: reading.language,
    speech: speech ? workerIn(speech) : builtIn,
    punctuation: punctuatedBy ? workerIn(punctuatedBy) : builtIn,
    utterances: underLabels(reading.utterances, diarized?.data.labels),
    heard: reading.heard,
    raw: reading.raw,
    recognised: reading.recognised,
    blocks: reading.blocks,
    unplaced: reading.unplaced,
    names: reading.names,
    voices: diarized && { data: diarized.data, content: diarized.content },
    remembered: rememberedIn(recording),
    summary: {
      lines: reading.lines,
      by: summarised ? workerIn(summarised) : builtIn,
      edited: peoplesBasis(recording, source) !== null,
      abstract: abstractOfPeople(recording, source) ?? null,
    },
    title: writtenTitle(recording, source) ?? reading.title ?? '',
    sidenotes: reading.sidenotes,
    interruptions: reading.interruptions,
  };
}

/** What is said from one second to another, which is the first of it. Ids of blocks stay. Pure. */
export function partOf(said: Said, from: number, to: number): Said {
  const own = <T>(divide: (at: number) => [T, T], again: (part: T, at: number) => [T, T]): T =>
    again(divide(from)[1], to)[0];
  const blocks = (all: readonly Block[]) =>
    own<readonly Block[]>(
      (at) => blocksDivided(all, at),
      (part, at) => blocksDivided(part, at),
    );
  const utterances = own<readonly Utterance[]>(
    (at) => utterancesDivided(said.utterances, at),
    (part, at) => utterancesDivided(part, at),
  );
  const within = ({ at }: { at: number }) => at >= from && (at < to || to >= said.duration);
  const part = {
    ...withBlocks(said, blocks),
    duration: to,
    utterances,
    unplaced: said.unplaced.filter(({ start, end }) => within({ at: (start + end) / 2 })),
    voices: said.voices && voicesIn(said.voices, [[from, to]]),
    sidenotes: said.sidenotes.filter(within),
    interruptions: said.interruptions.filter(within),
  };
  const idsIn = (some: readonly Block[]) => new Set(some.map(({ id }) => id));
  const [all, present] = [idsIn(said.blocks), idsIn(part.blocks)];
  const earlier = idsIn(blocksDivided(said.blocks, from)[0]);
  const secondOf = new Map(said.sidenotes.map(({ note, at }) => [note, at]));
  // Of a passage that is divided it goes with the first half.
  const isOfPart = ({ block, note, at: middle }: Line): boolean => {
    if (block !== null && all.has(block)) return present.has(block) && !earlier.has(block);
    const at = middle ?? secondOf.get(note ?? 0);
    return at === undefined ? from === 0 : within({ at });
  };
  const whole = withLinesOf(part, isOfPart);
  const abstract = from === 0 ? said.summary.abstract : null;
  return shifted(withNamesOf({ ...whole, summary: { ...whole.summary, abstract } }), -from);
}

/** The same without what is said from one second to another: its times stay, side notes too. Pure. */
export function without(said: Said, from: number, to: number): Said {
  const ids = newIds(said);
  const utterances = [
    ...utterancesDivided(said.utterances, from)[0],
    ...utterancesDivided(said.utterances, to)[1],
  ];
  const rest = (all: readonly Block[]): Block[] => {
    const [before, after] = [blocksDivided(all, from)[0], blocksDivided(all, to)[1]];
    const present = new Set(before.map(({ id }) => id));
    return [
      ...before,
      ...after.map((one) => (present.has(one.id) ? { ...one, id: ids(one.id) } : one)),
    ];
  };
  const keeps = ({ start, end }: Correction) => end <= from || start >= to;
  const rested = {
    ...withBlocks(said, rest),
    utterances,
    unplaced: said.unplaced.filter(keeps),
    voices:
      said.voices &&
      voicesIn(said.voices, [
        [0, from],
        [to, Infinity],
      ]),
  };
  // What a model made of a passage may say what is gone of it.
  const textOf = new Map(rested.blocks.map(({ id, text }) => [id, text]));
  const mentions = mentionsGone(said.blocks, rested.blocks);
  const isWhole = ({ block, note }: Line) =>
    block === null
      ? note !== undefined
      : said.blocks.some(({ id, text }) => id === block && text === textOf.get(id));
  const title = mentions(said.title) ? '' : said.title;
  // A task that is done is not in a person's words for that.
  const isKept = (line: Line) => line.by !== undefined || (isWhole(line) && !mentions(line.text));
  return withNamesOf(withLinesOf({ ...rested, title }, isKept));
}

/** What one says, and behind it what another says: under the same label who has the same name. Pure. */
export function followedBy(first: Said, other: Said): Said {
  const ids = newIds(first);
  const labels = labelsBehind(first, other);
  const labelOf = <T extends string | null | undefined>(label: T): T | string =>
    label === null || label === undefined ? label : (labels.get(label) ?? label);
  const second = shifted(other, first.duration);
  const lineIds = idsBehind(first.summary.lines);
  const firstNotes = Math.max(0, ...first.sidenotes.map(({ note }) => note));
  const behind = (all: readonly Block[]): Block[] =>
    all.map((one) => ({ ...one, id: ids(one.id), speaker: labelOf(one.speaker) }));
  const names = Object.entries(second.names).map(([label, name]) => [labelOf(label), name]);
  return {
    ...withBlocks(first, (all, list) => [...all, ...behind(second[list])]),
    duration: second.duration,
    kind: first.kind === 'meeting' || second.kind === 'meeting' ? 'meeting' : 'solo',
    language: first.language ?? second.language,
    utterances: [...first.utterances, ...second.utterances.map((one) => relabelled(one, labelOf))],
    unplaced: [...first.unplaced, ...second.unplaced],
    names: { ...(Object.fromEntries(names) as Record<string, string>), ...first.names },
    voices: voicesOfBoth(first.voices, second.voices, labelOf),
    remembered:
      first.remembered === null && second.remembered === null
        ? null
        : [
            ...new Set([
              ...(first.remembered ?? []),
              ...(second.remembered ?? []).map((label) => labelOf(label)),
            ]),
          ],
    summary: {
      by: first.summary.by,
      edited: first.summary.edited || second.summary.edited,
      abstract: first.summary.abstract,
      lines: [
        ...first.summary.lines,
        ...second.summary.lines.map((line) => ({
          ...line,
          id: lineIds(line.id),
          speaker: labelOf(line.speaker),
          block: line.block && ids(line.block),
          ...(line.note === undefined ? {} : { note: line.note + firstNotes }),
        })),
      ],
    },
    interruptions: [...first.interruptions, ...second.interruptions],
    sidenotes: [
      ...first.sidenotes,
      ...second.sidenotes.map((one) => ({
        ...one,
        note: one.note + firstNotes,
        block: one.block && ids(one.block),
      })),
    ],
  };
}

type Lists = 'heard' | 'raw' | 'recognised' | 'blocks';

/** What is done to blocks is done to all lists of them. */
const withBlocks = (
  said: Said,
  change: (all: readonly Block[], list: Lists) => readonly Block[],
): Said => ({
  ...said,
  heard: change(said.heard, 'heard'),
  raw: change(said.raw, 'raw'),
  recognised: change(said.recognised, 'recognised'),
  blocks: change(said.blocks, 'blocks'),
});

function shifted(said: Said, by: number): Said {
  if (by === 0) return said;
  return {
    ...withBlocks(said, (all) => all.map((one) => blockAt(one, by))),
    duration: moved(said.duration, by),
    utterances: said.utterances.map((one) => utteranceAt(one, by)),
    unplaced: said.unplaced.map((one) => spanAt(one, by)),
    voices: said.voices && {
      ...said.voices,
      data: {
        ...said.voices.data,
        turns: said.voices.data.turns.map(([start, end, label]) => [
          moved(start, by),
          moved(end, by),
          label,
        ]),
      },
    },
    summary: {
      ...said.summary,
      lines: said.summary.lines.map(({ at, ...line }) =>
        at === undefined ? line : { ...line, at: moved(at, by) },
      ),
    },
    sidenotes: said.sidenotes.map((one) => ({ ...one, at: moved(one.at, by) })),
    interruptions: said.interruptions.map((one) => ({ ...one, at: moved(one.at, by) })),
  };
}

/** How speakers sound is known of all of it; when they speak, of some seconds. */
const voicesIn = (
  { data, content }: Voices,
  kept: readonly (readonly [number, number])[],
): Voices => ({
  content,
  data: {
    ...data,
    turns: data.turns.flatMap(([start, end, label]) =>
      kept.flatMap(([from, to]): [number, number, string][] => {
        const [first, last] = [Math.max(start, from), Math.min(end, to)];
        return last > first ? [[first, last, label]] : [];
      }),
    ),
  },
});

/** Two recordings whose speakers were told apart each by itself. */
function voicesOfBoth(
  first: Voices | null,
  second: Voices | null,
  labelOf: (label: string) => string,
): Voices | null {
  if (!first || !second) return null;
  const { data, content } = first;
  const behind = second.data.turns.map(([start, end, label]): [number, number, string] => [
    start,
    end,
    labelOf(label),
  ]);
  const more = (second.content?.voices ?? [])
    .map((voice) => ({ ...voice, label: labelOf(voice.label) }))
    .filter(({ label }) => !content?.voices.some((one) => one.label === label));
  const isOneModel = content?.embedding_model === second.content?.embedding_model;
  return {
    data: { ...data, turns: [...data.turns, ...behind], channels: undefined },
    content:
      content && (isOneModel ? { ...content, voices: [...content.voices, ...more] } : content),
  };
}

/** Voices that were taken back stay so. */
function rememberedIn(recording: Recording): string[] | null {
  const labels = namedLabels(recording).filter(({ remembered }) => remembered);
  return labels.length > 0 ? labels.map(({ label }) => label) : null;
}

/**
 * Lines of the summary that are kept and rest on what is left; what a model wrote without resting on anything may say what
 * is gone. Lines of people stay theirs.
 */
function withLinesOf(said: Said, keeps: (line: Line) => boolean): Said {
  const ids = new Set(said.blocks.map(({ id }) => id));
  const notes = new Set(said.sidenotes.map(({ note }) => note));
  const rests = ({ block }: Line) => block !== null && ids.has(block);
  const restsOnNote = ({ note }: Line) => note !== undefined && notes.has(note);
  const lines = said.summary.lines
    .filter((line) => keeps(line) && (rests(line) || restsOnNote(line) || isOfPerson(line)))
    .map(({ note, at, ...line }) => ({
      ...line,
      ...(rests(line) ? (at === undefined ? {} : { at }) : { block: null }),
      ...(restsOnNote({ ...line, note }) ? { note } : {}),
    }));
  return { ...said, summary: { ...said.summary, lines } };
}

/** Ids for lines that come behind these: their own, unless one of these has it, also after many joins. */
function idsBehind(lines: readonly Line[]): (id: string) => string {
  const taken = new Set(lines.map(({ id }) => id));
  return (id) => {
    let [own, count] = [id, 1];
    while (taken.has(own)) own = `${id.replace(/-joined\d*$/u, '')}-joined${(count += 1)}`;
    taken.add(own);
    return own;
  };
}

/** Ids for blocks that are none of those there are: the same for the same. */
function newIds(said: Said): (id: string) => string {
  const all = [said.heard, said.raw, said.recognised, said.blocks].flat();
  let last = Math.max(0, ...all.map(({ id }) => Number(/^t-(\d+)$/u.exec(id)?.[1] ?? 0)));
  const given = new Map<string, string>();
  return (id) => {
    const known = given.get(id);
    if (known !== undefined) return known;
    last += 1;
    const made = `t-${String(last).padStart(4, '0')}`;
    given.set(id, made);
    return made;
  };
}

/** The labels that another's speakers get behind these: that of the same name, else one of their own. */
function labelsBehind(first: Said, other: Said): Map<string, string> {
  const byName = new Map(Object.entries(first.names).map(([label, name]) => [name.trim(), label]));
  const taken = new Set(labelsSpoken(first));
  const labels = new Map<string, string>();
  for (const label of labelsSpoken(other)) {
    const name = other.names[label]?.trim() ?? '';
    const known = name === '' ? undefined : byName.get(name);
    const own = known ?? newLabel(taken);
    taken.add(own);
    labels.set(label, own);
  }
  return labels;
}

const relabelled = (
  utterance: Utterance,
  labelOf: (label: string | undefined) => string | undefined,
): Utterance => ({
  ...utterance,
  segments: utterance.segments.map(({ speaker, ...segment }) =>
    speaker === undefined ? segment : { ...segment, speaker: labelOf(speaker) ?? speaker },
  ),
});

const workerIn = ({ data: { engine, model } }: { data: Worker }): Worker => ({ engine, model });

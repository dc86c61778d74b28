import { basisOf, isJoined, type Source } from '../../events/facts/sources.ts';
import type { Kind } from '../../events/facts/recording.ts';
import type { Block, Correction, Stretch } from '../../events/facts/transcript.ts';
import { type Utterance, utterancesIn } from './utterances.ts';
import { liveSpeakers } from './earlier-names.ts';
import { isRenamed, isTitleGiven, titleOf, writtenTexts } from './written-texts.ts';
import { notesOf } from './notes.ts';
import { type Interruption, interruptionsOf } from './interruptions.ts';
import { peopleGiven } from './people-given.ts';
import { type Sidenote, sidenotesOf } from './sidenotes.ts';
import { type Line, type OfferedSummary, editableLines, offeredSummary } from './summary.ts';
import type { Note } from '../../src/words/notes.ts';
import { withCorrections } from './corrected-lines.ts';
import { paragraphs } from './paragraphs.ts';
import { audioFact, factAt, factsOf, shownOf, type ReadFact, type Recording } from './recording.ts';
import {
  type TurnChange,
  blocksAfter,
  changesTo,
  isRecut,
  lastOfEachBlock,
} from './turn-changes.ts';

/** What a recording says: of its present documents, of an earlier version, or of what is under way. */
export type Reading = {
  /** The facts that it is read from. */
  source: Source;
  kind: Kind;
  /** By a person, else by the last run, else as asked for at the beginning. */
  title: string | null;
  /** Name of the file it was imported from; null for a captured one. */
  filename: string | null;
  /** When it began, as a person said; null: as the first fact has it. RFC 3339 with offset. */
  localStart: string | null;
  /** All titles that people replaced, oldest first: none from before something was removed, which they may quote. */
  formerTitles: string[];
  /** The same of the first title, by which its documents are named. */
  isFirstTitleGone: boolean;
  abstract: string | null;
  summary: string | null;
  /** The summary line by line; none where it is prose. */
  lines: Line[];
  /** The lines that people see and edit: these, or the paragraphs of prose. */
  editable: Line[];
  /** What a model made of it since people edited it; null: nothing that waits for their word. */
  offered: OfferedSummary | null;
  /** As a person said, else as heard, else as asked for. ISO 639-1 code. */
  language: string | null;
  /** Seconds. */
  duration: number | null;
  /** Names by label, as people gave them. */
  names: Record<string, string>;
  /** Everyone who may be named, also those whom only a correction found (of no seconds in older logs). */
  speakers: Speaker[];
  /** What to ask of people who are to name the speakers. */
  suggestions: Suggestion[];
  /** The transcript with everything that people corrected. */
  blocks: Block[];
  /** Version of the fact whose blocks these are, which is what a correction refers to. */
  basis: number | null;
  /** The same before anyone corrected it, and before its punctuation. */
  recognised: Block[];
  raw: Block[];
  /** As they were heard, before people corrected them while the meeting waited for its speakers. */
  heard: Block[];
  /** Corrections of an earlier transcript that found no place in this one. */
  unplaced: Correction[];
  /** What people wrote beside it, by its times. */
  sidenotes: Sidenote[];
  /** When nothing was recorded for a while. */
  interruptions: Interruption[];
  /** Names of people who may be heard, as they were given. */
  people: readonly string[];
  /** The plan of what to recognise, and what was recognised by it. */
  plan: Stretch[] | null;
  /** The channel of each stretch of the plan; null: it is of the mix. */
  channels: readonly (0 | 1)[] | null;
  utterances: readonly Utterance[];
  notes: Note[];
};

export type Speaker = {
  label: string;
  name: string | null;
  seconds: number;
  /** All that was under this label is another's by now. */
  silent?: true;
};

/** Those of whom anything is left that they said. */
export const thoseWhoSpeak = <S extends Pick<Speaker, 'silent'>>(speakers: readonly S[]): S[] =>
  speakers.filter(({ silent }) => !silent);

export type Suggestion = {
  label: string;
  suggestedName: string | null;
  confidence: number | null;
  reason: string | null;
  seconds: number;
  /** Of all that was said, 0 to 1. */
  share: number;
  sample: Sample | null;
  /** More to choose from. */
  samples: Sample[];
};

/** Something a speaker said, with where it is in the audio. */
export type Sample = { start: number; end: number; text: string };

/** What people are shown; null while there are no documents. */
export const published = (recording: Recording): Reading | null =>
  recording.sources.published && read(recording, recording.sources.published);

/** Whether an earlier version is about to take the place of what people are shown, and of what they say of that now. */
export const isRestoring = ({ sources }: Pick<Recording, 'sources'>): boolean =>
  sources.published !== null &&
  sources.draft.results.restored !== null &&
  basisOf(sources.draft) !== basisOf(sources.published);

/** What the next documents will say, as far as it is known. */
export const draft = (recording: Recording): Reading => read(recording, recording.sources.draft);

/** What people are shown; without documents what there is so far. */
export const shown = (recording: Recording, utterances?: readonly Utterance[]): Reading =>
  read(recording, shownOf(recording), utterances);

/**
 * Reads the facts that count. Pure.
 * @param heard the utterances, where they are not among the facts
 */
export function read(recording: Recording, source: Source, heard?: readonly Utterance[]): Reading {
  const { results } = source;
  const basis = basisOf(source);
  const restored = factAt(recording, results.restored, 'version.restored');
  const carried = factAt(recording, results.carried, 'corrections.carried_over');
  const turns = factAt(recording, results.turns, 'turns.joined');
  const plan = factAt(recording, results.plan, 'speech.detected');
  // Before there is punctuation people correct the turns themselves: what follows is made of these.
  const early = changesTo(recording, results, results.turns);
  const late = basis === results.turns ? [] : changesTo(recording, results, basis);
  const edits = lastOfEachBlock(late);
  const names = namesIn(recording, source, [...early, ...late]);
  const channels = plan?.data.channels;
  const utterances = (heard ?? utterancesIn(recording, source)).map((one) =>
    channels ? { ...one, channel: channels[one.index] } : one,
  );
  const turned =
    turns?.content?.turns ?? paragraphs(channels ? byTime(utterances) : utterances, null);
  const raw = blocksAfter(turned, early);
  const punctuated = factAt(recording, results.punctuated, 'transcript.punctuated');
  const recognised = punctuated?.content?.blocks ?? raw;
  const blocks = restored?.content?.blocks ?? carried?.content?.blocks ?? recognised;
  const written = writtenTexts(recording, source);
  const offered = offeredSummary(recording, source);
  const standing = [...lastOfEachBlock(early), ...edits, ...[...early, ...late].filter(isRecut)];
  const isHeard = results.transcription !== null || results.voiced === null;
  const speakers = isHeard
    ? speakersIn(restored ?? turns, carried, standing, names, [
        ...late.toReversed(),
        ...(restored ? [restored] : [carried, ...early.toReversed()]),
      ])
    : liveSpeakers(recording, results);
  const shownBlocks = blocksAfter(blocks, late);
  const corrected = withCorrections(carried?.content?.corrected ?? [], late, shownBlocks);
  const given = givenByPeople(recording, source, speakers);
  return {
    source,
    kind: source.kind ?? 'solo',
    title: plainTitle(titleOf(recording, source, speakers)),
    filename: factAt(recording, 1, 'audio.imported')?.content?.filename ?? null,
    localStart: factAt(recording, results.startChanged, 'start.changed')?.data.local_start ?? null,
    ...titlesBefore(recording, results),
    ...corrected.texts(written),
    lines: corrected.lines(written.lines),
    editable: corrected.lines(editableLines(recording, source)),
    offered: offered && { ...offered, lines: corrected.lines(offered.lines) },
    language: languageOf(recording, source),
    duration: durationOf(recording, source),
    names,
    speakers,
    suggestions: turns ? suggestionsIn(turns, speakers, samplesAfter(early)) : [],
    blocks: shownBlocks,
    basis,
    recognised,
    raw,
    heard: turned,
    unplaced: restored ? [] : (carried?.content?.unplaced ?? []),
    sidenotes: sidenotesOf(recording, source, shownBlocks),
    interruptions: interruptionsOf(recording, source),
    people: peopleGiven(recording),
    plan: plan?.data.stretches ?? null,
    channels: channels ?? null,
    utterances,
    notes: notesOf(source, [...countingFacts(recording, source), ...edits], given),
  };
}

/** Titles that it had, without those from before a part of it was last removed, or became another recording. */
function titlesBefore(
  recording: Recording,
  { titled, named }: Source['results'],
): Pick<Reading, 'formerTitles' | 'isFirstTitleGone'> {
  const shortened =
    recording.facts.findLast((fact) => fact.type === 'audio.assembled' && !isJoined(fact.data))
      ?.version ?? 0;
  const formerTitles = factsOf(recording, 'title.changed', titled).flatMap(({ version, content }) =>
    version < shortened ? [] : (plainTitle(content?.previous ?? null) ?? []),
  );
  return { formerTitles, isFirstTitleGone: (named ?? 0) < shortened };
}

const byTime = (utterances: readonly Utterance[]): Utterance[] =>
  utterances.toSorted((a, b) => a.start - b.start);

/** Seconds of its audio: as it was decoded last, unless audio came after that. */
export function durationOf(recording: Recording, source: Source): number | null {
  const plan = factAt(recording, source.results.plan, 'speech.detected');
  const audio = audioFact(recording, source);
  const isCurrent = plan && plan.version > (audio?.version ?? 0);
  return (isCurrent ? plan : (audio ?? plan))?.data.duration ?? null;
}

/** The facts that count, each once. */
function countingFacts(recording: Recording, { results }: Source): ReadFact[] {
  const versions = new Set(Object.values(results).filter((version) => version !== null));
  // The corrections that count are looked at by themselves.
  if (results.edited !== null) versions.delete(results.edited);
  return recording.facts.filter(({ version }) => versions.has(version));
}

/** A title without overrides of its direction: with them it could show as another one (CVE-2021-42574). */
export const plainTitle = <T extends string | null>(title: T): T =>
  (title === null ? null : title.replaceAll(/[\u202A-\u202E\u2066-\u2069]/gu, '')) as T;

/** `language.set` to null means: as it was heard. */
function languageOf(recording: Recording, source: Source): string | null {
  const { results } = source;
  const { asked, sources } = recording;
  return (
    factAt(recording, results.languageSet, 'language.set')?.data.language ??
    factAt(recording, results.transcription, 'transcription.completed')?.data.language ??
    (source === sources.draft ? asked.draft : asked.published)
  );
}

/** Who named the speakers named them all; what came later adds to it. */
function namesIn(
  recording: Recording,
  { results }: Source,
  changes: readonly TurnChange[],
): Record<string, string> {
  const named = factAt(recording, results.names, 'speakers.named', 'speakers.renamed');
  const since = named?.version ?? 0;
  const names: Record<string, string> = { ...named?.content?.names };
  for (const text of [
    factAt(recording, results.restored, 'version.restored'),
    factAt(recording, results.carried, 'corrections.carried_over'),
  ]) {
    if (text && text.version > since) Object.assign(names, text.content?.names);
  }
  for (const { data, content, version } of changes) {
    const speaker = 'by' in data ? (data.by.at(-1)?.speaker ?? null) : data.speaker;
    if (speaker === null || content?.name === undefined || version < since) continue;
    names[speaker] ??= content.name;
  }
  return names;
}

function speakersIn(
  found: ReadFact<'version.restored'> | ReadFact<'turns.joined'> | null,
  carried: ReadFact<'corrections.carried_over'> | null,
  changes: readonly TurnChange[],
  names: Readonly<Record<string, string>>,
  /** What may say how long they spoke since, the last first. */
  since: readonly (
    | TurnChange
    | ReadFact<'corrections.carried_over'>
    | ReadFact<'version.restored'>
    | null
  )[],
): Speaker[] {
  const known = found?.data.speakers ?? [];
  const spoken = since.find((fact) => fact?.data.spoken)?.data.spoken;
  const secondsOf = (label: string, before: number): number =>
    spoken ? (Object.hasOwn(spoken, label) && spoken[label]) || 0 : before;
  const others = new Set<string>();
  const placed = found?.type === 'version.restored' ? [] : (carried?.data.labels ?? []);
  const given = changes.flatMap(({ data }) =>
    'by' in data ? data.by.map(({ speaker }) => speaker) : [data.speaker],
  );
  for (const label of [...placed, ...given]) {
    if (label !== null && !known.some((one) => one.label === label)) others.add(label);
  }
  return [...known, ...[...others].map((label) => ({ label, seconds: 0 }))].map(
    ({ label, seconds }) => ({
      label,
      seconds: secondsOf(label, seconds),
      name: nameOf(label, names),
      ...(spoken && !Object.hasOwn(spoken, label) ? { silent: true } : {}),
    }),
  );
}

/** What of it people said themselves, by which some notes come or go. */
const givenByPeople = (recording: Recording, source: Source, speakers: Reading['speakers']) => ({
  titleGiven: isTitleGiven(recording, source),
  renamed: isRenamed(recording, source),
  // Those without a word are not shown.
  allNamed: speakers.length > 0 && speakers.every((one) => one.name !== null || one.seconds === 0),
});

/** An empty name is none: the label stays. Labels come from outside, so only own properties count. */
const nameOf = (label: string, names: Readonly<Record<string, string>>): string | null =>
  (Object.hasOwn(names, label) && names[label]?.trim()) || null;

/** Everybody who may be named; also those whom only a correction found. */
function suggestionsIn(
  { content }: ReadFact<'turns.joined'>,
  speakers: Reading['speakers'],
  samplesSince: Readonly<Record<string, Sample[]>> | undefined,
): Suggestion[] {
  const total = speakers.reduce((sum, { seconds }) => sum + seconds, 0);
  return speakers.map(({ label, name, seconds }) => {
    const found = content?.suggestions.find((one) => one.label === label);
    const since = samplesSince && Object.hasOwn(samplesSince, label) && samplesSince[label];
    const [sample = null, ...samples] = since || [found?.sample ?? [], found?.samples ?? []].flat();
    return {
      label,
      suggestedName: name ?? found?.name ?? null,
      confidence: name === null ? (found?.confidence ?? null) : 1,
      reason: name === null ? (found?.reason ?? null) : 'named-before',
      seconds,
      share: total > 0 ? Math.round((seconds / total) * 1000) / 1000 : 0,
      sample,
      samples,
    };
  });
}

/** What tells who is who after these corrections; undefined without any, or of older logs. */
const samplesAfter = (changes: readonly TurnChange[]) =>
  changes.findLast(({ content }) => content?.samples)?.content?.samples;

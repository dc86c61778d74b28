import { doubtsIn } from './utterances.ts';
import { type Source, basisOf } from '../../events/facts/sources.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Block, Moved, NamedVoice, Word } from '../../events/facts/transcript.ts';
import type { Reading, Sample } from './reading.ts';
import { type ReadFact, type Recording, factAt } from './recording.ts';
import { changesTo } from './turn-changes.ts';
import { endsSentence } from '../../src/shared/sentence-ends.ts';
import type { LabelledTurn } from './join-turns.ts';

/** A name that a person gave to a label of one recording, and how the label sounds. */
export type NamedLabel = {
  label: string;
  /** As the recording has it. */
  given: string;
  /** What they are called: the same, unless the profile was renamed since. */
  name: string;
  /** Of the fact: in its stream, in the log, and when. */
  version: number;
  position: number;
  at: string;
  /** Null: too little speech, mixed speech, or voices are not remembered. */
  voice: Voice | null;
  /** The person took it back: it says nothing of anyone, until another name is given. */
  revoked?: true;
  /** Voices were remembered when it was named: it may be measured again. */
  remembered?: true;
  /** People moved speech to or from it since its voice was measured. */
  moved?: true;
  /** Id of the embedding model with which it was measured last, as it is now. */
  tried?: string;
};

export type Voice = Omit<NamedVoice, 'label'>;

/** Speech that an embedding has to be made of to enter a profile, seconds. */
export const profileSecondsMin = 10;

/** Part of a label's speech that has to be left under its name; with less its embedding is of others too. */
const ownShareMin = 0.8;

/** Two voices of one recording that are that similar were not told apart: neither says who it is. */
const sameVoiceMin = 0.7;

/** The names people gave in a recording, after a fact of it; the same object where it changes none. Pure. */
export function namedAfter(
  named: readonly NamedLabel[],
  fact: ReadFact & { position?: number },
): readonly NamedLabel[] {
  switch (fact.type) {
    // Who named the speakers named them all.
    case 'speakers.named':
      return namedBy(fact, []);
    case 'speakers.renamed': {
      const kept = stillNamed(named, fact.content?.names);
      return [...kept, ...namedBy(fact, kept)];
    }
    case 'version.restored':
      return stillNamed(named, fact.content?.names);
    case 'turn.edited':
    case 'turns.recut':
    case 'corrections.carried_over':
      return fact.data.moved ? movedAfter(named, fact.data.moved) : named;
    case 'voice.measured':
      return named.map((one) => measuredAfter(one, fact));
    case 'voice.renamed':
      return named.map((one) =>
        fact.content && fact.data.labels.includes(one.label)
          ? { ...one, name: fact.content.name }
          : one,
      );
    case 'voice.revoked':
      return named.map((one) =>
        fact.data.labels.includes(one.label) ? { ...one, voice: null, revoked: true } : one,
      );
    // What one user said of voices is not for the next.
    case 'recording.handed_over':
    case 'recording.discarded':
    case 'recording.erased':
      return [];
    default:
      return named;
  }
}

/** The names people gave in a recording, as they are now; none of those taken back. Pure. */
export const namedLabels = ({ facts }: Pick<Recording, 'facts'>): NamedLabel[] =>
  facts.reduce<readonly NamedLabel[]>(namedAfter, []).filter(({ revoked }) => !revoked);

/** Whether a voice is to be measured with an embedding model: made by another one, or of other speech. */
export const isToMeasure = (
  { revoked, remembered, moved, tried, voice }: NamedLabel,
  model: string,
): boolean =>
  !revoked &&
  remembered === true &&
  tried !== model &&
  (moved === true || (voice !== null && voice.embedding_model !== model));

/**
 * The voices that may be known by the names a person gives, of labels with speech enough that is theirs alone; and the
 * labels to or from which people moved speech, whose voices are to be measured from the audio. Pure.
 * @param names by label; what was named before and stays is not among them
 */
export function voicesNamed(
  recording: Recording,
  { source, heard, blocks, names: before }: Reading,
  names: Readonly<Record<string, string>>,
): { voices: NamedVoice[]; moved: string[] } {
  const { diarization } = source.results;
  const content = factAt(recording, diarization, 'diarization.completed')?.content;
  const heardVoices = content
    ? content.voices.map((voice) => ({ ...voice, embedding_model: content.embedding_model }))
    : [];
  const all: Readonly<Record<string, string>> = { ...before, ...names };
  // A label of another transcript may be another voice: only under the same name it is the one that was measured.
  const known = namedLabels(recording).filter(
    ({ label, given, tried, moved }) => tried !== undefined && !moved && before[label] === given,
  );
  const isKnown = (label: string) => known.some((one) => one.label === label);
  const { from, to } = movedIn(recording, source);
  const moved = [...new Set([...from, ...to])].filter(
    (label) => Object.hasOwn(names, label) && !isKnown(label),
  );
  const voices = [
    ...known.flatMap(({ label, voice }) => (voice ? [{ label, ...voice }] : [])),
    ...heardVoices.filter(({ label }) => !isKnown(label)),
  ];
  const isOwn = ({ label }: NamedVoice) =>
    isKnown(label) || (!from.has(label) && ownShare(label, heard, blocks, all) >= ownShareMin);
  const own = profileVoices(voices, names, all).filter(isOwn);
  return { voices: withSamples(own, recording, { source, blocks }), moved };
}

/**
 * Those of some voices that say who it is: of labels that were named, of speech enough. Left out are two that sound
 * alike under different names, and a name that is of several people. Pure.
 * @param all names by label; of those in `names` the voices are asked for
 */
export function profileVoices(
  voices: readonly NamedVoice[],
  names: Readonly<Record<string, string>>,
  all: Readonly<Record<string, string>>,
): NamedVoice[] {
  return voices.filter(({ label, seconds, embedding, embedding_model: model }) => {
    const name = Object.hasOwn(names, label) ? (names[label] ?? '') : '';
    if (name === '' || isOfSeveral(name) || seconds < profileSecondsMin) return false;
    return !voices.some(
      (other) =>
        other.label !== label &&
        other.embedding_model === model &&
        Object.hasOwn(all, other.label) &&
        all[other.label] !== name &&
        similarity(other.embedding, embedding) >= sameVoiceMin,
    );
  });
}

/** With the sentence by which each is told, of what stands under its label. Pure. */
export function withSamples(
  voices: readonly NamedVoice[],
  recording: Recording,
  { source, blocks }: Pick<Reading, 'source' | 'blocks'>,
): NamedVoice[] {
  const { diarization } = source.results;
  const diarized = factAt(recording, diarization, 'diarization.completed')?.data.turns ?? [];
  return voices.map(({ sample: _sample, ...voice }) => {
    const [said] = voiceSamples(voice.label, blocks, diarized);
    return said ? { ...voice, sample: [said.start, said.end] } : voice;
  });
}

/** Cosine similarity, −1 to 1; −1 when there is nothing to compare. */
export function similarity(a: readonly number[] | null, b: readonly number[] | null): number {
  if (!a || !b || a.length !== b.length) return -1;
  let dot = 0;
  for (let i = 0; i < a.length; i += 1) dot += (a[i] ?? 0) * (b[i] ?? 0);
  return dot / (Math.hypot(...a) * Math.hypot(...b) || 1);
}

/** A speaker's longest sentence, and so many more to choose from. */
const samplesMax = 3;

/** As much of a sentence as it takes to tell a voice: this many words, from its beginning. */
const sampleWords = 40;

/** A pause that ends a sentence where the recogniser set no marks, seconds. */
const pauseSeconds = 0.5;

/**
 * What a speaker said, by which a person tells who it is: their longest sentences, the longest first. Clean ones
 * come first: nobody speaks at the same time (by `diarized`), and nothing says that the words may be wrong. Pure.
 */
export function voiceSamples(
  label: string,
  turns: readonly Block[],
  diarized: readonly LabelledTurn[],
): Sample[] {
  const others = diarized.filter(([, , speaker]) => speaker !== label);
  const sentences = turns
    .filter(({ speaker }) => speaker === label)
    .flatMap((turn) =>
      sentencesOf(turn).map((sample) => ({
        sample,
        isDoubtful: doubtsIn({ ...turn, start: sample.start, end: sample.end }).length > 0,
      })),
    );
  const longest = sentences.toSorted((a, b) => lengthOf(b.sample) - lengthOf(a.sample));
  const isClean = ({ sample, isDoubtful }: (typeof sentences)[number]) =>
    !isDoubtful && !others.some(([start, end]) => start < sample.end && end > sample.start);
  const clean: Sample[] = [];
  for (const one of longest) {
    if (clean.length === samplesMax) break;
    if (isClean(one)) clean.push(one.sample);
  }
  const rest = longest.map(({ sample }) => sample).filter((sample) => !clean.includes(sample));
  // Better one that is not clean than none.
  return clean.length > 0 ? clean : rest.slice(0, samplesMax);
}

type Naming = RecordingFactOf<'speakers.named' | 'speakers.renamed'>;

/** Those that a fact names besides. */
function namedBy(
  { data, content, version, at, position = 0 }: ReadFact & Naming & { position?: number },
  known: readonly NamedLabel[],
): NamedLabel[] {
  const voices = new Map(
    (content?.voices ?? []).map(({ label, ...voice }): [string, Voice] => [label, voice]),
  );
  return Object.entries(content?.names ?? {})
    .filter(([label, name]) => name !== '' && !known.some((one) => one.label === label))
    .map(([label, name]) => ({
      label,
      given: name,
      name,
      version,
      position,
      at,
      voice: voices.get(label) ?? null,
      ...(content?.voices ? { remembered: true as const } : {}),
      ...(data.moved?.includes(label) ? { moved: true as const } : {}),
    }));
}

const stillNamed = (
  named: readonly NamedLabel[],
  names: Readonly<Record<string, string>> = {},
): NamedLabel[] =>
  named.filter(({ label, given }) => Object.hasOwn(names, label) && names[label] === given);

/** What others said does not stay in a voice; what is theirs too is added when it is measured. */
function movedAfter(named: readonly NamedLabel[], { from, to }: Moved): readonly NamedLabel[] {
  const isConcerned = ({ label, remembered, revoked }: NamedLabel) =>
    remembered && !revoked && [...from, ...to].includes(label);
  if (!named.some(isConcerned)) return named;
  return named.map((one) => {
    if (!isConcerned(one)) return one;
    const { tried: _tried, voice, ...rest } = one;
    return { ...rest, voice: from.includes(one.label) ? null : voice, moved: true };
  });
}

function measuredAfter(one: NamedLabel, { data, content }: ReadFact<'voice.measured'>): NamedLabel {
  if (one.revoked || !content || !data.labels.includes(one.label)) return one;
  const { moved, ...rest } = one;
  const found = content.voices.find(({ label }) => label === one.label);
  const tried = data.embedding_model;
  // Of another model, and not less true for that; but what others said does not come back.
  if (!found) return { ...one, voice: moved ? null : one.voice, tried };
  const { label: _label, ...voice } = found;
  return { ...rest, voice, tried };
}

/** `Anna & Ben`, `Anna und Ben`: a voice of several is no voice. */
const isOfSeveral = (name: string): boolean => /[&+/]|\s(?:und|and|et)\s/iu.test(name);

/** The labels between which people moved speech of a transcript. */
function movedIn(
  recording: Recording,
  { results }: Source,
): { from: Set<string>; to: Set<string> } {
  const bases = new Set([results.turns, basisOf({ results })]);
  const facts = [
    ...[...bases].flatMap((basis) => changesTo(recording, results, basis)),
    factAt(recording, results.carried, 'corrections.carried_over'),
  ];
  const moved = facts.flatMap((fact) => fact?.data.moved ?? []);
  return {
    from: new Set(moved.flatMap(({ from }) => from)),
    to: new Set(moved.flatMap(({ to }) => to)),
  };
}

/** Which part of what was heard of a label people left under its name. */
function ownShare(
  label: string,
  heard: readonly Block[],
  blocks: readonly Block[],
  names: Readonly<Record<string, string>>,
): number {
  const said = heard.filter(({ speaker }) => speaker === label);
  const own = blocks.filter(
    ({ speaker }) =>
      speaker === label ||
      (speaker !== null && names[speaker] !== undefined && names[speaker] === names[label]),
  );
  const total = said.reduce((sum, { start, end }) => sum + end - start, 0);
  if (total === 0) return 1;
  let left = 0;
  for (const one of said) {
    for (const other of own) {
      left += Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start));
    }
  }
  return left / total;
}

const lengthOf = ({ start, end }: Sample): number => end - start;

/** The sentences of a turn with their times; without times of words, the whole turn. */
function sentencesOf({ text, words, start, end }: Block): Sample[] {
  if (words.length === 0) return [shortened({ start, end, text })];
  const sentences: Word[][] = [];
  for (const [at, word] of words.entries()) {
    const last = words[at - 1];
    if (!last || endsSentence(last.text, word.text) || word.start - last.end >= pauseSeconds)
      sentences.push([word]);
    else sentences.at(-1)?.push(word);
  }
  return sentences.map((own) => {
    const some = own.slice(0, sampleWords);
    const said = some.map((word) => word.text.trim()).join(' ');
    return {
      start: some[0]!.start,
      end: some.at(-1)!.end,
      text: some.length < own.length ? `${said} …` : said,
    };
  });
}

function shortened({ start, end, text }: Sample): Sample {
  const spoken = text.split(/\s+/u);
  if (spoken.length <= sampleWords) return { start, end, text };
  const share = sampleWords / spoken.length;
  const said = `${spoken.slice(0, sampleWords).join(' ')} …`;
  return { start, end: start + share * (end - start), text: said };
}

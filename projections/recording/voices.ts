import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Block, NamedVoice } from '../../events/facts/transcript.ts';
import type { Reading } from './reading.ts';
import { type ReadFact, type Recording, factAt } from './recording.ts';

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
};
export type Voice = Omit<NamedVoice, 'label'>;

/** Speech that an embedding has to be made of to enter a profile, seconds. */
export const profileSecondsMin = 10;
/** Part of a label's speech that has to be left under its name; with less its embedding is of others too. */
const ownShareMin = 0.8;
/** Two voices of one recording that are that similar were not told apart: neither says who it is. */
const sameVoiceMin = 0.7;

/** The names people gave in a recording, after a fact of it. Pure. */
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

/**
 * The voices that may be known by the names a person gives: of labels with speech enough that is theirs alone.
 * Left out are those of which much was moved to others, two that sound alike under different names, and a
 * name that is of several people. Pure.
 * @param names by label; what was named before and stays is not among them
 */
export function voicesNamed(
  recording: Pick<Recording, 'facts'>,
  { source, heard, blocks, names: before }: Reading,
  names: Readonly<Record<string, string>>,
): NamedVoice[] {
  const { diarization } = source.results;
  const content = factAt(recording, diarization, 'diarization.completed')?.content;
  const all: Readonly<Record<string, string>> = { ...before, ...names };
  const voices = content?.voices ?? [];
  const joined = factAt(recording, source.results.turns, 'turns.joined')?.content;
  return voices.flatMap(({ label, seconds, embedding }) => {
    const name = Object.hasOwn(names, label) ? names[label]! : '';
    if (name === '' || isOfSeveral(name) || seconds < profileSecondsMin) return [];
    if (ownShare(label, heard, blocks, all) < ownShareMin) return [];
    const isMixed = voices.some(
      (other) =>
        other.label !== label &&
        Object.hasOwn(all, other.label) &&
        all[other.label] !== name &&
        similarity(other.embedding, embedding) >= sameVoiceMin,
    );
    if (isMixed) return [];
    const said = joined?.suggestions.find((one) => one.label === label)?.sample;
    const sample: Pick<Voice, 'sample'> = said ? { sample: [said.start, said.end] } : {};
    return [{ label, seconds, embedding, embedding_model: content!.embedding_model, ...sample }];
  });
}

/** Cosine similarity, −1 to 1; −1 when there is nothing to compare. */
export function similarity(a: readonly number[] | null, b: readonly number[] | null): number {
  if (!a || !b || a.length !== b.length) return -1;
  let dot = 0;
  for (let i = 0; i < a.length; i += 1) dot += a[i]! * b[i]!;
  return dot / (Math.hypot(...a) * Math.hypot(...b) || 1);
}

type Naming = RecordingFactOf<'speakers.named' | 'speakers.renamed'>;

/** Those that a fact names besides. */
function namedBy(
  { content, version, at, position = 0 }: ReadFact & Naming & { position?: number },
  known: readonly NamedLabel[],
): NamedLabel[] {
  const voices = new Map(
    (content?.voices ?? []).map(({ label, ...voice }): [string, Voice] => [label, voice]),
  );
  return Object.entries(content?.names ?? {})
    .filter(([label, name]) => name !== '' && !known.some((one) => one.label === label))
    .map(([label, name]) => {
      const voice = voices.get(label) ?? null;
      return { label, given: name, name, version, position, at, voice };
    });
}

const stillNamed = (
  named: readonly NamedLabel[],
  names: Readonly<Record<string, string>> = {},
): NamedLabel[] =>
  named.filter(({ label, given }) => Object.hasOwn(names, label) && names[label] === given);

/** `Anna & Ben`, `Anna und Ben`: a voice of several is no voice. */
const isOfSeveral = (name: string): boolean => /[&+/]|\s(?:und|and|et)\s/iu.test(name);

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

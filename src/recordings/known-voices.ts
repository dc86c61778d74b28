import type { RecordingFactOf } from '../../events/facts/recording.ts';
import { meanOf } from '../../projections/voice-clusters.ts';
import { type Person, isSameName, people, peopleNamed } from '../../projections/people.ts';
import { profileSecondsMin, similarity } from '../../projections/recording/voices.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { Log } from '../shared/log.ts';

/** A label of a new meeting that sounds like a person this user named before. */
export type VoiceMatch = { label: string; name: string; confidence: number; reason: 'voice' };
/** What a diarization found out about its speakers. */
export type HeardVoices = NonNullable<RecordingFactOf<'diarization.completed'>['content']>;

/** Whom a user knows: what is suggested to them is made of it. */
export type KnownVoices = {
  /** Names the user confirmed, those named last first; `peopleNamed` has the bound. */
  peopleOf(owner: string): Promise<string[]>;
  /** The labels whose voice is one that the user named, each at most once. Of another user's nothing is known. */
  voiceMatches(owner: string, heard: HeardVoices): Promise<VoiceMatch[]>;
};

/**
 * Similarity (cosine) from which a voice is taken for one that is known, as for windows of one recording. With the
 * test models 16 s of one espeak-ng voice are at 0.99 to other 16 s of it, and at 0.11 at most to another voice …
 */
const matchMin = 0.5;
/** … and how much nearer it has to be than to the next person; else both are unlikely. */
const matchLead = 0.05;
/** Confidence at the threshold, and of a match that is hardly nearer than another. */
const confidenceMin = 0.5;
const confidenceOfDoubt = 0.3;

export function openKnownVoices(deps: {
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'applied'>;
  head(): Promise<number>;
  /** `speakers.profiles` */
  isOn(): boolean;
  log: Log;
}): KnownVoices {
  /** What was named a moment ago counts. A suggestion is not worth a failed stage. */
  const named = async (
    owner: string,
    options: { voices?: true; model?: string } = {},
  ): Promise<Person[]> => {
    try {
      await deps.projections.applied(people.name, await deps.head());
      return await peopleNamed(deps.storage, owner, options);
    } catch (error) {
      deps.log.warn({ err: error }, 'known voices cannot be read; no names are suggested');
      return [];
    }
  };
  return {
    peopleOf: async (owner) => (await named(owner)).map(({ name }) => name),
    async voiceMatches(owner, { embedding_model: model, voices }) {
      const enough = voices.filter(({ seconds }) => seconds >= profileSecondsMin);
      if (!deps.isOn() || enough.length === 0) return [];
      const known = await named(owner, { voices: true, model });
      return matchesOf(enough, known);
    },
  };
}

/** Each voice's nearest person, if near enough; of one name the voice that is nearest. Pure. */
export function matchesOf(
  voices: HeardVoices['voices'],
  known: readonly Pick<Person, 'name' | 'confirmations'>[],
): VoiceMatch[] {
  const profiles = known.map((one) => ({ name: one.name, mean: meanVoice(one) }));
  return voices.flatMap(({ label, embedding }): VoiceMatch[] => {
    const [best, ...others] = profiles
      .map(({ name, mean }) => ({ name, alike: similarity(mean, embedding) }))
      .toSorted((a, b) => b.alike - a.alike);
    if (!best || best.alike < matchMin) return [];
    const next = others.find(({ name }) => !isSameName(name, best.name));
    const isDoubtful = next !== undefined && best.alike - next.alike < matchLead;
    const above = (best.alike - matchMin) / (1 - matchMin);
    const confidence = isDoubtful ? confidenceOfDoubt : confidenceMin + above * (1 - confidenceMin);
    return [{ label, name: best.name, confidence: hundredths(confidence), reason: 'voice' }];
  });
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;

const meanVoice = ({ confirmations }: Pick<Person, 'confirmations'>): number[] | null =>
  meanOf(confirmations.flatMap(({ voices }) => voices));

const oldestOf = ({ confirmations }: Pick<Person, 'confirmations'>): number =>
  confirmations.at(-1)?.n ?? 0;

/** A name given in a recording to a voice that does not sound like those of that name before. */
export type UnlikeVoice = { label: string; name: string; soundsLike: string | null };

/** Those of one recording: they were kept as voices of their own. Pure. @param known with voices of one model */
export function unlikeVoices(known: readonly Person[], recordingId: string): UnlikeVoice[] {
  return known.flatMap((person, at) => {
    const oldest = oldestOf(person);
    const hasBefore = known.some((other, index) => {
      const n = oldestOf(other);
      return isSameName(other.name, person.name) && (n < oldest || (n === oldest && index < at));
    });
    if (!hasBefore || person.confirmations.some((one) => one.recordingId !== recordingId))
      return [];
    const mean = meanVoice(person);
    const [nearest] = known
      .filter(({ name }) => !isSameName(name, person.name))
      .map((other) => ({ name: other.name, alike: similarity(mean, meanVoice(other)) }))
      .toSorted((a, b) => b.alike - a.alike);
    const soundsLike = nearest && nearest.alike >= matchMin ? nearest.name : null;
    return person.confirmations
      .flatMap(({ labels }) => labels)
      .map((label) => ({ label, name: person.name, soundsLike }));
  });
}

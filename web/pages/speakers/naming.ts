/** Names that a person gives to the voices of a meeting, before they are sent. */
import type { Schema } from '../../client/api.ts';

export type Suggestion = Schema<'SpeakerSuggestion'>;
export type Waiting = {
  recording_id: string;
  title: string | null;
  source: string | null;
  started_at: string;
  speakers: Suggestion[];
  /** Of the transcript whose labels these are. */
  revision: string | null;
};

/** What names are typed for: the labels of one transcript of a meeting. */
export const namedKey = ({ recording_id: id, revision }: Waiting): string => `${id} ${revision}`;

/** Why a meeting does not wait any more: it is recognised again, was erased, or somebody ended that elsewhere. */
export type Gone = 'again' | 'deleted' | 'elsewhere';

/** By label; `typed`: by the person, so that no later suggestion replaces it. */
export type Names = Record<string, { name: string; typed: boolean }>;

/** Names as they are suggested now, but for those that the person typed. */
export function withSuggestions(names: Names, speakers: readonly Suggestion[]): Names {
  return Object.fromEntries(
    speakers.map(({ label, suggested_name: suggested }) => [
      label,
      names[label]?.typed ? names[label] : { name: suggested ?? '', typed: false },
    ]),
  );
}

/** The first speaker before `label` who is given the same name: both become one. */
export function twinOf(
  label: string,
  names: Names,
  speakers: readonly Suggestion[],
): Suggestion | undefined {
  const own = names[label]?.name.trim() ?? '';
  if (own === '') return undefined;
  const before = speakers.slice(
    0,
    speakers.findIndex((speaker) => speaker.label === label),
  );
  return before.find((speaker) => names[speaker.label]?.name.trim() === own);
}

/** What is sent: also empty names, which take away those that corrections gave. */
export const namesToSend = (names: Names): Record<string, string> =>
  Object.fromEntries(Object.entries(names).map(([label, { name }]) => [label, name.trim()]));

/** From here on a suggested name is called likely. */
const likelyFrom = 0.8;

export const isLikely = ({ confidence }: Pick<Suggestion, 'confidence'>): boolean =>
  (confidence ?? 0) >= likelyFrom;

/** More known people than this are not offered. */
const offersMax = 6;

/** Known people one of whose names begins with what was typed; none once a name is complete. */
export function offersFor(typed: string, people: readonly string[]): string[] {
  const wanted = nameKey(typed);
  if (wanted === '') return [];
  if (people.some((name) => nameKey(name) === wanted)) return [];
  return people
    .filter((name) => {
      const key = nameKey(name);
      return key.startsWith(wanted) || key.split(' ').some((part) => part.startsWith(wanted));
    })
    .slice(0, offersMax);
}

const nameKey = (name: string): string => name.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** Passages to hear of a speaker, the best first, each once. */
export function passagesOf({ sample, samples }: Suggestion): NonNullable<Suggestion['sample']>[] {
  const all = sample === null ? samples : [sample, ...samples];
  return all.filter((one, at) => all.findIndex(({ start }) => start === one.start) === at);
}

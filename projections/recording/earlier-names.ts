import type { Results } from '../../events/facts/counting.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { type Recording, factAt, factsOf } from './recording.ts';
import type { NameForLabel } from './suggest-names.ts';

/** What people called the voices that were heard while it was recorded, by label. */
export const voiceNames = (
  recording: Pick<Recording, 'facts'>,
  { voiced }: Pick<Results, 'voiced'>,
): Record<string, string> => factAt(recording, voiced, 'voices.named')?.content?.names ?? {};

/** The voices that have names, until all speakers are told apart. How long they spoke is not counted. */
export const liveSpeakers = (
  recording: Pick<Recording, 'facts'>,
  results: Pick<Results, 'voiced'>,
): { label: string; name: string; seconds: number }[] =>
  Object.entries(voiceNames(recording, results)).map(([label, name]) => ({
    label,
    name,
    seconds: 0,
  }));

/** A person said it, of a voice that was only guessed to be one. */
const sureness = 0.9;

/**
 * Each name that was given while it was recorded, for the speaker who holds most of that voice's seconds. Pure.
 * @param turns with the speakers as they were told apart at the end
 */
export function liveNames(recording: Recording, turns: readonly Block[]): NameForLabel[] {
  const heard = heardLive(recording);
  const named = Object.entries(voiceNames(recording, recording.sources.draft.results));
  return named.flatMap(([voice, name]) => {
    const spans = heard.filter((one) => one.voice === voice);
    const shares = new Map<string, number>();
    for (const { start, end } of spans) {
      for (const turn of turns) {
        const seconds = Math.min(end, turn.end) - Math.max(start, turn.start);
        if (turn.speaker === null || seconds <= 0) continue;
        shares.set(turn.speaker, (shares.get(turn.speaker) ?? 0) + seconds);
      }
    }
    const [most] = [...shares].toSorted((a, b) => b[1] - a[1]);
    if (!most) return [];
    const [label, seconds] = most;
    const all = [...shares.values()].reduce((sum, one) => sum + one, 0);
    return [{ label, name, confidence: (sureness * seconds) / all, reason: 'named-live' }];
  });
}

/** For each label of the new turns the name under which most of its time was said before, if most was. */
export function carriedNames(
  before: readonly Block[],
  names: Readonly<Record<string, string>>,
  turns: readonly Block[],
): Map<string, CarriedName> {
  const carried = new Map<string, CarriedName>();
  for (const label of new Set(turns.map(({ speaker }) => speaker))) {
    if (label === null) continue;
    const own = turns.filter(({ speaker }) => speaker === label);
    const spoken = own.reduce((sum, { start, end }) => sum + end - start, 0);
    const shared = new Map<string, number>();
    for (const old of before) {
      const name = old.speaker === null ? undefined : names[old.speaker]?.trim();
      if (name === undefined || name === '') continue;
      for (const turn of own) {
        const seconds = Math.min(turn.end, old.end) - Math.max(turn.start, old.start);
        if (seconds > 0) shared.set(name, (shared.get(name) ?? 0) + seconds);
      }
    }
    const [most] = [...shared].toSorted((a, b) => b[1] - a[1]);
    if (!most || spoken === 0 || most[1] < shareMin * spoken) continue;
    carried.set(label, { name: most[0], confidence: Math.min(1, most[1] / spoken) });
  }
  return carried;
}

/** What has the label of a voice; of a stretch that was recognised once more, the last. */
function heardLive(recording: Recording): { start: number; end: number; voice: string }[] {
  const found = new Map<number, { start: number; end: number; voice: string }>();
  for (const { data } of factsOf(recording, 'utterance.recognised', Infinity)) {
    const { index, start, end, voice } = data;
    if (voice !== undefined) found.set(index, { start, end, voice });
  }
  return [...found.values()];
}

/** A label is taken for the same person when that much of their speech was under one name. */
const shareMin = 0.5;

/** Names that were given before, for the labels of another attribution of the same audio. */
type CarriedName = { name: string; confidence: number };

import type { Block } from '../../../events/facts/transcript.ts';
import type { StageActivity } from './run-stage.ts';
import {
  joinTurns,
  onlySpeaker,
  speakingTimes,
} from '../../../projections/recording/join-turns.ts';
import { factAt } from '../../../projections/recording/recording.ts';
import { draft, published } from '../../../projections/recording/reading.ts';

/** Who they may be. Not asked of a language model yet. */
export const identifyStage: StageActivity = async (job) => {
  await job.acquireSlot({ name: 'identification', concurrency: 1 });
  await job.append({ type: 'identification.skipped', data: { reason: 'no-engine' } });
};

/** Words and speakers joined into turns, with what a person needs to tell who it was. */
export const joinStage: StageActivity = async (job) => {
  await job.acquireSlot({ name: 'joining', concurrency: 2 });
  const recording = await job.recording();
  const { results } = recording.sources.draft;
  const diarized = factAt(recording, results.diarization, 'diarization.completed');
  const turns = joinTurns(draft(recording).utterances, diarized?.data.turns ?? []);
  const shown = published(recording);
  // Who was named in an earlier version is suggested again; a person still has to confirm it.
  const known = shown
    ? carriedNames(shown.blocks, shown.names, turns)
    : new Map<string, CarriedName>();
  const spoken = speakingTimes(turns);
  const speakers = spoken.length > 0 ? spoken : [{ label: onlySpeaker, seconds: 0 }];
  await job.append({
    type: 'turns.joined',
    data: { speakers },
    content: {
      turns,
      suggestions: speakers.map(({ label }) => {
        const before = known.get(label);
        return {
          label,
          name: before?.name ?? null,
          confidence: before?.confidence ?? null,
          reason: before ? 'named-before' : null,
          sample: sampleOf(label, turns),
        };
      }),
    },
  });
};

/** As much of a turn as it takes to tell a voice: this many words, from its beginning. */
const sampleWords = 40;

/** A label is taken for the same person when that much of their speech was under one name. */
const shareMin = 0.5;

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

/** The beginning of a speaker's longest turn. */
function sampleOf(
  label: string,
  turns: readonly Block[],
): { start: number; end: number; text: string } | null {
  const [turn] = turns
    .filter(({ speaker }) => speaker === label)
    .toSorted((a, b) => b.end - b.start - (a.end - a.start));
  if (!turn) return null;
  const spoken = turn.text.split(/\s+/);
  if (spoken.length <= sampleWords) return { start: turn.start, end: turn.end, text: turn.text };
  const share = sampleWords / spoken.length;
  const end = turn.words[sampleWords - 1]?.end ?? turn.start + share * (turn.end - turn.start);
  return { start: turn.start, end, text: `${spoken.slice(0, sampleWords).join(' ')} …` };
}

/** Names that were given before, for the labels of another attribution of the same audio. */
type CarriedName = { name: string; confidence: number };

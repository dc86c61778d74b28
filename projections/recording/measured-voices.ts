import type { Block, NamedVoice } from '../../events/facts/transcript.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { shown } from './reading.ts';
import type { Recording } from './recording.ts';
import { isToMeasure, namedLabels, profileVoices, withSamples } from './voices.ts';

/** Whose voices of a recording are to be measured, and of what: what people left under each label. */
export type VoicesToMeasure = {
  /** The labels it is about. */
  labels: string[];
  /** Everyone who speaks; those asked for that have no speech are not among them. */
  speakers: string[];
  /** [start, end, index of the speaker] in seconds. */
  turns: [number, number, number][];
};

/** Words that follow each other this soon are one turn, seconds. */
const pauseSeconds = 0.5;

/** What is to be measured of a recording with an embedding model; null: nothing. Pure. */
export function voicesToMeasure(recording: Recording, model: string): VoicesToMeasure | null {
  const named = namedLabels(recording).filter((one) => isToMeasure(one, model));
  if (named.length === 0) return null;
  const { blocks, names } = shown(recording);
  // One that is named otherwise by now is of another transcript.
  const isAsked = named.some(({ label, given }) => names[label] === given);
  const isSpoken = (block: Block): block is Block & { speaker: string } => block.speaker !== null;
  const spoken = isAsked ? blocks.filter(isSpoken) : [];
  const speakers = [...new Set(spoken.map(({ speaker }) => speaker))];
  return {
    labels: named.map(({ label }) => label),
    speakers,
    turns: spoken.flatMap((block) =>
      spansOf(block).map(([start, end]): [number, number, number] => [
        start,
        end,
        speakers.indexOf(block.speaker),
      ]),
    ),
  };
}

/** Takes in voices as they were measured; nothing where something else is to be measured by now. */
export const measureVoices =
  (plan: VoicesToMeasure, model: string, heard: readonly NamedVoice[]) =>
  (recording: Recording): readonly RecordingFact[] => {
    if (JSON.stringify(voicesToMeasure(recording, model)) !== JSON.stringify(plan)) return [];
    const { labels } = plan;
    const reading = shown(recording);
    const { names } = reading;
    const asked = Object.fromEntries(
      namedLabels(recording)
        .filter(({ label, given }) => labels.includes(label) && names[label] === given)
        .map(({ label, given }) => [label, given]),
    );
    const voices = withSamples(profileVoices(heard, asked, names), recording, reading);
    return [
      { type: 'voice.measured', data: { embedding_model: model, labels }, content: { voices } },
    ];
  };

/** When a block's words are spoken; without words, all of it. */
function spansOf({ words, start, end }: Block): [number, number][] {
  const spans: [number, number][] = [];
  for (const word of words) {
    const last = spans.at(-1);
    if (last && word.start - last[1] < pauseSeconds) last[1] = Math.max(last[1], word.end);
    else spans.push([word.start, word.end]);
  }
  return words.length === 0 ? [[start, end]] : spans;
}

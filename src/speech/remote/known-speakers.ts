import type { Segment, Stretch } from '../../../events/facts/transcript.ts';
import { type SpeechFile, speechHeader } from '../../audio/wav.ts';

/** Speakers whose samples OpenAI takes, and how long a sample may be, in seconds. */
const speakersMax = 4;
const sampleSeconds = { min: 2, max: 8 };

/**
 * Samples of the speakers that earlier requests found, so that the next one's answer names them:
 * `known_speaker_names[]` and `known_speaker_references[]` of OpenAI's gpt-4o-transcribe-diarize. Null
 * without any: nobody was heard alone for long enough.
 * @returns the fields to send, and whom their names stand for
 */
export async function knownSpeakers({
  audio,
  heard,
}: {
  audio: SpeechFile;
  heard: readonly Segment[];
}): Promise<{
  fields: { known_speaker_names: string[]; known_speaker_references: string[] };
  names: ReadonlyMap<string, string>;
} | null> {
  const samples = samplesOf(heard).slice(0, speakersMax);
  if (samples.length === 0) return null;
  const names = new Map(samples.map(({ speaker }, i) => [`known_${i + 1}`, speaker]));
  const references: string[] = [];
  for (const { span } of samples) {
    const pcm = await audio.read(...span);
    const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    const wav = Buffer.concat([speechHeader(pcm.length), bytes]);
    references.push(`data:audio/wav;base64,${wav.toString('base64')}`);
  }
  return {
    fields: { known_speaker_names: [...names.keys()], known_speaker_references: references },
    names,
  };
}

/** Of each speaker the longest segment in which nobody else is heard; those who spoke most come first. */
function samplesOf(heard: readonly Segment[]): { speaker: string; span: Stretch }[] {
  const sorted = heard.toSorted((a, b) => a.start - b.start);
  const best = new Map<string, { speaker: string; span: Stretch; seconds: number }>();
  let before = 0;
  for (const [i, { speaker, start, end }] of sorted.entries()) {
    const next = sorted[i + 1]?.start ?? Infinity;
    const from = Math.max(start, before);
    const to = Math.min(end, next);
    before = Math.max(before, end);
    if (speaker === undefined) continue;
    const one = best.get(speaker) ?? { speaker, span: [0, 0], seconds: 0 };
    one.seconds += end - start;
    if (to - from > one.span[1] - one.span[0]) one.span = [from, to];
    best.set(speaker, one);
  }
  return [...best.values()]
    .filter(({ span: [from, to] }) => to - from >= sampleSeconds.min)
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ speaker, span: [from, to] }) => ({
      speaker,
      span: [from, Math.min(to, from + sampleSeconds.max)],
    }));
}

import { similarity } from '../../../projections/recording/voices.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import type { VoiceEmbedder } from '../diarization/diarize.ts';
import { joinMin } from '../diarization/windows.ts';

/** Tells, stretch by stretch, whose voice it may be. Provisional: all speakers are told apart at the end. */
export interface LiveVoices {
  /** A label such as `VOICE_1`; undefined of a stretch with too little speech to tell. */
  labelOf(piece: SpeechFile, signal: AbortSignal): Promise<string | undefined>;
  /** Takes in a stretch that was labelled before a restart. */
  recall(label: string, piece: SpeechFile, signal: AbortSignal): Promise<void>;
}

/** More voices than that are none: what sounds new then gets the label of what it is most like. */
const voicesMax = 20;
const labelPrefix = 'VOICE_';

type Voice = { label: string; sum: number[] };

export function liveVoices(embedder: VoiceEmbedder): LiveVoices {
  const voices: Voice[] = [];
  const heardIn = async (piece: SpeechFile, signal: AbortSignal) => {
    const whole = [[0, piece.duration, 0]] as const;
    const [voice] = await embedder.embed(piece, whole, { signal, onProgress: () => {} });
    return voice?.embedding?.map((value) => value * piece.duration) ?? null;
  };
  return {
    async labelOf(piece, signal) {
      const heard = await heardIn(piece, signal);
      if (!heard) return undefined;
      const alike = voices.map((voice) => ({ voice, by: similarity(voice.sum, heard) }));
      const [most] = alike.toSorted((a, b) => b.by - a.by);
      const isKnown = most !== undefined && (most.by >= joinMin || voices.length >= voicesMax);
      return add(voices, isKnown ? most.voice.label : nextLabel(voices), heard);
    },
    async recall(label, piece, signal) {
      const heard = await heardIn(piece, signal);
      if (heard) add(voices, label, heard);
    },
  };
}

/** Weighted by seconds: short stretches say little. */
function add(voices: Voice[], label: string, heard: readonly number[]): string {
  const known = voices.find((one) => one.label === label);
  if (known) known.sum = known.sum.map((value, i) => value + heard[i]!);
  else voices.push({ label, sum: [...heard] });
  return label;
}

const nextLabel = (voices: readonly Voice[]): string => {
  const numbers = voices.map(({ label }) => Number(label.slice(labelPrefix.length)));
  return `${labelPrefix}${Math.max(0, ...numbers) + 1}`;
};

import type { ModelFolders } from './local/local-models.ts';
import { type DecodedSpeech, decodeToSpeech } from '../audio/decode.ts';
import { openSpeechFile } from '../audio/speech-file.ts';
import { StageError } from '../shared/errors.ts';
import { type LocatedSpeech, locateSpeech } from './detection/locate-speech.ts';

/** Sound tracks of a file that are looked through for speech. */
const tracksMax = 8;

/** What is to be recognised of a file. */
export type SpokenAudio = {
  decoded: DecodedSpeech;
  located: LocatedSpeech;
  /** Which sound track it is, from 1, of a file that has several; those behind it were not listened to. */
  tracks?: { used: number; of: number };
};

/**
 * Decodes the first sound track with speech (recorders of screens and meetings keep
 * several), the first one if none has any. The same file gives the same track.
 * @param target path of the speech file
 * @throws {StageError} as `decodeToSpeech` of the first track, and as `locateSpeech`; AbortError.
 */
export async function spokenAudio(
  source: string,
  target: string,
  options: {
    secondsMax: number;
    modelsDir?: ModelFolders | undefined;
    signal: AbortSignal;
    onProgress?: (fraction: number | null) => void;
  },
): Promise<SpokenAudio> {
  const { signal, onProgress } = options;
  const heard = async (track: number): Promise<SpokenAudio> => {
    const decoded = await decodeToSpeech(source, target, { signal, onProgress, track });
    const speech = await openSpeechFile(target);
    try {
      const { secondsMax, modelsDir } = options;
      const located = await locateSpeech(speech, { secondsMax, modelsDir, signal });
      const of = decoded.tracks;
      return { decoded, located, ...(of > 1 ? { tracks: { used: track + 1, of } } : {}) };
    } finally {
      await speech.close();
    }
  };
  const first = await heard(0);
  const tracks = Math.min(first.decoded.tracks, tracksMax);
  if (first.located.stretches.length > 0 || tracks === 1) return first;
  for (let track = 1; track < tracks; track += 1) {
    const other = await heard(track).catch(unreadable);
    if (other && other.located.stretches.length > 0) return other;
  }
  return await heard(0);
}

/** A further track that cannot be read holds up nothing. */
function unreadable(error: unknown): null {
  if (error instanceof StageError && !error.retriable) return null;
  throw error;
}

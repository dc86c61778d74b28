/* oxlint-disable no-underscore-dangle -- the C functions' names, as Emscripten exports them */
import loadFvad from '@echogarden/fvad-wasm';
import { speechRate } from '../audio/speech-file.ts';

/** libfvad's detector: one verdict for each 30 ms of 16 kHz audio. */
export interface WebrtcDetector {
  isSpeech(frame: Int16Array): boolean;
  close(): void;
}

/** Samples of a frame. */
export const frameSamples = speechRate * 0.03;

/** @param strictness 0 to 3; the strictest lets least noise pass and loses most soft speech. */
export async function webrtcDetector(strictness: 0 | 1 | 2 | 3): Promise<WebrtcDetector> {
  const fvad = await loadFvad();
  const detector = fvad._fvad_new();
  const memory = fvad._malloc(frameSamples * 2);
  if (
    detector === 0 ||
    memory === 0 ||
    fvad._fvad_set_mode(detector, strictness) !== 0 ||
    fvad._fvad_set_sample_rate(detector, speechRate) !== 0
  )
    throw new Error('The WebRTC voice detector could not be set up');
  return {
    isSpeech(frame) {
      // Looked up each time: the heap's views are replaced when it grows.
      fvad.HEAP16.set(frame, memory / 2);
      return fvad._fvad_process(detector, memory, frameSamples) === 1;
    },
    close() {
      fvad._free(memory);
      fvad._fvad_free(detector);
    },
  };
}

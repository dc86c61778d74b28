/**
 * Audio as recognisers want it: 16 kHz mono 16-bit PCM in a WAV file of ours (44-byte header), read
 * at random. Derived from the kept audio, can be made again at any time.
 */
export interface SpeechFile {
  readonly path: string;
  /** Samples at 16 kHz. */
  readonly samples: number;
  /** Seconds. */
  readonly duration: number;
  /** Samples of [start, end) seconds, clamped to the file. */
  read(start: number, end: number): Promise<Int16Array>;
  close(): Promise<void>;
}

/** Samples a second in every speech file. */
export const speechRate = 16_000;

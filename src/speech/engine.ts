import type { Segment, Stretch } from '../../events/facts/transcript.ts';
import type { SpeechFile } from '../audio/wav.ts';
import type { WaitingFor } from '../shared/retry-stage.ts';
import type { ServerState } from './remote/probe-server.ts';

/** Turns stretches of speech into words. What stands behind it: `compat`, `native` or `local`. */
export interface SpeechEngine {
  /** Jobs of the same queue never run at the same time: the endpoint's URL, or `local`. */
  readonly queue: string;
  readonly engine: 'compat' | 'native' | 'local';
  readonly model: string | null;
  /** Longest stretch the engine takes, in seconds. */
  readonly secondsMax: number;
  /**
   * Recognises one stretch. Times are seconds of the whole recording, sorted, inside the stretch.
   * Tries again by itself where that can help, and waits for a server that is away up to a limit;
   * `onWaiting` tells when it begins to wait, and `null` when it goes on.
   * @throws {StageError} `retriable` says whether the same again may help; AbortError when aborted.
   */
  recognise(
    audio: SpeechFile,
    stretch: Stretch,
    options: {
      /** ISO 639-1 code; null lets the engine find out. */
      language: string | null;
      signal: AbortSignal;
      /** What will be asked next, so that an engine can prepare it meanwhile. */
      next?: Stretch | undefined;
      onWaiting?: ((waiting: WaitingFor | null) => void) | undefined;
    },
  ): Promise<Recognised>;
  /** How the server looks right now; absent where the engine is this machine. Throws for an abort only. */
  probe?: (signal: AbortSignal) => Promise<ServerState>;
  /** Frees what the engine holds (processes, sockets). */
  close(): Promise<void>;
}

export type Recognised = {
  segments: Segment[];
  /** ISO 639-1 code the engine heard or was given; null when it does not say. */
  language: string | null;
  /** Why the text may be wrong (`repetition`, `known-phrase`); absent when nothing is suspected. */
  doubt?: string;
};

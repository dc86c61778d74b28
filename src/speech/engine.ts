import type { Segment, Stretch } from '../../events/facts/transcript.ts';
import type { SpeechFile } from '../audio/wav.ts';
import type { SpeakerCount } from '../shared/speaker-count.ts';
import type { WaitingFor } from '../shared/retry.ts';
import type { ServerState } from './remote/probe-server.ts';

/** Turns stretches of speech into words. What stands behind it: `compat`, `native` or `local`. */
export interface SpeechEngine {
  /** Jobs of the same queue never run at the same time: the endpoint's URL, or `local`. */
  readonly queue: string;
  readonly engine: 'compat' | 'native' | 'asr' | 'local';
  readonly model: string | null;
  /** The model that it takes for a language, where that is not `model` for each. */
  modelFor?: (language: string | null) => string | null;
  /** Longest stretch the engine takes, in seconds. */
  readonly secondsMax: number;
  /**
   * Longest stretch of a meeting, in seconds, where the engine tells speakers apart: it then takes pauses
   * too, since its speakers of one request say nothing about those of another. Undefined when it does
   * not, or has not shown it yet.
   */
  readonly meetingSecondsMax?: number | undefined;
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
      /** Names and terms that may be said, the most useful first. */
      terms?: readonly string[] | undefined;
      /** Of a meeting: speakers are to be told apart, by an engine that can. */
      meeting?: Meeting | undefined;
      onWaiting?: ((waiting: WaitingFor | null) => void) | undefined;
      /** Called with what is heard so far, by an engine that streams; of a stretch sent in pieces, of the present piece. */
      onPartial?: ((text: string) => void) | undefined;
    },
  ): Promise<Recognised>;
  /** Whether it tells the speakers of two channels apart. */
  readonly takesChannels?: boolean;
  /**
   * Finds out by a short request whether the engine tells speakers apart, where that is not known yet:
   * `meetingSecondsMax` has it then. @throws as `recognise`
   */
  learnSpeakers?: (
    audio: SpeechFile,
    stretch: Stretch,
    options: {
      language: string | null;
      signal: AbortSignal;
      onWaiting?: ((waiting: WaitingFor | null) => void) | undefined;
    },
  ) => Promise<void>;
  /**
   * The same with another model, by its name, open as long as this one is. Absent where there is no choice.
   * What `recognise` throws where there is no such model is not retriable.
   */
  withModel?: (model: string) => SpeechEngine;
  /** How the server looks right now; absent where the engine is this machine. Throws for an abort only. */
  probe?: (signal: AbortSignal) => Promise<ServerState>;
  /** Frees what the engine holds (processes, sockets). */
  close(): Promise<void>;
}

/** What an engine may use to tell the speakers of a meeting apart. */
export type Meeting = {
  /** The two channels of a stereo recording, for an engine that `takesChannels`. */
  channels?: readonly [SpeechFile, SpeechFile] | undefined;
  speakers: SpeakerCount;
  /** What was recognised before, in order, with its speakers: an engine may compare voices with it. */
  heard: readonly Segment[];
};

export type Recognised = {
  segments: Segment[];
  /** ISO 639-1 code the engine heard or was given; null when it does not say. */
  language: string | null;
  /** How sure it is of that language, 0 to 1, where it says. */
  probability?: number;
};

import type { Stretch } from '../../../events/facts/transcript.ts';
import type { SpokenTurn, Window, WindowVoice } from '../diarization/windows.ts';

/** What the service asks of the engine process, one at a time. Audio goes by path, but for what was just said (`hear`). */
export type LocalRequest =
  | {
      op: 'recognise';
      /** Model and options: the recogniser of the last key stays loaded. */
      key: string;
      /** OfflineRecognizer configuration with absolute paths. */
      config: Record<string, unknown>;
      /** A speech file, and seconds in it. */
      path: string;
      start: number;
      end: number;
      /** Hotwords, for a recogniser that was made for them. */
      hotwords?: string | undefined;
      /** What will be asked next of the same file with the same model. */
      next?: Stretch | undefined;
    }
  | {
      op: 'hear';
      /** Model: the recogniser of the last key stays loaded. */
      key: string;
      /** OnlineRecognizer configuration with absolute paths. */
      config: Record<string, unknown>;
      /** Which one goes on; another number begins anew. */
      speech: number;
      /** What has come of it since. */
      samples: Int16Array;
    }
  | {
      op: 'detect';
      /** Vad configuration with absolute paths. */
      config: Record<string, unknown>;
      path: string;
    }
  | {
      op: 'diarize';
      /** Models and options: those of the last key stay loaded. */
      key: string;
      /** Parts of an OfflineSpeakerDiarization configuration, with absolute paths. */
      segmentation: Record<string, unknown>;
      embedding: Record<string, unknown>;
      clustering: { numClusters: number; threshold: number };
      path: string;
      start: number;
      end: number;
    }
  | {
      op: 'voices';
      /** SpeakerEmbeddingExtractor configuration with absolute paths. */
      config: Record<string, unknown>;
      path: string;
      /** Who speaks when, by an engine that does not say how they sound. */
      turns: readonly SpokenTurn[];
    }
  | {
      op: 'punctuate';
      /** OnlinePunctuation configuration with absolute paths. */
      config: Record<string, unknown>;
      texts: readonly string[];
    };

/** The part of sherpa-onnx's result that is used. */
export type LocalResult = {
  text: string;
  lang?: string;
  tokens?: string[];
  timestamps?: number[];
  durations?: number[];
};

export type LocalMessage = { id: number; request: LocalRequest };
export type LocalReply =
  | { id: number; progress: number }
  | { id: number; value: LocalAnswers[keyof LocalAnswers] }
  | { id: number; error: string };

/** What each operation answers. Times of `recognise` count from the stretch's start. */
export type LocalAnswers = {
  recognise: LocalResult;
  /** All that is heard of the speech so far. */
  hear: string;
  detect: Stretch[];
  diarize: Window;
  voices: WindowVoice[];
  /** Each text with punctuation and capitals. */
  punctuate: string[];
};

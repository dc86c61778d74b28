import type { Stretch } from '../../events/transcript.ts';

/** What the service asks of the engine process, one at a time. Audio goes by path, never by message. */
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
    }
  | {
      op: 'detect';
      /** Vad configuration with absolute paths. */
      config: Record<string, unknown>;
      path: string;
    };

/** What each operation answers. Times of `recognise` count from the stretch's start. */
export type LocalAnswers = {
  recognise: LocalResult;
  detect: Stretch[];
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

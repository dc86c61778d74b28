import type { Agent } from 'undici';

/** A configured server: where it is, and how it is asked. Call `connections.destroy` when it is not asked again. */
export type Server = {
  /** What it is asked for. */
  kind: 'speech' | 'language';
  /** Its routes lie below; without a slash at the end. */
  base: string;
  /** As sentences begin with it. */
  name: string;
  apiKey: string | null;
  connections: Agent;
};

/** An answer of a server, read to its end or to the limit. */
export type ServerAnswer = {
  status: number;
  /** Media type in lower case without parameters; `''` when it says none. */
  contentType: string;
  headers: Headers;
  body: string;
};

/** An answer that has begun and is none: the connection ended in the middle of it, or it has no end. */
export class AnswerLost extends Error {
  override name = 'AnswerLost';
  readonly isTooLarge: boolean;
  constructor(message: string, options: { cause?: unknown; isTooLarge?: boolean } = {}) {
    super(message, options);
    this.isTooLarge = options.isTooLarge ?? false;
  }
}

/** Largest answer that is read, in MB: an hour of words with times is about 2, two million tokens are 8. */
export const answerMegabytesMax = 32;

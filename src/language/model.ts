import type { Server } from '../servers/server.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { type WaitingFor, retryStage, waitingSign, type Clock } from '../shared/retry.ts';

/** A language-model server. One implementation speaks to all OpenAI-compatible ones (and Ollama's own API). */
export interface LanguageModel {
  /** Jobs of the same queue never run at the same time: the endpoint's URL. */
  readonly queue: string;
  readonly model: string;
  /** Tokens that prompt and answer share. Asked from the server where it tells, remembered. */
  contextTokens(signal: AbortSignal): Promise<number>;
  /**
   * One answer. Never half of one: a cut answer or a prompt the server saw only part of throws.
   * @throws {StageError} codes `model-away` (retriable), `model-refused`, `answer-cut`,
   *   `prompt-truncated`, `answer-empty`, `content-filter`; AbortError when aborted.
   */
  complete(request: Completion, signal: AbortSignal): Promise<string>;
}

/** A time limit of ours that passed: the server may be away, or too slow for so large a request. */
export class AnswerTimedOut extends StageError {
  constructor({ kind, name: server }: Pick<Server, 'kind' | 'name'>, seconds: number) {
    const late = { server, limit: seconds };
    const of = kind === 'embedding' ? kind : 'language';
    super(failure(`${of}-server-late`, late), { retriable: true });
  }
}

export type Completion = {
  system: string;
  user: string;
  /** Upper limit of the answer in tokens. */
  answerTokensMax: number;
  /** A JSON schema the answer must follow, where the server can. */
  schema?: { name: string; schema: Record<string, unknown> };
};

/** A JSON schema of an object that has all of these properties, and no others. */
export const objectOf = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const arrayOf = (items: Record<string, unknown>) => ({ type: 'array', items });

type RetryingOptions = {
  /** How long, from each request, failures that may pass are waited out. 0: one try. */
  limitMs: number;
  /** What is waited for; null when the waiting is over. */
  onWaiting: (waiting: WaitingFor | null) => void;
  clock?: Clock;
};

/**
 * A language model that waits out failures that may pass, each request for itself: when it comes
 * back, a long job goes on where it was. Requests that run at the same time have a limit each.
 */
export function retryingModel(
  model: LanguageModel,
  { limitMs, onWaiting, clock }: RetryingOptions,
): LanguageModel {
  const again = <T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    retryStage(request, { limitMs: () => limitMs, sign: waitingSign(onWaiting), signal, clock });
  return {
    queue: model.queue,
    get model() {
      return model.model;
    },
    contextTokens: (signal) => again(() => model.contextTokens(signal), signal),
    complete: (completion, signal) => again(() => model.complete(completion, signal), signal),
  };
}

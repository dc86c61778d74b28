import { type WaitingFor, retryStage, waitingSign } from '../shared/retry-stage.ts';
import type { Clock } from '../shared/retry.ts';
import type { LanguageModel } from './model.ts';

export type RetryingOptions = {
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

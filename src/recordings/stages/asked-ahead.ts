import type { Completion, LanguageModel } from '../../language/model.ts';
import { untilAborted } from '../../shared/abort.ts';

/**
 * Answers of the language model to questions asked while a recording ran, by recording. The stage that asks the same after
 * the stop gets the answer at once. Kept in memory only; after a restart the stage asks again.
 */
export interface AskedAhead {
  /** The model, asked for the same only once. */
  of(recordingId: string, model: LanguageModel): LanguageModel;
  /** Aborts when no answer to questions asked ahead is wanted any more; `queued`: when none is that waits for its turn. */
  signals(recordingId: string): { whole: AbortSignal; queued: AbortSignal };
  /** The stage asks by itself now: what is being answered goes on and is used, what only waits for its turn ends. */
  begin(recordingId: string): void;
  forget(recordingId: string): void;
}

/** What is not asked for again is forgotten after so long, milliseconds. */
const keptMs = 900_000;

/** An answer, and the model that gave it: some say only then what they are called. */
type Answer = { text: string; by: string };
type Kept = {
  answers: Map<string, Promise<Answer>>;
  stop: AbortController;
  stopQueued: AbortController;
  timer?: NodeJS.Timeout;
};

export function openAskedAhead(): AskedAhead {
  const all = new Map<string, Kept>();
  const keptOf = (recordingId: string): Kept => {
    const kept: Kept = all.get(recordingId) ?? {
      answers: new Map(),
      stop: new AbortController(),
      stopQueued: new AbortController(),
    };
    all.set(recordingId, kept);
    clearTimeout(kept.timer);
    kept.timer = setTimeout(() => forget(recordingId), keptMs).unref();
    return kept;
  };
  const forget = (recordingId: string) => {
    const kept = all.get(recordingId);
    all.delete(recordingId);
    // A timer that ran on would keep all that the recording was made with.
    clearTimeout(kept?.timer);
    kept?.stop.abort();
  };
  return {
    forget,
    signals(recordingId) {
      const { stop, stopQueued } = keptOf(recordingId);
      return { whole: stop.signal, queued: stopQueued.signal };
    },
    begin: (recordingId) => all.get(recordingId)?.stopQueued.abort(),
    of: (recordingId, model) => ({
      queue: model.queue,
      get model() {
        return model.model;
      },
      contextTokens: (signal) => model.contextTokens(signal),
      async complete(completion, signal) {
        const { answers } = keptOf(recordingId);
        const key = keyOf(model, completion);
        // What failed then may work now.
        const before = answers.get(key);
        const known = before && (await untilAborted(before, signal).catch(() => undefined));
        if (known?.by === model.model) return known.text;
        signal.throwIfAborted();
        const asked = answerOf(model, completion, signal);
        answers.set(key, asked);
        asked.catch(() => answers.delete(key));
        return (await asked).text;
      },
    }),
  };
}

async function answerOf(
  model: LanguageModel,
  completion: Completion,
  signal: AbortSignal,
): Promise<Answer> {
  const text = await model.complete(completion, signal);
  return { text, by: model.model };
}

const keyOf = ({ queue }: LanguageModel, completion: Completion): string =>
  JSON.stringify([queue, completion]);

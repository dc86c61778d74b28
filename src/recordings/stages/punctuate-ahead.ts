import { paragraphs } from '../../../projections/recording/paragraphs.ts';
import type { Utterance } from '../../../projections/recording/utterances.ts';
import type { LanguageModel } from '../../language/model.ts';
import { punctuate } from '../../language/punctuate.ts';
import type { Log } from '../../shared/log.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import type { AskedAhead } from './asked-ahead.ts';
import { slotsPerModel } from './leased-in-turn.ts';
import type { Job } from './run-stage.ts';

export type AheadDeps = {
  /** `llm.ahead` */
  isOn(): boolean;
  /** The configured language model; null when none is. */
  languageModel(): Promise<Lease<LanguageModel> | null>;
  asked: AskedAhead;
};

/** Has a language model punctuate what one person says while they go on. */
export interface PunctuatedAhead {
  /** More was heard: asks for the parts that are finished, unless it is at that already. */
  grown(heard: readonly Utterance[], language: string | null): void;
}

/** After a failure, milliseconds: what is asked ahead is asked again after the stop anyway. */
const pauseMs = 60_000;

/** Why no more is asked for now. */
class Behind extends Error {}

/** @param isBehind whether speech waits to be recognised: the machine is needed for that */
export function punctuatedAhead(
  job: Job,
  { languageModel, asked, log }: AheadDeps & { log: Log },
  isBehind: () => boolean,
): PunctuatedAhead {
  const { recordingId } = job;
  let isAtWork = false;
  let blocksDone = 0;
  let pausedUntil = 0;

  async function ask(
    heard: readonly Utterance[],
    { language, signals }: { language: string | null; signals: Signals },
  ): Promise<void> {
    // The last one may go on.
    const blocks = paragraphs(heard, null).slice(0, -1);
    if (blocks.length === blocksDone) return;
    const lease = await languageModel();
    if (!lease) return;
    try {
      const model = asked.of(
        recordingId,
        inTurn(job, lease.value, { isBehind, queued: signals.queued }),
      );
      const signal = signals.whole;
      await punctuate(blocks, model, { signal, language, goesOn: true, onProgress: () => {} });
      blocksDone = blocks.length;
    } finally {
      lease.release();
    }
  }
  return {
    grown(heard, language) {
      if (isAtWork || isBehind() || performance.now() < pausedUntil) return;
      isAtWork = true;
      const signals = asked.signals(recordingId);
      void ask([...heard], { language, signals })
        .catch((error: unknown) => {
          if (error instanceof Behind || signals.whole.aborted || signals.queued.aborted) return;
          pausedUntil = performance.now() + pauseMs;
          log.warn({ err: error, recordingId }, 'punctuation during recording failed');
        })
        .finally(() => (isAtWork = false));
    },
  };
}

type Signals = ReturnType<AskedAhead['signals']>;

/** Each request waits for its turn, and is left where speech waits to be recognised, or the stage asks by itself. */
const inTurn = (
  job: Job,
  model: LanguageModel,
  { isBehind, queued }: { isBehind: () => boolean; queued: AbortSignal },
): LanguageModel => ({
  queue: model.queue,
  get model() {
    return model.model;
  },
  contextTokens: (signal) => model.contextTokens(signal),
  async complete(completion, signal) {
    const queue = { name: model.queue, concurrency: slotsPerModel };
    const slot = await job.turn(queue, AbortSignal.any([signal, queued]), { isShown: false });
    try {
      if (isBehind()) throw new Behind();
      return await model.complete(completion, signal);
    } finally {
      slot.release();
    }
  },
});

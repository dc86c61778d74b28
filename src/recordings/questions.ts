import { LRUCache } from 'lru-cache';
import type { SummaryLine } from '../../events/facts/transcript.ts';
import { summarise } from '../language/summarise.ts';
import { answerQuestion } from '../language/answer-question.ts';
import type { LanguageModel } from '../language/model.ts';
import { type Questions, QuestionRefused, questionLimits } from './question-limits.ts';
import type { Lease } from '../shared/shared-resource.ts';
import { type JobQueue, inSlot } from './stages/job-queue.ts';
import { slotsPerModel } from './stages/leased-in-turn.ts';

const hourMs = 3_600_000;
const usersMax = 10_000;

/** Keeps nothing of them. */
export function openQuestions(deps: {
  languageModel(): Promise<Lease<LanguageModel> | null>;
  jobQueue: JobQueue;
  now?: () => number;
}): Questions {
  const { languageModel, jobQueue } = deps;
  const { admit, leave } = openAdmission(deps.now ?? (() => Date.now()));

  return {
    ask: async ({ owner, talk, question, signal }) =>
      // Somebody waits for the answer: it has a slot besides those of the stages.
      await asked({ owner, signal, concurrency: slotsPerModel + 1 }, (model) =>
        answerQuestion(talk, model, { question, signal }),
      ),
    summarise: async ({ owner, blocks, options, signal }) =>
      await asked({ owner, signal, concurrency: slotsPerModel }, async (model) => {
        const all = { ...options, signal, onProgress() {} };
        const { text, lines } = await summarise([...blocks], model, all);
        return lines.length > 0 ? lines : linesOfText(text);
      }),
  };

  async function asked<T>(
    { owner, signal, concurrency }: { owner: string; signal: AbortSignal; concurrency: number },
    work: (model: LanguageModel) => Promise<T>,
  ): Promise<T> {
    const lease = await languageModel();
    if (lease === null) throw new QuestionRefused('NO_LANGUAGE_MODEL');
    try {
      admit(owner);
      try {
        const request = { queue: lease.value.queue, concurrency, owner, signal };
        return await inSlot(jobQueue, request, () => work(lease.value));
      } finally {
        leave(owner);
      }
    } finally {
      lease.release();
    }
  }
}

/** Lets in as many as may ask at once and in an hour. */
function openAdmission(now: () => number) {
  const asking = new Map<string, number>();
  /** When a user asked, within the hour. */
  const asked = new LRUCache<string, readonly number[]>({ max: usersMax });

  function admit(owner: string): void {
    const all = [...asking.values()].reduce((sum, count) => sum + count, 0);
    const recent = (asked.get(owner) ?? []).filter((at) => at > now() - hourMs);
    if ((asking.get(owner) ?? 0) >= questionLimits.perUserMax)
      throw new QuestionRefused('TOO_MANY_QUESTIONS', 5);
    const [first] = recent;
    if (first !== undefined && recent.length >= questionLimits.perHourMax)
      throw new QuestionRefused('TOO_MANY_QUESTIONS', Math.ceil((first + hourMs - now()) / 1000));
    if (all >= questionLimits.atOnceMax) throw new QuestionRefused('QUESTIONS_BUSY');
    asked.set(owner, [...recent, now()]);
    asking.set(owner, (asking.get(owner) ?? 0) + 1);
  }

  function leave(owner: string): void {
    const left = (asking.get(owner) ?? 1) - 1;
    if (left > 0) asking.set(owner, left);
    else asking.delete(owner);
  }

  return { admit, leave };
}

/** Of a model that gives no lines. */
const linesOfText = (text: string): SummaryLine[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({
      kind: 'point',
      text: line.trim(),
      speaker: null,
      person: null,
      due: null,
      block: null,
    }));

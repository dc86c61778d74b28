import type { Stage } from '../../../events/facts/recording.ts';
import { entitle as askForTitle } from '../../language/generate-title.ts';
import { fallbackSummary, fallbackTitle } from '../../language/fallback.ts';
import type { LanguageModel } from '../../language/model.ts';
import { patientModel } from '../../language/patient-model.ts';
import { punctuate as askForPunctuation } from '../../language/punctuate.ts';
import { summarise as askForSummary } from '../../language/summarise.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import { StageError } from '../../shared/errors.ts';
import { wordCount } from '../../../projections/recording/paragraphs.ts';
import { draft, type Reading } from '../../../projections/recording/reading.ts';
import { factAt, type Recording } from '../../../projections/recording/recording.ts';
import type { Job, StageActivity } from './run-stage.ts';

/** How long a language-model server may stay away before a first run goes on without it. */
export const firstRunPatienceMs = 120_000;
/** … and before a reprocess fails: nobody waits for a document that is already there. */
export const reprocessPatienceMs = 600_000;
/** Punctuation and summary of one recording are asked for at the same time. */
const slotsPerModel = 2;

type Deps = {
  /** The configured language model; null when none is. */
  languageModel(): Promise<Lease<LanguageModel> | null>;
  firstRunPatienceMs?: number;
};

/** The title of a recording in which nothing was said. */
const wordless = { de: 'Aufnahme ohne Sprache', en: 'Recording without speech' };

const builtIn = { engine: 'built-in', model: null };

/** Punctuation and capitals, not a word changed. */
export const punctuate = (deps: Deps): StageActivity =>
  withModel(deps, 'punctuate', async (job, { raw: blocks, language }, model) => {
    const asked =
      model && blocks.length > 0
        ? await askForPunctuation(blocks, model, {
            signal: job.signal,
            language,
            onProgress: (fraction) => job.progress(fraction),
          })
        : { blocks, parts: 0, kept: [] };
    return () =>
      job.append({
        type: 'transcript.punctuated',
        data: { ...workerOf(model), parts: asked.parts, kept: asked.kept },
        content: { blocks: asked.blocks },
      });
  });

/** What was said, in short. */
export const summarise = (deps: Deps): StageActivity =>
  withModel(deps, 'summarise', async (job, { raw: blocks, language, names }, model) => {
    const options = { language, names };
    const asked =
      model && blocks.length > 0
        ? await askForSummary(blocks, model, {
            ...options,
            signal: job.signal,
            onProgress: (fraction) => job.progress(fraction),
          })
        : { ...fallbackSummary(blocks, options), parts: 0 };
    return () =>
      job.append({
        type: 'summary.completed',
        data: { ...workerOf(model), parts: asked.parts, language },
        content: { text: asked.text },
      });
  });

/** A title and two or three sentences. A title given by a person is kept. */
export const entitle = (deps: Deps & { uiLanguage(): 'de' | 'en' }): StageActivity =>
  withModel(deps, 'entitle', async (job, reading, model, recording) => {
    const { recognised: blocks, language } = reading;
    const summary = reading.summary ?? '';
    const spoken = blocks.some((block) => wordCount(block.text) > 0);
    const asked =
      model && spoken
        ? await askForTitle({ summary, blocks, language }, model, { signal: job.signal })
        : fallbackTitle({ summary, blocks }, { language });
    const origin = factAt(recording, 1, 'audio.imported', 'recording.started');
    const given = origin?.content?.title?.trim();
    return () =>
      job.append({
        type: 'title.chosen',
        data: workerOf(model),
        content: {
          title: given || asked.title || wordless[deps.uiLanguage()],
          abstract: asked.abstract,
        },
      });
  });

/** A stage before this one has waited already: one try is enough then. */
function patienceMs(deps: Deps, { notes }: Reading, firstRun: boolean): number {
  if (!firstRun) return reprocessPatienceMs;
  return notes.some(({ code }) => code === 'no-language-model')
    ? 0
    : (deps.firstRunPatienceMs ?? firstRunPatienceMs);
}

const workerOf = (model: LanguageModel | null) =>
  model ? { engine: 'language-model', model: model.model } : builtIn;

/**
 * Asks the language model with patience. On a first run a recording is never held up because one is
 * missing: the built-in way is taken and said so. A reprocess fails instead and changes nothing.
 */
function withModel(
  deps: Deps,
  stage: Stage,
  ask: (
    job: Job,
    reading: Reading,
    model: LanguageModel | null,
    recording: Recording,
  ) => Promise<() => Promise<void>>,
): StageActivity {
  return async (job) => {
    const lease = await deps.languageModel();
    try {
      await finishWith(job, lease?.value ?? null);
    } finally {
      lease?.release();
    }
  };

  async function finishWith(job: Job, model: LanguageModel | null): Promise<void> {
    await job.acquireSlot(
      model
        ? { name: model.queue, concurrency: slotsPerModel }
        : { name: 'built-in language tools', concurrency: slotsPerModel },
    );
    const recording = await job.recording();
    const reading = draft(recording);
    const firstRun = recording.sources.published === null;
    if (!model) {
      if (!firstRun) {
        throw new StageError(
          'no-language-model',
          'Processing a recording again needs a language model: set MITSCHRIFT_LLM_BASE_URL. ' +
            'The documents are unchanged.',
          { retriable: true },
        );
      }
      return await withoutModel(job, recording, 'not-configured');
    }
    let appendResult: () => Promise<void>;
    try {
      // Each request is waited for by itself: a pause at the last part does not ask for all again.
      const patient = patientModel(model, {
        limitMs: patienceMs(deps, reading, firstRun),
        onWaiting: (waiting) => job.waiting(waiting),
      });
      appendResult = await ask(job, reading, patient, recording);
    } catch (error) {
      if (!firstRun || job.signal.aborted || !(error instanceof StageError)) throw error;
      return await withoutModel(job, recording, error.code);
    }
    await appendResult();
  }

  async function withoutModel(job: Job, recording: Recording, reason: string): Promise<void> {
    const appendResult = await ask(job, draft(recording), null, recording);
    await job.append({ type: 'summary.fallback_used', data: { stage, reason } });
    await appendResult();
  }
}

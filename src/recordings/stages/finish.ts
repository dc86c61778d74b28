import type { RecordingFactOf, Stage } from '../../../events/facts/recording.ts';
import type { Block } from '../../../events/facts/transcript.ts';
import { generateTitle } from '../../language/generate-title.ts';
import { fallbackSummary, fallbackTitle } from '../../language/fallback.ts';
import { type LanguageModel, retryingModel } from '../../language/model.ts';
import { punctuate } from '../../language/punctuate.ts';
import { summarise } from '../../language/summarise.ts';
import { textOfLines } from '../../language/talk.ts';
import { withSpeakerNames } from '../../documents/documents.ts';
import { titleOfFile } from '../../documents/file-names.ts';
import type { ModelFolders } from '../../speech/local/local-models.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import { StageError } from '../../shared/errors.ts';
import { hasMarks } from '../../shared/sentence-ends.ts';
import { failure } from '../../words/failures.ts';
import type { Language, Sentence } from '../../words/params.ts';
import { inEnglish } from '../../words/say.ts';
import type { Log } from '../../shared/log.ts';
import { correctedToTell } from '../../../projections/recording/carried-corrections.ts';
import { beginsWithModel } from '../../../projections/recording/decide.ts';
import { wordCount } from '../../shared/segments.ts';
import { extractCodes } from '../../../projections/recording/notes.ts';
import { isOfPerson } from '../../../projections/recording/summary.ts';
import { writtenTitle } from '../../../projections/recording/written-texts.ts';
import { draft, type Reading } from '../../../projections/recording/reading.ts';
import {
  factAt,
  requestAtWork,
  type ReadFact,
  type Recording,
} from '../../../projections/recording/recording.ts';
import type { Personal } from '../../../projections/personal.ts';
import { choosableBy, templateHeld } from '../template-held.ts';
import type { TermsOf } from '../terms.ts';
import { applyRules } from './apply-rules.ts';
import type { AskedAhead } from './asked-ahead.ts';
import { modelInTurn } from './leased-in-turn.ts';
import type { PunctuatedHere } from './punctuate-here.ts';
import type { Job, StageActivity } from './run-stage.ts';

/** How long a language-model server may stay away before a further run fails, or goes on with the title there is: its documents are there already. */
export const reprocessWaitMs = 600_000;

type Deps = {
  log: Log;
  /** The configured language model; null when none is. */
  languageModel(): Promise<Lease<LanguageModel> | null>;
  /** How long it may stay away before a first run goes on without it. */
  firstRunWaitMs: number;
};

/** The title of a recording in which nothing was said. */
const wordless: Record<Language, string> = {
  de: 'Aufnahme ohne Sprache',
  en: 'Recording without speech',
};

const builtIn = { engine: 'built-in', model: null };

/** Punctuation and capitals, not a word changed. What was asked ahead is not asked again. Without a language model a model of this machine may do it. */
export const punctuateStage = (
  deps: Deps & { asked: AskedAhead; modelsDir: ModelFolders },
): StageActivity =>
  withModel(deps, 'punctuate', async (job, { raw: blocks, language }, model, missing) => {
    deps.asked.begin(job.recordingId);
    const asked: PunctuatedHere =
      model && blocks.length > 0
        ? await punctuate(blocks, deps.asked.of(job.recordingId, model), {
            signal: job.signal,
            language,
            onProgress: (fraction) => job.progress(fraction),
          })
        : await (
            await import('./punctuate-here.ts')
          ).punctuatedHere(job, { blocks, language }, deps);
    deps.asked.forget(job.recordingId);
    const { blocks: punctuated, parts, kept, unanswered, by, problem } = asked;
    return () =>
      job.append({
        type: 'transcript.punctuated',
        data: {
          ...(by ?? workerOf(model)),
          parts,
          kept,
          ...unmarkedIn(punctuated),
          ...(unanswered && { unanswered }),
        },
        content: { blocks: punctuated, ...reasonOf(missing, problem) },
      });
  });

/** Whether there are words and no mark among them; nothing where there is one. */
const unmarkedIn = (blocks: readonly Block[]) =>
  blocks.some(({ text }) => wordCount(text) > 0) && !blocks.some(({ text }) => hasMarks(text))
    ? { unmarked: true as const }
    : {};

/** What was said, in short. */
export const summariseStage = (
  deps: Deps & {
    termsOf: TermsOf;
    /** What owners have set in order. */
    order: { of(owner: string): Promise<Personal> };
    uiLanguage(): Language;
  },
): StageActivity =>
  withModel(deps, 'summarise', async (job, reading, model, missing) => {
    await applyRules(job, 'words', deps);
    const recording = await job.recording();
    const { blocks, names } = correctedToTell(recording, reading.raw);
    const wanted = wantedSummary(recording);
    const choosable = await choosableBy(deps.order, recording.files.owner ?? job.owner);
    const template = templateHeld(recording, reading.kind, choosable, deps.uiLanguage());
    const isAsked = model !== null && blocks.length > 0;
    const inTemplates = isAsked ? template.language : null;
    const language = wanted?.language ?? inTemplates ?? reading.language;
    const options = { language, names };
    const asked = isAsked
      ? await summarise(blocks, model, {
          ...options,
          spoken: reading.language,
          terms: await deps.termsOf(recording, job.owner),
          given: reading.editable.filter(isOfPerson).map(({ text }) => text),
          noted: reading.sidenotes.filter(({ text }) => text !== ''),
          length: wanted?.length ?? template.length,
          pattern: template.pattern,
          signal: job.signal,
          onProgress: (fraction) => job.progress(fraction),
        })
      : { ...fallbackSummary(blocks, options), parts: 0 };
    const lines = asked.lines.length > 0 ? { lines: asked.lines } : {};
    // Without a model nothing is said of what nobody chose.
    const isMissed = template.isChosen && template.pattern !== undefined && blocks.length > 0;
    const by = isAsked || isMissed ? { template: template.used } : {};
    const unnoted = 'unnoted' in asked ? { unnoted: asked.unnoted } : {};
    return () =>
      job.append({
        type: 'summary.completed',
        data: {
          ...workerOf(model),
          parts: asked.parts,
          language,
          ...(wanted?.length && { length: wanted.length }),
          ...by,
          ...unnoted,
          ...shortOf(asked),
        },
        content: { text: asked.text, ...lines, ...reasonOf(missing) },
      });
  });

/**
 * A title and two or three sentences. A title given by a person is kept; so is the one of the documents
 * when a further run gets none from the model.
 */
export const titleStage = (deps: Deps & { uiLanguage(): Language }): StageActivity =>
  withModel(deps, 'entitle', async (job, reading, model, missing, recording) => {
    const { lines } = reading;
    const { blocks, names } = correctedToTell(recording, reading.recognised);
    const language = summaryByTemplate(recording)?.language ?? reading.language;
    const summary = lines.length > 0 ? textOfLines(lines, names) : (reading.summary ?? '');
    const spoken = blocks.some((block) => wordCount(block.text) > 0);
    const origin = factAt(recording, 1, 'audio.imported', 'recording.started');
    const given = origin?.content?.title?.trim();
    // A file's name says more than an extract.
    const named = given || missing === null ? '' : titleOfFile(reading.filename ?? '');
    const earlier = given || missing === null ? null : earlierTitle(recording, missing);
    if (earlier) {
      return () =>
        job.append(earlierAgain(recording, earlier, { summary, blocks, language, missing }));
    }
    const asked =
      model && spoken
        ? await generateTitle({ summary, blocks, language }, model, { signal: job.signal })
        : extractOf(recording, { summary, blocks, language });
    const same = titleThatStays(recording);
    // Labels of speakers with names stay: they are shown by the names they have then.
    const unnamed = reading.speakers.filter(({ name }) => name === null);
    const numbered = (text: string): string =>
      withSpeakerNames({ speakers: unnamed, uiLanguage: deps.uiLanguage() }, text);
    return () =>
      job.append({
        type: 'title.chosen',
        data: {
          ...workerOf(model),
          ...(named === '' ? {} : { of: 'filename' as const }),
          ...shortOf(asked),
        },
        content: {
          title: given || named || same || numbered(asked.title) || wordless[deps.uiLanguage()],
          abstract: numbered(asked.abstract),
          ...reasonOf(missing),
        },
      });
  });

/** How the summary is wanted that is made again: as a person asks, or for new names as it is. Null: neither. */
function wantedSummary(recording: Recording):
  | (Pick<RecordingFactOf<'summary.completed'>['data'], 'length'> & {
      language?: string | null | undefined;
    })
  | null {
  if (!recording.sources.retelling) return null;
  const asked = requestAtWork(recording);
  if (asked) return asked.data.from === 'summary' ? asked.data : null;
  return summaryByTemplate(recording);
}

/** The summary, if it was made by a template: title and abstract are in its language. */
function summaryByTemplate(recording: Recording) {
  const { results } = recording.sources.draft;
  const summarised = factAt(recording, results.summary, 'summary.completed');
  return summarised?.data.template ? summarised.data : null;
}

/** While texts are made again because names changed: the title, where it mentions none of these. */
function titleThatStays(recording: Recording): string | null {
  const { retelling, draft } = recording.sources;
  const renamed = factAt(recording, draft.results.names, 'speakers.renamed');
  if (!retelling || renamed?.content?.title !== undefined) return null;
  return writtenTitle(recording, draft);
}

/** The title of the present documents; an extract of it stays only where a model was asked in vain. */
function earlierTitle(recording: Recording, missing: Missing): ReadFact<'title.chosen'> | null {
  const { published } = recording.sources;
  const chosen = published && factAt(recording, published.results.title, 'title.chosen');
  if (!chosen?.content?.title) return null;
  const isExtract = chosen.data.engine === builtIn.engine && !chosen.data.kept;
  return isExtract && missing === notConfigured ? null : chosen;
}

/** The same title once more. Its abstract stays only with the words it was made of. */
function earlierAgain(
  recording: Recording,
  { data, content }: ReadFact<'title.chosen'>,
  {
    summary,
    blocks,
    language,
    missing,
  }: { summary: string; blocks: Block[]; language: string | null; missing: Missing | null },
): RecordingFactOf<'title.chosen'> {
  const { draft: now, published } = recording.sources;
  const isSameTalk = now.results.transcription === published?.results.transcription;
  const title = content?.title ?? '';
  if (isSameTalk) {
    const { engine, model, too_short } = data;
    return {
      type: 'title.chosen',
      data: { engine, model, kept: true, ...shortOf({ tooShort: too_short }) },
      content: { title, abstract: content?.abstract ?? '', ...reasonOf(missing) },
    };
  }
  const extract = extractOf(recording, { summary, blocks, language });
  return {
    type: 'title.chosen',
    data: { ...builtIn, kept: true, ...shortOf(extract) },
    content: { title, abstract: extract.abstract, ...reasonOf(missing) },
  };
}

/** Title and abstract without a language model. A talk too short for a summary is too short for an abstract. */
function extractOf(
  recording: Recording,
  { language, ...from }: { summary: string; blocks: Block[]; language: string | null },
) {
  const extract = fallbackTitle(from, { language });
  const { results } = recording.sources.draft;
  const summarised = factAt(recording, results.summary, 'summary.completed');
  return summarised?.data.too_short ? { ...extract, abstract: '', tooShort: true } : extract;
}

/** Whether an extract was left out; nothing where it was not. */
const shortOf = (asked: object) =>
  'tooShort' in asked && asked.tooShort ? { too_short: true as const } : {};

/** A stage before this one has waited already: one try is enough then. */
function waitMs(deps: Deps, { notes }: Reading, firstRun: boolean): number {
  if (!firstRun) return reprocessWaitMs;
  return notes.some(({ code }) => extractCodes.includes(code)) ? 0 : deps.firstRunWaitMs;
}

/** Whether a person asked for what a language model says, and for nothing before it. */
function beganWithModel(recording: Recording): boolean {
  const asked = requestAtWork(recording);
  return asked !== null && beginsWithModel(asked.data.from);
}

const workerOf = (model: LanguageModel | null) =>
  model ? { engine: 'language-model', model: model.model } : builtIn;

/** Why the built-in way is taken: a code for the log, a sentence for a person. */
type Missing = { code: string; sentence: Sentence };
export const notConfigured: Missing = {
  code: 'not-configured',
  sentence: failure('no-language-model'),
};

function reasonOf(missing: Missing | null, problem?: Sentence) {
  if (missing === null) return {};
  const { sentence: cause } = missing;
  const reason = [cause, ...(problem ? [problem] : [])].map(inEnglish).join(' ');
  return { reason, cause, ...(problem && { problem }) };
}
/**
 * Asks the language model, and again while it is away. A recording is never held up because none is configured, nor on
 * a first run because it is away: the built-in way is taken and said so. A further run waits longer for
 * one that is away, and then fails and changes nothing; so does one that was to begin with the model.
 */
function withModel(
  deps: Deps,
  stage: Stage,
  ask: (
    job: Job,
    reading: Reading,
    model: LanguageModel | null,
    /** Why there is no model; null with one. */
    missing: Missing | null,
    recording: Recording,
  ) => Promise<() => Promise<void>>,
): StageActivity {
  return (job) =>
    modelInTurn(job, deps.languageModel, { without: 'built-in language tools' }, (model) =>
      finishWith(job, model),
    );

  async function finishWith(job: Job, model: LanguageModel | null): Promise<void> {
    const recording = await job.recording();
    const reading = draft(recording);
    const firstRun = recording.sources.published === null;
    const isAboutModel = !firstRun && beganWithModel(recording);
    const isForNames = recording.sources.retelling && requestAtWork(recording) === null;
    if (!model) {
      if (isForNames) return await appendFallback(deps, stage, job, notConfigured);
      if (isAboutModel) {
        throw new StageError(failure('language-model-removed'), { retriable: true });
      }
      return await withoutModel(job, recording, notConfigured);
    }
    let appendResult: () => Promise<void>;
    try {
      // Each request is waited for by itself: a pause at the last part does not ask for all again.
      const retrying = retryingModel(model, {
        limitMs: waitMs(deps, reading, firstRun),
        onWaiting: (waiting) => job.waiting(waiting),
      });
      appendResult = await ask(job, reading, retrying, null, recording);
    } catch (error) {
      if (job.signal.aborted || !(error instanceof StageError)) throw error;
      if (isForNames) return await appendFallback(deps, stage, job, error);
      const isNeeded = stage !== 'entitle' && !firstRun && (isAboutModel || error.retriable);
      if (isNeeded) throw error;
      return await withoutModel(job, recording, error);
    }
    await appendResult();
  }

  async function withoutModel(job: Job, recording: Recording, missing: Missing): Promise<void> {
    const appendResult = await ask(job, draft(recording), null, missing, recording);
    // A retelling would be over with the fact that says so: its title says it itself.
    if (stage === 'entitle' && recording.sources.retelling) logMissing(deps, stage, job, missing);
    else await appendFallback(deps, stage, job, missing);
    await appendResult();
  }
}

/** Says that the model was missing: where texts were only to be made again, those there are stay. */
async function appendFallback(
  deps: Pick<Deps, 'log'>,
  stage: Stage,
  job: Job,
  missing: Missing,
): Promise<void> {
  logMissing(deps, stage, job, missing);
  await job.append({ type: 'summary.fallback_used', data: { stage, reason: missing.code } });
}

function logMissing(
  { log }: Pick<Deps, 'log'>,
  stage: Stage,
  { recordingId }: Job,
  { code, sentence }: Missing,
): void {
  if (code === notConfigured.code) return;
  log.warn(
    { recordingId, stage, code, reason: inEnglish(sentence) },
    'language model not used; text taken from the transcript',
  );
}

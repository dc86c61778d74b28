import { joinChannels } from '../../../projections/recording/join-channels.ts';
import type { Block } from '../../../events/facts/transcript.ts';
import type { IdentifiedName } from '../../../projections/recording/suggest-names.ts';
import { type LanguageModel, retryingModel } from '../../language/model.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import type { Log } from '../../shared/log.ts';
import type { Job, StageActivity } from './run-stage.ts';
import { carriedNames, liveNames } from '../../../projections/recording/earlier-names.ts';
import { onlySpeaker, speakingTimes } from '../../../projections/recording/join-turns.ts';
import { suggestNames } from '../../../projections/recording/suggest-names.ts';
import { underLabels } from '../../../projections/recording/utterances.ts';
import { wordCount } from '../../shared/segments.ts';
import { type Recording, factAt, speakersAsked } from '../../../projections/recording/recording.ts';
import { draft, published } from '../../../projections/recording/reading.ts';
import { voiceSamples } from '../../../projections/recording/voices.ts';
import { identify } from '../../language/identify.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import type { Sentence } from '../../words/params.ts';
import { inEnglish } from '../../words/say.ts';
import type { KnownVoices } from '../known-voices.ts';
import type { WordsOf } from '../words-held.ts';
import { peopleGiven } from '../../../projections/recording/people-given.ts';
import { modelInTurn } from './leased-in-turn.ts';
import { notConfigured, reprocessWaitMs } from './finish.ts';

export type IdentifyDeps = {
  log: Log;
  /** The configured language model; null when none is. */
  languageModel(): Promise<Lease<LanguageModel> | null>;
  /** Names that this user confirmed in other recordings, those of late first. */
  peopleOf(owner: string): Promise<readonly string[]>;
  wordsOf: WordsOf;
  firstRunWaitMs: number;
};

/**
 * Who they may be, from what is said: names, and the quotes they rest on. Whatever goes wrong is a separate fact,
 * `identification.skipped`: the meeting goes on without suggestions.
 */
export const identifyStage =
  (deps: IdentifyDeps): StageActivity =>
  (job) =>
    modelInTurn(job, deps.languageModel, { without: 'identification' }, (model) =>
      appendNames(job, deps, model),
    );

async function appendNames(job: Job, deps: IdentifyDeps, model: LanguageModel | null) {
  const recording = await job.recording();
  const { raw: blocks, language } = draft(recording);
  if (!blocks.some(({ text }) => wordCount(text) > 0)) {
    const data = { engine: 'built-in', model: null };
    return await job.append({ type: 'identification.completed', data, content: { names: [] } });
  }
  if (!model) return await skip(job, notConfigured);
  const retrying = retryingModel(model, {
    limitMs: recording.sources.published ? reprocessWaitMs : deps.firstRunWaitMs,
    onWaiting: (waiting) => job.waiting(waiting),
  });
  let names: Awaited<ReturnType<typeof identify>>;
  try {
    const owner = recording.files.owner ?? job.owner;
    const people = [...peopleGiven(recording), ...(await deps.peopleOf(owner))];
    const words = await deps.wordsOf(recording, owner);
    names = await identify(blocks, retrying, {
      language,
      people: [...new Set(people)],
      terms: words.map(({ write }) => write).filter((term) => !people.includes(term)),
      signal: job.signal,
      onProgress: (fraction) => job.progress(fraction),
    });
  } catch (error) {
    if (job.signal.aborted) throw error;
    const { recordingId } = job;
    deps.log.warn({ err: error, recordingId, stage: 'identify' }, 'finding speaker names failed');
    return await skip(job, error instanceof StageError ? error : ownFault);
  }
  await job.append({
    type: 'identification.completed',
    data: { engine: 'language-model', model: model.model },
    content: { names: names.map((one) => ({ ...one, reason: one.quotes[0]?.text ?? '' })) },
  });
}

const ownFault = { code: 'failed', sentence: failure('unexpected-error') };

const skip = (
  job: Job,
  { code, sentence: cause }: { code: string; sentence: Sentence },
): Promise<void> =>
  job.append({
    type: 'identification.skipped',
    data: { reason: code },
    content: { reason: inEnglish(cause), cause },
  });

/** Words and speakers joined into turns, with what a person needs to tell who it was. */
export const joinStage =
  ({ voiceMatches }: Pick<KnownVoices, 'voiceMatches'>): StageActivity =>
  async (job) => {
    await job.acquireSlot({ name: 'joining', concurrency: 2 });
    const recording = await job.recording();
    const { results } = recording.sources.draft;
    const diarized = factAt(recording, results.diarization, 'diarization.completed');
    const utterances = underLabels(draft(recording).utterances, diarized?.data.labels);
    const turns = joinChannels(
      utterances,
      diarized?.data.turns ?? [],
      (label) => diarized?.data.channels?.[label],
      speakersAsked(recording).min ?? undefined,
    );
    const names = suggestNames({
      turns,
      identified: identifiedIn(recording),
      carried: carriedInto(recording, turns),
      voices: [
        ...liveNames(recording, turns),
        ...(diarized?.content
          ? await voiceMatches(recording.files.owner ?? job.owner, diarized.content)
          : []),
      ],
      people: peopleGiven(recording),
    });
    const spoken = speakingTimes(turns);
    const speakers = spoken.length > 0 ? spoken : [{ label: onlySpeaker, seconds: 0 }];
    await job.append({
      type: 'turns.joined',
      data: { speakers },
      content: {
        turns,
        suggestions: speakers.map(({ label }) => {
          const { name, confidence, reason } = names.get(label) ?? noSuggestion;
          const [sample = null, ...samples] = voiceSamples(
            label,
            turns,
            diarized?.data.turns ?? [],
          );
          return { label, name, confidence, reason, sample, samples };
        }),
      },
    });
  };

const noSuggestion = { name: null, confidence: null, reason: null };

function identifiedIn(recording: Recording): readonly IdentifiedName[] {
  const { identification } = recording.sources.draft.results;
  const found = factAt(recording, identification, 'identification.completed');
  return found?.content?.names ?? [];
}

/** Who was named in an earlier version is suggested again; a person still has to confirm it. */
function carriedInto(recording: Recording, turns: readonly Block[]) {
  const shown = published(recording);
  return shown ? carriedNames(shown.blocks, shown.names, turns) : new Map<string, never>();
}

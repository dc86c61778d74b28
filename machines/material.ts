import type { ReprocessedFrom } from '../events/facts/recording.ts';
import type { Material, RecordingContext, Results } from './context.ts';

const redoneFromTitle = { title: null, restored: null };
const redoneFromWords = { ...redoneFromTitle, carried: null, punctuated: null, summary: null };
const redoneFromTurns = { ...redoneFromWords, turns: null, names: null };
const redoneFromSpeakers = { ...redoneFromTurns, diarization: null, identification: null };

/** What a further run does again, by where it begins. */
export const redoneFrom = {
  'speech-to-text': { ...redoneFromSpeakers, plan: null, transcription: null },
  diarize: redoneFromSpeakers,
  join: redoneFromTurns,
  'language-model': redoneFromWords,
  entitle: redoneFromTitle,
  write: {},
} satisfies Record<ReprocessedFrom, Partial<Results>>;

/** What documents of now would be made of. */
export const materialOf = (context: RecordingContext): Material => {
  const { kind, results, labels, stretches, utterances } = context;
  return { kind, results, labels, stretches, utterances };
};

/**
 * A run that was given up changes nothing about what the documents were made of. Names given during
 * it are kept, if they are names of the same transcription's speakers.
 */
export function materialToReturnTo(context: RecordingContext): Material {
  const { behindDocuments } = context;
  if (behindDocuments === null) return materialOf(context);
  const { results } = behindDocuments;
  const sameTurns =
    results.transcription === context.results.transcription &&
    results.turns !== null &&
    results.turns === context.results.turns;
  return {
    ...behindDocuments,
    kind: context.kind,
    labels: [...new Set([...behindDocuments.labels, ...(sameTurns ? context.labels : [])])],
    results: {
      ...results,
      ...whatStays(context),
      ...(sameTurns ? { names: context.results.names } : {}),
    },
  };
}

/** What people said, which neither a run that came to nothing nor another version takes back. */
export function whatStays({ results }: RecordingContext): Partial<Results> {
  const { audio, named, saved, titled, languageSet, edited, authored } = results;
  return { audio, named, saved, titled, languageSet, edited, authored };
}

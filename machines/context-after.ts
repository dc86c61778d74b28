import type { Kind, Stage } from '../events/facts/recording.ts';
import { type RecordingContext, type Results, initialContext } from './context.ts';
import type { RecordingMachineEvent } from './machine-event.ts';
import { materialOf, materialToReturnTo, redoneFrom, whatStays } from './material.ts';

/** The context after an event that the machine has accepted. Pure. */
export function contextAfter(
  context: RecordingContext,
  event: RecordingMachineEvent,
): RecordingContext {
  switch (event.type) {
    case 'recording.started':
      return { ...context, ...originOf(event.data), run: 1 };
    case 'audio.imported':
      return withAudio({ ...context, ...originOf(event.data), run: 1 }, event.version);
    case 'audio.captured':
    case 'capture.interrupted':
      return withAudio(context, event.version);

    case 'audio.removed':
      return { ...context, audio: false };

    case 'stage.started': {
      const { stage } = event.data;
      const attempt = context.attempt + 1;
      return {
        ...context,
        attempt,
        running: { ...context.running, [stage]: attempt },
        deaths: { ...context.deaths, [stage]: (context.deaths[stage] ?? 0) + 1 },
      };
    }
    case 'stage.interrupted': {
      const { stage } = event.data;
      const deaths = Math.max(0, (context.deaths[stage] ?? 0) - 1);
      return {
        ...withoutAttempt(context, stage),
        deaths: { ...context.deaths, [stage]: deaths },
      };
    }
    case 'stage.failed': {
      const { stage, retriable } = event.data;
      return { ...context, failed: { stage, retriable } };
    }

    case 'speech.detected':
      return {
        ...withResult(context, 'plan', event.version),
        stretches: event.data.stretches.length,
        utterances: 0,
      };
    case 'utterance.recognised':
      return { ...context, utterances: event.data.index + 1, deaths: {} };
    case 'transcription.completed':
      return completed(context, 'transcription', event.version);
    case 'diarization.completed':
    case 'diarization.skipped':
      return completed(context, 'diarization', event.version);
    case 'identification.completed':
    case 'identification.skipped':
      return completed(context, 'identification', event.version);
    case 'turns.joined':
      return {
        ...completed(context, 'turns', event.version),
        labels: event.data.speakers.map(({ label }) => label),
      };
    case 'speakers.named':
    case 'speakers.renamed':
      return changed(context, 'names', event.version);
    case 'transcript.punctuated':
      return completed(context, 'punctuated', event.version);
    case 'summary.completed':
      return completed(context, 'summary', event.version);
    case 'title.chosen':
      return completed(context, 'title', event.version);
    case 'documents.named':
      return withResult(context, 'named', event.version);
    case 'documents.saved': {
      const saved = completed(context, 'saved', event.version);
      return { ...saved, documents: event.data.version, behindDocuments: materialOf(saved) };
    }

    case 'documents.deleted': {
      const all = event.data.documents.length === 3;
      return all ? { ...context, behindDocuments: null } : context;
    }
    case 'version.restored': {
      const { kind, results, labels, stretches, utterances } = event.data.material;
      return {
        ...context,
        kind,
        labels,
        stretches,
        utterances,
        deaths: {},
        results: {
          ...context.results,
          ...(results as Partial<Results>),
          ...whatStays(context),
          titled: results['titled'] ?? null,
          languageSet: results['languageSet'] ?? null,
          restored: event.version,
        },
      };
    }

    case 'title.changed':
      return changed(context, 'titled', event.version);
    case 'language.set':
      return { ...changed(context, 'languageSet', event.version), language: event.data.language };
    case 'document.edited':
      return changed(context, 'authored', event.version);
    case 'turn.edited': {
      const { speaker } = event.data;
      const known = speaker === null || context.labels.includes(speaker);
      return {
        ...changed(context, 'edited', event.version),
        labels: known ? context.labels : [...context.labels, speaker],
      };
    }
    case 'corrections.carried_over': {
      const added = event.data.labels.filter((label) => !context.labels.includes(label));
      const labels = [...context.labels, ...added];
      return { ...withResult(context, 'carried', event.version), labels };
    }
    case 'kind.changed':
      return { ...context, kind: event.data.kind, deaths: {} };
    case 'recording.handed_over':
      return { ...context, owner: event.data.owner, handedOver: event.version, deaths: {} };

    case 'reprocessing.requested': {
      const { from, language, speakers } = event.data;
      const again = from === 'speech-to-text';
      return {
        ...context,
        run: context.run + 1,
        attempt: 0,
        deaths: {},
        ...(language === undefined ? {} : { language }),
        ...(speakers === undefined ? {} : { speakers }),
        ...(again ? { stretches: null, utterances: 0, labels: [] } : {}),
        results: { ...context.results, ...redoneFrom[from] },
      };
    }
    case 'retry.requested':
      return { ...context, failed: null, deaths: {} };
    case 'processing.cancelled':
    case 'error.cleared':
      return { ...context, ...materialToReturnTo(context), failed: null, deaths: {} };

    case 'recording.discarded':
    case 'recording.erased':
      return {
        ...initialContext(context.recordingId),
        owner: context.owner,
        kind: context.kind,
        run: context.run,
        attempt: context.attempt,
      };

    // Accepted, and of no consequence for what may happen next.
    case 'recording.paused':
    case 'recording.resumed':
    case 'speakers.skipped':
    case 'summary.fallback_used':
    case 'documents.rendered':
    case 'audio.compressed':
      return context;
    default:
      event satisfies never;
      return context;
  }
}

/** Forgets which start of a stage counts, so that no answer of it does any more. Pure. */
export function withoutAttempt(context: RecordingContext, stage: Stage): RecordingContext {
  const { [stage]: _left, ...running } = context.running;
  return { ...context, running };
}

const originOf = ({
  owner,
  kind,
  language,
  speakers,
}: {
  owner: string;
  kind: Kind;
  language: string | null;
  speakers: number | null;
}) => ({ owner, kind, language, speakers });

const withAudio = (context: RecordingContext, version: number): RecordingContext => ({
  ...completed(context, 'audio', version),
  audio: true,
});

const withResult = (
  context: RecordingContext,
  result: keyof Results,
  version: number,
): RecordingContext => ({ ...context, results: { ...context.results, [result]: version } });

/** A stage is done: whatever died before, this recording does get on. */
const completed = (context: RecordingContext, result: keyof Results, version: number) => ({
  ...withResult(context, result, version),
  deaths: {},
});

/** A person did something: nothing that died before counts against the recording. */
const changed = (context: RecordingContext, result: keyof Results, version: number) => ({
  ...withResult(context, result, version),
  deaths: {},
});

import { sourcesAfter } from '../events/facts/sources.ts';
import type { Stage } from '../events/facts/recording.ts';
import { initialContext, type RecordingContext } from './context.ts';
import type { RecordingMachineEvent } from './machine-event.ts';

/** The context after an event that the machine has accepted. Pure. */
export function contextAfter(
  before: RecordingContext,
  event: RecordingMachineEvent,
): RecordingContext {
  const context = { ...before, sources: sourcesAfter(before.sources, event) };
  switch (event.type) {
    case 'recording.started':
      return { ...context, owner: event.data.owner };
    case 'audio.imported':
      return { ...context, owner: event.data.owner, audio: true, deaths: {} };
    case 'audio.captured':
    case 'capture.interrupted':
      return { ...context, audio: true, deaths: {} };
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

    // A stage is done, or a person did something: no death before it counts against the recording.
    case 'utterance.recognised':
    case 'transcription.completed':
    case 'diarization.completed':
    case 'diarization.skipped':
    case 'identification.completed':
    case 'identification.skipped':
    case 'turns.joined':
    case 'transcript.punctuated':
    case 'summary.completed':
    case 'title.chosen':
    case 'documents.saved':
    case 'speakers.named':
    case 'speakers.renamed':
    case 'title.changed':
    case 'language.set':
    case 'document.edited':
    case 'turn.edited':
    case 'kind.changed':
    case 'version.restored':
      return { ...context, deaths: {} };
    case 'recording.handed_over':
      return { ...context, owner: event.data.owner, handedOver: event.version, deaths: {} };
    case 'reprocessing.requested':
      return { ...context, attempt: 0, deaths: {} };
    case 'retry.requested':
    case 'processing.cancelled':
    case 'error.cleared':
      return { ...context, failed: null, deaths: {} };

    case 'recording.discarded':
    case 'recording.erased': {
      const { recordingId, owner, sources, attempt } = context;
      return { ...initialContext(recordingId), owner, sources, attempt };
    }

    // Accepted, and without further consequence for what may happen next.
    case 'recording.paused':
    case 'recording.resumed':
    case 'speech.detected':
    case 'speakers.skipped':
    case 'summary.fallback_used':
    case 'documents.named':
    case 'documents.rendered':
    case 'documents.deleted':
    case 'corrections.carried_over':
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

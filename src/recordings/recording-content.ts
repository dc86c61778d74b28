import {
  recordingStream,
  type RecordingFactOf,
  type RecordingFactType,
} from '../../events/recording-facts.ts';
import type { Envelope } from '../../events/envelope.ts';
import type { EventStore } from '../../events/store.ts';
import type { Segment, Stretch } from '../../events/transcript.ts';
import type { RecordingContext } from '../../machines/recording.ts';
import type { LoggedRecordingFact } from './live-recording.ts';

type Logged<T extends RecordingFactType> = RecordingFactOf<T> & Envelope;

/** What the log holds of a recording for the present run. The machine's context says which facts count. */
export type RecordingContent = {
  context: RecordingContext;
  origin: Logged<'audio.imported'> | Logged<'recording.started'>;
  audio: { path: string; bytes: number; sha256: string };
  /** RFC 3339 UTC. */
  startedAt: string;
  duration: number | null;
  plan: { stretches: Stretch[]; warnings: string[]; detector: string } | null;
  utterances: Utterance[];
  /** The language that was heard most (by seconds), else the one asked for. */
  language: string | null;
  turns: Logged<'turns.joined'> | null;
  names: Record<string, string>;
  punctuated: Logged<'transcript.punctuated'> | null;
  summary: Logged<'summary.completed'> | null;
  title: Logged<'title.chosen'> | null;
  named: Logged<'documents.named'> | null;
  saved: Logged<'documents.saved'> | null;
  /** The reason the diarization was skipped for; null when it was not. */
  diarizationSkipped: string | null;
  /** Whether a person said not to name the speakers. */
  speakersSkipped: boolean;
  captureInterrupted: string | null;
  /** Stages of this run that had to do without a language model, and why. */
  fallbacks: { stage: string; reason: string }[];
};

export type Utterance = {
  language: string | null;
  index: number;
  start: number;
  end: number;
  segments: Segment[];
  doubt: string | undefined;
};

/** Reads a recording's stream, which is bounded by what one recording can hold. */
export async function readRecording(
  store: EventStore,
  recordingId: string,
  context: RecordingContext,
): Promise<RecordingContent> {
  const facts: LoggedRecordingFact[] = [];
  for await (const fact of store.read(recordingStream(recordingId))) {
    facts.push(fact as LoggedRecordingFact);
  }
  const at = <T extends RecordingFactType>(version: number | null, ...types: T[]) => {
    const fact = version === null ? undefined : facts[version - 1];
    return fact && (types as string[]).includes(fact.type) ? (fact as Logged<T>) : null;
  };

  const { results } = context;
  const origin = at(1, 'audio.imported', 'recording.started');
  const audio = at(results.audio, 'audio.imported', 'audio.captured', 'capture.interrupted');
  if (!origin || !audio) throw new Error(`recording ${recordingId} has no audio in the log`);
  const plan = at(results.plan, 'speech.detected');
  const completed = at(results.transcription, 'transcription.completed');
  const spoken = plan
    ? facts.filter(
        (fact): fact is Logged<'utterance.recognised'> =>
          fact.type === 'utterance.recognised' &&
          fact.version > plan.version &&
          fact.version <= (completed?.version ?? Infinity),
      )
    : [];
  const names = at(results.names, 'speakers.named')?.content?.names ?? {};
  const title = at(results.title, 'title.chosen');
  const turns = at(results.turns, 'turns.joined');
  const run = title?.run ?? context.run;

  return {
    context,
    origin,
    audio: audio.data,
    startedAt: origin.type === 'audio.imported' ? origin.data.started_at : origin.at,
    duration: plan?.data.duration ?? audio.data.duration,
    plan: plan?.data ?? null,
    utterances: spoken.map((fact) => ({
      index: fact.data.index,
      start: fact.data.start,
      end: fact.data.end,
      language: fact.data.language,
      doubt: fact.data.doubt,
      segments: fact.content?.segments ?? [],
    })),
    language: completed?.data.language ?? mostHeard(spoken) ?? context.language,
    turns,
    names,
    punctuated: at(results.punctuated, 'transcript.punctuated'),
    summary: at(results.summary, 'summary.completed'),
    title,
    named: at(results.named, 'documents.named'),
    saved: at(results.saved, 'documents.saved'),
    diarizationSkipped: at(results.diarization, 'diarization.skipped')?.data.reason ?? null,
    speakersSkipped: turns !== null && results.names === null,
    captureInterrupted: audio.type === 'capture.interrupted' ? audio.data.reason : null,
    fallbacks: facts
      .filter(
        (fact): fact is Logged<'summary.fallback_used'> =>
          fact.type === 'summary.fallback_used' && fact.run === run,
      )
      .map((fact) => fact.data),
  };
}

/** The language of most of the speech, by seconds. */
export function mostHeard(
  utterances: readonly { data: { start: number; end: number; language: string | null } }[],
): string | null {
  const seconds = new Map<string, number>();
  for (const { data } of utterances) {
    if (data.language === null) continue;
    seconds.set(data.language, (seconds.get(data.language) ?? 0) + data.end - data.start);
  }
  const [most] = [...seconds].toSorted((a, b) => b[1] - a[1]);
  return most?.[0] ?? null;
}

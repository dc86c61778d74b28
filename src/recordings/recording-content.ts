import {
  recordingStream,
  type RecordingFactOf,
  type RecordingFactType,
} from '../../events/facts/recording.ts';
import type { Envelope } from '../../events/facts/envelope.ts';
import type { EventStore } from '../../events/store.ts';
import type { Segment, Stretch } from '../../events/facts/transcript.ts';
import { basisOf, type Source } from '../../events/facts/sources.ts';
import type { RecordingContext } from '../../machines/recording.ts';
import type { DocumentName } from '../documents/documents.ts';
import type { LoggedRecordingFact } from './handle.ts';

type Logged<T extends RecordingFactType> = RecordingFactOf<T> & Envelope;

/** What the log holds of a recording for the present run. The machine's context says which facts count. */
export type RecordingContent = {
  context: RecordingContext;
  /** Which facts this is read from. */
  source: Source;
  /** The language asked for; null: as heard. */
  asked: string | null;
  origin: Logged<'audio.imported'> | Logged<'recording.started'>;
  /** The kept file, as it was captured or as it was compressed since; removed when the context says so. */
  audio: { path: string; bytes: number; sha256: string };
  /** What is missing from it: [first missing second, seconds missing]. */
  gaps: [number, number][];
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
  /** What people changed afterwards, as far as it counts in this context. */
  restored: Logged<'version.restored'> | null;
  carried: Logged<'corrections.carried_over'> | null;
  titled: Logged<'title.changed'> | null;
  /** All titles that people replaced, oldest first. */
  formerTitles: string[];
  /** Corrections of the blocks there are, oldest first. */
  edits: Logged<'turn.edited'>[];
  /** Documents in people's own words: the last that was sent of each, if it is one. */
  authored: Partial<Record<DocumentName, Logged<'document.edited'>>>;
  /** Whose the documents were when they were last saved; null when they never were. */
  savedFor: string | null;
  /** Hashes of what may have been written since they were last saved. */
  rendered: Logged<'documents.rendered'>[];
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
  source: Source = context.sources.draft,
): Promise<RecordingContent> {
  const facts: LoggedRecordingFact[] = [];
  for await (const fact of store.read(recordingStream(recordingId))) {
    facts.push(fact as LoggedRecordingFact);
  }
  const at = <T extends RecordingFactType>(version: number | null, ...types: T[]) => {
    const fact = version === null ? undefined : facts[version - 1];
    return fact && (types as string[]).includes(fact.type) ? (fact as Logged<T>) : null;
  };

  const { results } = source;
  const asked = askedLanguage(facts);
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
  const restored = at(results.restored, 'version.restored');
  const carried = at(results.carried, 'corrections.carried_over');
  const basis = basisOf(source);
  const edits = allOf(facts, 'turn.edited', results.edited).filter(
    ({ data }) => data.basis === basis,
  );
  const titled = at(results.titled, 'title.changed');
  const saved = at(results.saved, 'documents.saved');
  const title = at(results.title, 'title.chosen');
  const turns = at(results.turns, 'turns.joined');
  const run = title?.run ?? context.sources.run;

  return {
    context,
    source,
    asked,
    origin,
    audio: allOf(facts, 'audio.compressed', Infinity).at(-1)?.data ?? audio.data,
    gaps: ('ledger' in audio.data ? audio.data.ledger?.gaps : undefined) ?? [],
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
    language:
      at(results.languageSet, 'language.set')?.data.language ??
      completed?.data.language ??
      mostHeard(spoken) ??
      asked,
    turns,
    names: namesIn(
      at(results.names, 'speakers.named', 'speakers.renamed'),
      [restored, carried],
      edits,
    ),
    punctuated: at(results.punctuated, 'transcript.punctuated'),
    summary: at(results.summary, 'summary.completed'),
    title,
    named: at(results.named, 'documents.named'),
    saved,
    restored,
    carried,
    titled,
    formerTitles: allOf(facts, 'title.changed', results.titled).flatMap(
      ({ content }) => content?.previous ?? [],
    ),
    edits,
    authored: Object.fromEntries(
      allOf(facts, 'document.edited', results.authored).map((fact) => [fact.data.document, fact]),
    ),
    savedFor: saved && ownerBefore(facts, saved.version),
    rendered: allOf(facts, 'documents.rendered', Infinity).filter(
      ({ version }) => version > (saved?.version ?? 0),
    ),
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

/** What the present documents were made of, and what was corrected in them since; null without any. */
export async function readShown(
  store: EventStore,
  recordingId: string,
  context: RecordingContext,
): Promise<RecordingContent | null> {
  const { published } = context.sources;
  return published && (await readRecording(store, recordingId, context, published));
}

function askedLanguage(facts: readonly LoggedRecordingFact[]): string | null {
  let asked: string | null = null;
  for (const { data, type } of facts) {
    const asks = type !== 'transcription.completed' && type !== 'utterance.recognised';
    if (asks && 'language' in data && data.language !== undefined) asked = data.language;
  }
  return asked;
}

/** The facts of a type up to a version; none without one. */
function allOf<T extends RecordingFactType>(
  facts: readonly LoggedRecordingFact[],
  type: T,
  upTo: number | null,
): Logged<T>[] {
  if (upTo === null) return [];
  return facts.filter((fact) => fact.type === type && fact.version <= upTo) as Logged<T>[];
}

function ownerBefore(facts: readonly LoggedRecordingFact[], version: number): string | null {
  let owner: string | null = null;
  for (const fact of facts.slice(0, version)) {
    if ('owner' in fact.data) owner = fact.data.owner;
  }
  return owner;
}

/** Names by label. Who named the speakers named them all; what came later adds to it. */
function namesIn(
  named: Logged<'speakers.named'> | Logged<'speakers.renamed'> | null,
  texts: readonly (Logged<'version.restored'> | Logged<'corrections.carried_over'> | null)[],
  edits: readonly Logged<'turn.edited'>[],
): Record<string, string> {
  const since = named?.version ?? 0;
  const names: Record<string, string> = { ...named?.content?.names };
  for (const text of texts) {
    if (text && text.version > since) Object.assign(names, text.content?.names);
  }
  for (const { data, content, version } of edits) {
    if (data.speaker === null || content?.name === undefined || version < since) continue;
    names[data.speaker] ??= content.name;
  }
  return names;
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

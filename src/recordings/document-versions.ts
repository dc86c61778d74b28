import {
  type RecordingFactOf,
  type RecordingFactType,
  recordingStream,
} from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import type { Source } from '../../events/facts/sources.ts';
import type { RecordingContext } from '../../machines/context.ts';
import { evolve, initialState, toMachineEvent } from '../../machines/recording.ts';
import type { LoggedRecordingFact } from './handle.ts';
import { readRecording } from './recording-content.ts';
import { shownBlocks, shownSpeakers, shownTitle } from './transcript-blocks.ts';

/** One version of a recording's documents: when, by what and why they were written. */
export type DocumentVersion = {
  version: number;
  at: string;
  /** Types of the people's facts that led to it; of a first run the one that began it. */
  why: string[];
  /** Who asked for it: a user id. */
  by: string;
  run: number;
  speech_to_text: { engine: string; model: string | null } | null;
  language_model: { engine: string; model: string | null } | null;
  title: string | null;
  /** Whether these are the documents there are. */
  current: boolean;
};

/** Every version of a recording's documents, oldest first. Reads one stream. */
export async function documentVersions(
  store: EventStore,
  recordingId: string,
): Promise<DocumentVersion[]> {
  const facts = await factsOf(store, recordingId);
  const versions: DocumentVersion[] = [];
  let why: LoggedRecordingFact[] = [];
  for (const { fact, context } of folded(recordingId, facts)) {
    if (reasons.has(fact.type)) why.push(fact);
    if (fact.type === 'documents.deleted') for (const one of versions) one.current = false;
    if (fact.type !== 'documents.saved') continue;
    for (const one of versions) one.current = false;
    const { results } = context.sources.draft;
    const at = (version: number | null) => (version === null ? undefined : facts[version - 1]);
    const title = at(results.titled) ?? at(results.restored) ?? at(results.title);
    versions.push({
      version: fact.data.version,
      at: fact.at,
      why: [...new Set(why.map(({ type }) => type))],
      by: why.at(-1)?.by ?? fact.by,
      run: fact.run ?? context.sources.run,
      speech_to_text: workerIn(at(results.transcription)),
      language_model: workerIn(at(results.summary)),
      title: title?.content && 'title' in title.content ? (title.content.title ?? null) : null,
      current: true,
    });
    why = [];
  }
  return versions;
}

/** The fact that switches back to an earlier version; null when there was no such version. */
export async function restoration(
  store: EventStore,
  recordingId: string,
  version: number,
): Promise<RecordingFactOf<'version.restored'> | null> {
  const facts = await factsOf(store, recordingId);
  for (const { fact, context } of folded(recordingId, facts)) {
    if (fact.type !== 'documents.saved' || fact.data.version !== version) continue;
    const material = context.sources.saved;
    if (material === null) return null;
    const content = await readRecording(store, recordingId, context, material);
    return {
      type: 'version.restored',
      data: {
        version,
        material: asData(material),
        speakers: shownSpeakers(content),
        language: content.language,
      },
      content: {
        blocks: shownBlocks(content),
        title: shownTitle(content) ?? content.named?.content?.title ?? '',
        abstract: content.restored?.content?.abstract ?? content.title?.content?.abstract ?? '',
        summary: content.restored?.content?.summary ?? content.summary?.content?.text ?? '',
        names: content.names,
      },
    };
  }
  return null;
}

/** Facts of people that lead to other documents. */
const reasons = new Set<RecordingFactType>([
  'recording.started',
  'audio.imported',
  'reprocessing.requested',
  'version.restored',
  'title.changed',
  'kind.changed',
  'language.set',
  'speakers.named',
  'speakers.renamed',
  'recording.handed_over',
  'turn.edited',
  'document.edited',
]);

const asData = ({ kind, results, labels, stretches, utterances }: Source) => ({
  kind,
  results: { ...results },
  labels: [...labels],
  stretches,
  utterances,
});

async function factsOf(store: EventStore, recordingId: string): Promise<LoggedRecordingFact[]> {
  const facts: LoggedRecordingFact[] = [];
  for await (const fact of store.read(recordingStream(recordingId))) {
    facts.push(fact as LoggedRecordingFact);
  }
  return facts;
}

function* folded(
  recordingId: string,
  facts: readonly LoggedRecordingFact[],
): Generator<{ fact: LoggedRecordingFact; context: RecordingContext }> {
  let state = initialState(recordingId);
  for (const fact of facts) {
    state = evolve(state, toMachineEvent(fact));
    yield { fact, context: state.context };
  }
}

function workerIn(fact: LoggedRecordingFact | undefined): DocumentVersion['speech_to_text'] {
  if (!fact || !('engine' in fact.data)) return null;
  const { engine, model } = fact.data;
  return { engine, model };
}

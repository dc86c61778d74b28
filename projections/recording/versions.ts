import type { TemplateUsed } from '../../events/facts/templates.ts';
import { leadsBy } from '../../events/facts/counting.ts';
import type { RecordingFactOf, RecordingFactType } from '../../events/facts/recording.ts';
import type { Source } from '../../events/facts/sources.ts';
import { spokenIn } from './edit-turns.ts';
import { read } from './reading.ts';
import { factAt, type ReadFact, type Recording } from './recording.ts';

/** One version of a recording's documents: when, by what and why they were written. */
export type DocumentVersion = {
  version: number;
  at: string;
  /** Types of the facts that led to it (`leading` of `events/facts/counting.ts`). */
  why: string[];
  /** Who asked for it: a user id. */
  by: string;
  run: number;
  speechToText: Worker | null;
  languageModel: Worker | null;
  title: string | null;
  /** Whether these are the documents there are. */
  current: boolean;
  /** The template that its summary was made by; null: none, or that of an earlier release. */
  template: TemplateUsed | null;
};

/** Every version of a recording's documents, oldest first. Pure. */
export function versionsOf(recording: Recording): DocumentVersion[] {
  const { versions, published } = recording.sources;
  let why: ReadFact[] = [];
  let before = why;
  /** What was made of parts of others has the facts of these, which nobody asked for. */
  let isCarried = false;
  /** The last fact that gave a run up. */
  let givenUp = 0;
  const found: DocumentVersion[] = [];
  for (const fact of recording.facts) {
    if (fact.type === 'audio.assembled') isCarried = true;
    if (leadsBy(fact.type) !== undefined && !isCarried) why.push(fact);
    if (fact.type === 'processing.cancelled' || fact.type === 'error.cleared') {
      why = withoutRuns(why);
      givenUp = fact.version;
    }
    if (fact.type !== 'documents.saved') continue;
    isCarried = false;
    const { version } = fact.data;
    const source = versions[version - 1];
    if (!source) continue;
    const { results } = source;
    // A naming went with the run that was given up, unless its names are in what is saved.
    why = why.filter(
      ({ type, version: of }) =>
        leadsBy(type) !== 'answers' || of > givenUp || of === results.names,
    );
    // Names changed, and what was written with the old ones was made again: for the same reason.
    if (why.length === 0 && isRetold(before)) why = before;
    const summarised = factAt(recording, results.summary, 'summary.completed');
    found.push({
      version,
      at: fact.at,
      // Each once, where it was last: the newest reason is the last.
      why: [...new Set(why.map(({ type }) => type).toReversed())].toReversed(),
      by: why.at(-1)?.by ?? fact.by,
      run: fact.run ?? 1,
      speechToText: workerIn(factAt(recording, results.transcription, 'transcription.completed')),
      languageModel: workerIn(summarised),
      template: (summarised?.data.engine !== 'built-in' && summarised?.data.template) || null,
      title: read(recording, source).title,
      current: published !== null && version === versions.length,
    });
    before = why;
    why = [];
  }
  return found;
}

/** The fact that switches back to an earlier version; null when there was no such version. Pure. */
export function restoration(
  recording: Recording,
  version: number,
): RecordingFactOf<'version.restored'> | null {
  const source = recording.sources.versions[version - 1];
  if (!source) return null;
  const reading = read(recording, source);
  const { language, title, blocks, abstract, summary, lines, names } = reading;
  return {
    type: 'version.restored',
    data: {
      version,
      material: materialOf(source),
      speakers: reading.speakers.map(({ label, seconds }) => ({ label, seconds })),
      language,
      ...spokenIn(blocks),
    },
    content: {
      blocks,
      title: title ?? '',
      abstract: abstract ?? '',
      summary: summary ?? '',
      ...(lines.length > 0 ? { lines: [...lines] } : {}),
      names,
    },
  };
}

type Worker = { engine: string; model: string | null };

/** What was asked for and given up leads to nothing; what people said meanwhile still holds. */
const withoutRuns = (why: readonly ReadFact[]): ReadFact[] =>
  why.filter(({ type }) => leadsBy(type) !== 'begins');

/** A save without a reason of its own comes of a retelling, which any of several new names may have asked for. */
const isRetold = (why: readonly ReadFact[]): boolean =>
  why.some(
    (fact) =>
      retellingTypes.has(fact.type) ||
      (fact.type === 'audio.imported' && fact.data.parts !== undefined),
  );

const retellingTypes: ReadonlySet<string> = new Set<RecordingFactType>([
  'speakers.renamed',
  'recording.joined',
  'recording.cut',
  'passage.removed',
]);

const materialOf = ({ kind, results, labels, stretches, utterances, heardSince }: Source) => ({
  ...(heardSince === results.plan ? {} : { heardSince }),
  kind,
  results: { ...results },
  labels: [...labels],
  stretches,
  utterances,
});

const workerIn = (fact: { data: Worker } | null): Worker | null =>
  fact && { engine: fact.data.engine, model: fact.data.model };

import { type Counting, type Results, counting, noResults, staying } from './counting.ts';
import {
  type Kind,
  type RecordingFact,
  type ReprocessedFrom,
  beginsWith,
  stages,
} from './recording.ts';

/**
 * Which facts of a recording count: once, for the machine (may this happen?) and for the fold (what does
 * it say?). Only versions of facts are kept, so no text gets to the machine; the fold looks the facts up.
 */
export type Sources = {
  /** Which run through the pipeline this is, from 1; 0 before the first. */
  run: number;
  /** What the next documents will be made of. */
  draft: Source;
  /** What the present documents were made of when they were saved; null while there are none. */
  saved: Source | null;
  /** The same, with what people have said of it since: what is shown. */
  published: Source | null;
  /** What each version of the documents was made of, from version 1. */
  versions: readonly Source[];
  /** Summary and title mention names that people changed, or a person wants them otherwise: they are made again. */
  retelling: boolean;
  /** What runs were given up with that people had corrected, oldest first, until there are documents. */
  unwritten: readonly Source[];
  /**
   * `asked`: it is being made of parts of others. `leaving`: another is being made of it, so that nothing may be said of it
   * any more that would be in neither. `made`: it is, and its documents do not say so yet; that is not given up.
   */
  assembly: 'asked' | 'leaving' | 'made' | null;
};

/** What documents are made of. */
export type Source = {
  kind: Kind | null;
  results: Results;
  /** Speaker labels that were found and may be named. */
  labels: readonly string[];
  /** Segments of speech in the plan of what to recognise; null without a plan. */
  stretches: number | null;
  /** Utterances recognised, which is also the index of the next one. */
  utterances: number;
  /**
   * Version of the fact after which its utterances come: that of the plan, or 0 where they were recognised
   * while it was recorded. Null without any.
   */
  heardSince: number | null;
};

/** A fact without its content, with its place in the stream. */
export type SourceFact = HeaderOf<RecordingFact>;

const noSource: Source = {
  kind: null,
  results: noResults,
  labels: [],
  stretches: null,
  utterances: 0,
  heardSince: null,
};
export const noSources: Sources = {
  run: 0,
  draft: noSource,
  saved: null,
  published: null,
  versions: [],
  retelling: false,
  unwritten: [],
  assembly: null,
};

/** Version of the fact whose blocks are the transcript, before corrections by their ids. */
export const basisOf = ({ results }: Pick<Source, 'results'>): number | null =>
  results.restored ?? results.carried ?? results.punctuated ?? results.turns;

/** Names the transcript whose speakers labels are of: in another one a label may be another voice. Null: there is none. */
export function speakersRevision(source: Pick<Source, 'results'>): string | null {
  const basis = basisOf(source);
  return basis === null ? null : String(basis);
}

/** Runs that were given up before there were documents: so many are remembered, the last ones. */
const unwrittenMax = 20;

/** The results that a further run makes again: those of the stages where it begins, and of all that follow. */
function redoneFrom(from: ReprocessedFrom): Partial<Results> {
  const first = stages.indexOf(beginsWith(from)[0]!);
  const isRedone = ({ result, ends, within = ends }: Counting): boolean =>
    within !== undefined && stages.indexOf(within) >= first && !stayingResults.has(result);
  const redone = Object.values(counting)
    .filter((one) => one !== undefined)
    .filter(isRedone);
  return Object.fromEntries(redone.map(({ result }) => [result, null]));
}
const stayingResults: ReadonlySet<string> = new Set(staying);

/** Whether everything is there that the stages lead to with which a run from there begins. Pure. */
export const isDoneFrom = (from: ReprocessedFrom, { results }: Pick<Source, 'results'>): boolean =>
  beginsWith(from).every((stage) =>
    Object.values(counting).some((one) => one?.ends === stage && results[one.result] !== null),
  );

/** Whether nothing can be read of a source any more. Pure. */
export const isGone = (source: Source): boolean => source.kind === null;

/** The sources after a fact that the machine has accepted; the same object when it changes none. Pure. */
export function sourcesAfter(sources: Sources, fact: SourceFact): Sources {
  const after = resultsAfter(sources, fact);
  const retelling = retellingAfter(after.retelling, fact);
  const assembly = assemblyAfter(after.assembly, fact);
  const isSame = retelling === after.retelling && assembly === after.assembly;
  return isSame ? after : { ...after, retelling, assembly };
}

function resultsAfter(sources: Sources, fact: SourceFact): Sources {
  const { type, version } = fact;
  const result = counting[type]?.result;
  const draft = result ? holding(sources.draft, result, version) : sources.draft;
  const after = result ? { ...sources, draft } : sources;

  switch (fact.type) {
    case 'recording.started':
    case 'audio.imported':
      return { ...after, run: 1, draft: { ...draft, kind: fact.data.kind } };
    case 'speech.followed':
    case 'speech.detected':
    case 'utterance.recognised':
      return { ...after, draft: { ...draft, ...heardAfter(draft, fact) } };
    case 'turns.joined':
      return {
        ...after,
        draft: { ...draft, labels: fact.data.speakers.map(({ label }) => label) },
      };
    case 'corrections.carried_over':
      return { ...after, draft: withLabels(draft, fact.data.labels) };

    // What people say holds at once, also for what is shown.
    case 'kind.changed': {
      const { kind } = fact.data;
      return { ...after, draft: { ...draft, kind }, published: said(sources, { kind }) };
    }
    case 'title.changed':
    case 'language.set':
    case 'start.changed':
    case 'document.edited':
    case 'sidenote.written':
    case 'sidenote.edited':
    case 'sidenote.removed':
    case 'summary.edited':
    case 'task.checked':
      return { ...after, published: said(sources, {}, { [result!]: version }) };
    case 'turn.edited':
    case 'turns.recut': {
      const published = said(sources, {}, { edited: version });
      return { ...after, draft: withLabels(draft, labelsGiven(fact.data)), published };
    }
    case 'speakers.renamed':
      return haveSameTurns(sources.draft, sources.published)
        ? { ...after, published: said(sources, {}, { names: version }) }
        : after;

    case 'documents.saved': {
      const versions = [...after.versions, draft];
      return { ...after, saved: draft, published: draft, versions, unwritten: [] };
    }
    case 'documents.deleted':
      return fact.data.documents.length === 3 ? { ...after, saved: null, published: null } : after;
    case 'reprocessing.requested':
      return furtherRun(after, fact.data.from);
    case 'audio.extended':
      return furtherRun(after, 'speech-to-text');
    case 'version.restored':
      return { ...after, draft: restored(draft, versionIn(sources, fact.data), version) };
    case 'processing.cancelled':
    case 'error.cleared':
      return returned(after);
    case 'recording.discarded':
    case 'recording.erased':
      return { ...noSources, run: after.run, draft: { ...noSource, kind: draft.kind } };
    default:
      return fact.type === 'audio.assembled' ? assembled(after, fact.data) : after;
  }
}

/**
 * Nothing is left of what the earlier documents were made of: it is of other audio. Own words of people stay only in what is
 * put together whole.
 */
function assembled(before: Sources, data: Assembled): Sources {
  const next = furtherRun(before, 'speech-to-text');
  const { results } = next.draft;
  const authored = isJoined(data) ? results.authored : null;
  const draft = {
    ...next.draft,
    results: { ...results, voiced: null, reworded: null, authored, interrupted: null },
  };
  const versions = before.versions.map(() => noSource);
  return { ...next, draft, saved: null, published: null, versions, unwritten: [] };
}

/** Whether it is several recordings, each whole: else something of it was left out. Pure. */
export const isJoined = ({ parts = [] }: Pick<Assembled, 'parts'>): boolean =>
  new Set(parts.map(({ recording }) => recording)).size > 1;

type Assembled = Extract<RecordingFact, { type: 'audio.assembled' }>['data'];

function assemblyAfter(assembly: Sources['assembly'], fact: SourceFact): Sources['assembly'] {
  switch (fact.type) {
    case 'recording.joined':
      return 'asked';
    case 'recording.cut':
      return 'leaving';
    case 'passage.removed':
      return fact.data.into === undefined ? 'asked' : 'leaving';
    case 'stage.started':
      return fact.data.stage === 'continue' ? 'leaving' : assembly;
    case 'audio.assembled':
      return 'made';
    case 'audio.imported':
      return fact.data.parts === undefined ? null : 'made';
    case 'recording.kept_apart':
    case 'documents.saved':
    case 'error.cleared':
      return null;
    default:
      return assembly;
  }
}

/** The sources of a run that does again what comes from a stage on. */
function furtherRun(before: Sources, from: ReprocessedFrom): Sources {
  const { draft, published, run } = before;
  // It counts until another one is made.
  if (from === 'summary') return { ...before, run: run + 1 };
  const results = { ...draft.results, ...redoneFrom(from) };
  const unheard =
    from === 'speech-to-text'
      ? { stretches: null, utterances: 0, heardSince: null, labels: [] }
      : {};
  const next = { ...draft, ...unheard, results };
  const isCorrected =
    draft.results.edited !== null ||
    (before.assembly !== null && results.carried !== draft.results.carried);
  const isLost = published === null && isCorrected && basisOf(next) !== basisOf(draft);
  const unwritten = isLost ? [...before.unwritten, draft].slice(-unwrittenMax) : before.unwritten;
  return { ...before, run: run + 1, draft: next, unwritten };
}

/** Asked for by a change of names, or by a person; over when it is done, could not be done, or something else is asked for. */
function retellingAfter(retelling: boolean, fact: SourceFact): boolean {
  switch (fact.type) {
    case 'speakers.renamed':
      return retelling || fact.data.texts === 'again';
    case 'reprocessing.requested':
      return fact.data.from === 'summary';
    case 'title.chosen':
      return fact.data.carried === true;
    case 'summary.fallback_used':
    case 'audio.extended':
    case 'version.restored':
    case 'processing.cancelled':
    case 'error.cleared':
      return false;
    default:
      return retelling;
  }
}

/** How far it is recognised: of a plan that was made at once, or that grows while it is recorded. */
function heardAfter(
  draft: Source,
  { data, type, version }: Extract<SourceFact, { type: HeardType }>,
): Partial<Source> {
  switch (type) {
    case 'speech.followed':
      return { stretches: (draft.stretches ?? 0) + data.stretches.length, heardSince: 0 };
    case 'speech.detected': {
      const heard = data.live
        ? { ...data.live, heardSince: 0 }
        : { utterances: 0, heardSince: version };
      return { ...heard, stretches: data.stretches.length };
    }
    default:
      return { utterances: Math.max(draft.utterances, data.index + 1) };
  }
}

type HeardType = 'speech.followed' | 'speech.detected' | 'utterance.recognised';

/** What an earlier version was made of, as `version.restored` has it in the log. */
export const materialIn = ({ material }: Restored): Source => {
  const { kind, labels, stretches, utterances } = material;
  const results = { ...noResults, ...material.results };
  const { heardSince = results.plan } = material;
  return { kind, results, labels, stretches, utterances, heardSince };
};

type Restored = Extract<RecordingFact, { type: 'version.restored' }>['data'];
type HeaderOf<F extends RecordingFact> = F extends RecordingFact
  ? Pick<F, 'type' | 'data'> & { version: number }
  : never;

const holding = (source: Source, result: keyof Results, version: number): Source => ({
  ...source,
  results: { ...source.results, [result]: version },
});

function withLabels(source: Source, labels: readonly string[]): Source {
  const added = labels.filter((label) => !source.labels.includes(label));
  return added.length === 0 ? source : { ...source, labels: [...source.labels, ...added] };
}

/** Labels that a correction of turns gives, new ones among them. */
const labelsGiven = (data: Correcting): string[] =>
  'by' in data ? data.by.flatMap(({ speaker }) => speaker ?? []) : [data.speaker ?? []].flat();

type Correcting = Extract<RecordingFact, { type: 'turn.edited' | 'turns.recut' }>['data'];

const said = (
  { published }: Sources,
  change: Partial<Source>,
  results: Partial<Results> = {},
): Source | null =>
  published && { ...published, ...change, results: { ...published.results, ...results } };

/** A fold that keeps no versions takes the fact's word for it: `replay --check` compares both. */
const versionIn = ({ versions }: Sources, data: Restored): Source =>
  versions[data.version - 1] ?? materialIn(data);

/** An earlier version, with the files that there are and the corrections that people made since. */
function restored(draft: Source, earlier: Source, version: number): Source {
  const kept = Object.fromEntries(staying.map((result) => [result, draft.results[result]]));
  return { ...earlier, results: { ...earlier.results, ...kept, restored: version } };
}

/**
 * A run that was given up changes nothing about what the documents were made of. Names given during
 * it are kept, if they are names of the same transcription's speakers.
 */
function returned(sources: Sources): Sources {
  const { draft, saved, published } = sources;
  if (saved === null || published === null) return sources;
  const { audio, interrupted, people, named, edited, authored, sidenotes, reworded, names } =
    draft.results;
  const { titled, languageSet, startChanged } = published.results;
  const same = haveSameTurns(draft, saved);
  const kept = same ? { names } : {};
  return {
    ...sources,
    draft: {
      ...(same ? withLabels(saved, draft.labels) : saved),
      kind: draft.kind,
      results: {
        ...saved.results,
        audio,
        interrupted,
        people,
        named,
        saved: draft.results.saved,
        titled,
        languageSet,
        startChanged,
        edited,
        authored,
        sidenotes,
        reworded,
        ...kept,
      },
    },
    published: { ...published, results: { ...published.results, ...kept } },
  };
}

function haveSameTurns({ results }: Source, other: Source | null): boolean {
  return (
    results.turns !== null &&
    results.turns === other?.results.turns &&
    results.transcription === other.results.transcription
  );
}

import { type SpeakerCount, anyNumber, speakerCount } from '../../src/shared/speaker-count.ts';
import {
  type RecordingFact,
  type RecordingFactType,
  recordingStream,
} from '../../events/facts/recording.ts';
import { type Files, filesAfter, noFiles } from '../../events/facts/files.ts';
import { noSources, sourcesAfter, type Source, type Sources } from '../../events/facts/sources.ts';
import type { EventStore } from '../../events/store.ts';

/** A fact of a recording as it is read: what is said of it besides is of no concern here. */
export type ReadFact<T extends RecordingFactType = RecordingFactType> = Extract<
  RecordingFact,
  { type: T }
> & {
  version: number;
  at: string;
  by: string;
  run?: number;
  /** Its key was destroyed; or is missing or altered. Either way there is no content. */
  erased?: true;
  unreadable?: true;
};

/** Everything that the log says of one recording. */
export type Recording = {
  recordingId: string;
  /** Which facts count. */
  sources: Sources;
  /** In the order of the stream. A digest holds only those that may count, without long texts. */
  facts: readonly ReadFact[];
  /** The language asked for (ISO 639-1 code, null: as heard): for the draft, and when the present documents were saved. */
  asked: Asked;
  /** Whose it is, and which files it has. */
  files: Files;
  /** When it began, as a person said, else as its first fact has it: RFC 3339. Null before it has. */
  startedAt: string | null;
};

type Asked = { draft: string | null; published: string | null };

/** A recording before its first fact. */
export const noRecording = (recordingId: string): Recording => ({
  recordingId,
  sources: noSources,
  facts: [],
  asked: { draft: null, published: null },
  files: noFiles,
  startedAt: null,
});

/** The one fold. Documents, activities, HTTP, versions, exports and search read what it leads to. Pure. */
export const evolve = (recording: Recording, fact: ReadFact): Recording => ({
  ...recording,
  ...countedAfter(recording, fact),
  facts: recording.facts.concat([fact]),
});

/** Folds what no list of facts holds. An object that the fact does not change stays the same object. Pure. */
export const countedAfter = (
  { sources, asked, files, startedAt }: Counted,
  fact: ReadFact,
): Counted => ({
  sources: sourcesAfter(sources, fact),
  asked: askedAfter(asked, fact),
  files: filesAfter(files, fact),
  startedAt: startAfter(startedAt, fact),
});

type Counted = Omit<Recording, 'recordingId' | 'facts'>;

/** Folds a recording's stream, which is bounded by what one recording can hold. @throws {EventStoreError} */
export async function readRecording(
  store: Pick<EventStore, 'read'>,
  recordingId: string,
): Promise<Recording> {
  // The facts are collected in one array: copying it for each would take their number squared.
  const facts: ReadFact[] = [];
  const begun = noRecording(recordingId);
  let counted: Counted = begun;
  for await (const fact of store.read(recordingStream(recordingId))) {
    facts.push(fact);
    counted = countedAfter(counted, fact);
  }
  return { ...begun, ...counted, facts };
}

/** What people are shown: what the documents were made of, with what was said since; without any, the draft. */
export const shownOf = ({ sources }: Pick<Recording, 'sources'>): Source =>
  sources.published ?? sources.draft;

/** The fact of a version, if it is of one of the types. Null without one. */
export function factAt<T extends RecordingFactType>(
  { facts }: Pick<Recording, 'facts'>,
  version: number | null,
  ...types: T[]
): ReadFact<T> | null {
  if (version === null) return null;
  const there = facts[version - 1];
  // A digest has gaps.
  const fact = there?.version === version ? there : facts.find((one) => one.version === version);
  const isOf = (one: ReadFact): one is ReadFact<T> => types.some((type) => type === one.type);
  return fact && isOf(fact) ? fact : null;
}

/** All facts of a type up to a version, oldest first; none without one. */
export function factsOf<T extends RecordingFactType>(
  { facts }: Pick<Recording, 'facts'>,
  type: T,
  upTo: number | null,
): ReadFact<T>[] {
  if (upTo === null) return [];
  return facts.filter((fact): fact is ReadFact<T> => fact.type === type && fact.version <= upTo);
}

type DocumentName = ReadFact<'document.edited'>['data']['document'];

/** What the log says of a recording's documents: what was written of them. */
export type DocumentFiles = {
  /** How the documents were named, once in each space, and how they were last saved. */
  named: ReadFact<'documents.named'> | null;
  saved: ReadFact<'documents.saved'> | null;
  /** Whether they have a name in the space of the present owner. */
  hasName: boolean;
  /** Version of the documents that comes next. */
  nextVersion: number;
  /** What may have been written since they were last saved. */
  rendered: ReadFact<'documents.rendered'>[];
  /** Documents in people's own words: the last that was sent of each, if it is one. */
  authored: Partial<Record<DocumentName, ReadFact<'document.edited'>>>;
  /** The last that was sent of each, also where it counts no more: its file may be there. */
  sent: Partial<Record<DocumentName, ReadFact<'document.edited'>>>;
};

type Request = ReadFact<'reprocessing.requested'>;

/** What people asked of further runs that holds on, oldest first: not what was given up before there were documents of it. Pure. */
export function requestsIn({ facts }: Pick<Recording, 'facts'>): Request[] {
  const kept: Request[] = [];
  let open: Request[] = [];
  for (const fact of facts) {
    if (fact.type === 'reprocessing.requested') open.push(fact);
    else if (fact.type === 'processing.cancelled' || fact.type === 'error.cleared') open = [];
    else if (fact.type === 'documents.saved') kept.push(...open.splice(0));
  }
  return [...kept, ...open];
}

/** What a person asked of the run that is at work; null: it came of something else, or is over. Pure. */
export function requestAtWork({ facts }: Pick<Recording, 'facts'>): Request | null {
  const last = facts.findLast(({ type }) => type === 'reprocessing.requested' || endsRun.has(type));
  // Who asks only to write the documents again asks no model, so none of these ends it.
  return last?.type === 'reprocessing.requested' && last.data.from !== 'write' ? last : null;
}
/** What comes after the last question to a language model, gives the run up, or begins another. */
const endsRun: ReadonlySet<string> = new Set<RecordingFactType>([
  'title.chosen',
  'summary.fallback_used',
  'processing.cancelled',
  'error.cleared',
  'audio.extended',
  'audio.assembled',
  'version.restored',
]);

/** How many people speak, as given at the beginning or with a later run. */
export function speakersAsked(recording: Pick<Recording, 'facts'>): SpeakerCount {
  const asked = requestsIn(recording).findLast(({ data }) =>
    [data.speakers, data.speakers_min, data.speakers_max].some((one) => one !== undefined),
  );
  const given = asked ?? factAt(recording, 1, 'recording.started', 'audio.imported');
  return given ? speakerCount(given.data) : anyNumber;
}

/** What says which audio there is: as it came, or as a browser added to it. */
export const audioFact = (recording: Recording, { results }: Source) =>
  factAt(
    recording,
    results.audio,
    'audio.imported',
    'audio.captured',
    'capture.interrupted',
    'audio.extended',
    'audio.assembled',
  );

export function documentFilesOf(recording: Recording, { results }: Source): DocumentFiles {
  const named = factAt(recording, results.named, 'documents.named');
  const saved = factAt(recording, results.saved, 'documents.saved');
  const lastOfEach = (upTo: number | null) =>
    Object.fromEntries(
      factsOf(recording, 'document.edited', upTo).map((fact) => [fact.data.document, fact]),
    );
  return {
    named,
    saved,
    hasName: named !== null && named.version > (recording.files.handedOver ?? 0),
    nextVersion: recording.sources.versions.length + 1,
    rendered: factsOf(recording, 'documents.rendered', Infinity).filter(
      ({ version }) => version > (saved?.version ?? 0),
    ),
    authored: lastOfEach(results.authored),
    sent: lastOfEach(Infinity),
  };
}

function startAfter(startedAt: string | null, fact: ReadFact): string | null {
  switch (fact.type) {
    case 'recording.started':
      return fact.at;
    case 'audio.imported':
      return fact.data.started_at;
    case 'start.changed':
      return fact.data.local_start;
    default:
      return startedAt;
  }
}

function askedAfter(asked: Asked, fact: ReadFact): Asked {
  switch (fact.type) {
    case 'recording.started':
    case 'audio.imported':
    case 'language.set': {
      const { language } = fact.data;
      return { draft: language, published: language };
    }
    case 'reprocessing.requested': {
      const { language, from } = fact.data;
      // The language of a summary is not the one that was spoken.
      return language === undefined || from === 'summary' ? asked : { ...asked, draft: language };
    }
    case 'documents.saved':
      return { ...asked, published: asked.draft };
    case 'processing.cancelled':
    case 'error.cleared':
      // A run that came to nothing asked for nothing either.
      return { ...asked, draft: asked.published };
    default:
      return asked;
  }
}

import type { Sentence } from '../src/words/params.ts';
import type { Grant } from '../events/facts/access.ts';
import type { LinkTerms } from '../events/facts/links.ts';
import type { Hold } from '../events/facts/holds.ts';
import { type Kind, type Stage, recordingOf } from '../events/facts/recording.ts';
import { speakersRevision } from '../events/facts/sources.ts';
import { type Note, noteOf } from '../src/words/notes.ts';
import type { Origin } from './recording/origins.ts';
import { type Speaker, type Suggestion, draft, shown } from './recording/reading.ts';
import type { Digest } from './recording/digest.ts';
import { withKnownNames } from './recording/written-texts.ts';
import { type ReadFact, shownOf } from './recording/recording.ts';
import type { LoggedFact } from '../events/facts/catalogue.ts';
import type { ProjectionStorage, Seal } from './runner/projection.ts';

/** A link, and when it was made; its name and password are a row of their own (`link-texts.ts`). */
export type KeptLink = LinkTerms & { readonly at: string };

/** What a reader sees of one recording, folded from its facts. */
export type RecordingRow = {
  recordingId: string;
  owner: string;
  kind: Kind;
  /** The machine's top-level state. */
  status: 'idle' | 'recording' | 'transcribing' | 'awaiting-speakers' | 'error';
  /** Canonical name of the whole state, e.g. `transcribing.finishing(punctuate.running,summarise.done)`. */
  state: string;
  /** Position and time of the fact that led into the present state. */
  position: number;
  since: string;
  run: number;
  /** Stages that have started and not ended, with their attempt and when it started. */
  running: { stage: Stage; attempt: number; since: string }[];
  title: string | null;
  /** Name of the file it was imported from; null for a captured one. */
  source: string | null;
  abstract: string | null;
  /** Asked for, then as heard. */
  language: string | null;
  startedAt: string;
  duration: number | null;
  device: string | null;
  /** Of which other recordings it is, or which are of it. */
  origins: readonly Origin[];
  audio: { path: string; bytes: number; sha256: string } | null;
  speakers: Speaker[];
  /** `speakersRevision` of these. */
  speakersRevision: string | null;
  /** While it awaits speakers: what to ask. */
  suggestions: Suggestion[];
  /** `speakersRevision` of what is asked. */
  pendingRevision: string | null;
  error: {
    stage: Stage;
    code: string;
    /** In English; null where the key of the recording is gone. */
    message: string | null;
    /** What people read of it in their language; null in what releases before it wrote. */
    reason: Sentence | null;
    retriable: boolean;
    at: string;
  } | null;
  documents: { index: string; transcript: string; summary: string } | null;
  documentHashes: { index: string; transcript: string; summary: string } | null;
  /** Folder it is in, and tags it has: ids of its owner's. */
  folder: string | null;
  tags: readonly string[];
  /** With whom its owner shares it. */
  access: readonly Grant[];
  /** By what strangers read it; also links that are over, until they are deleted. */
  links: readonly KeptLink[];
  /** It was protected from deletion: still as long as `until` says. The reason is a person’s. */
  hold: (Hold & { reason: string | null }) | null;
  /** Version of the documents; 0: none yet. */
  version: number;
  /** What a reader should know: no language model, parts kept unpunctuated, audio truncated, … */
  notes: Note[];
  /** Samples, gaps, silence and clipping of a captured recording. */
  ledger: unknown;
};

/** The same without what only the page of one recording shows. */
export type ListedRecording = Omit<RecordingRow, OfOne>;
type OfOne = 'audio' | 'ledger' | 'speakersRevision' | 'pendingRevision';

/** The two rows of a recording. `facts`, `said` and `texts` are sealed, so they are missing without the key. */
export type KeptRecording = KeptLine & KeptDigest;

/** The row for lists: small, so that a page of them is read fast. */
export type KeptLine = {
  /** Nothing a person said or wrote: readable without the recording's key. */
  core: Omit<RecordingRow, OfOne | 'documents' | 'error' | 'hold' | keyof Said> & {
    hold: Hold | null;
    /** When it came, was put elsewhere, given to another, began at another time or was protected no more. */
    placedAt: string;
    hasAudio: boolean;
    error: Omit<NonNullable<RecordingRow['error']>, 'message' | 'reason'> | null;
    /** What the documents' paths begin with and has no words: they are found by it. None: there are no documents. */
    files: string[];
    /** In whose folder these are: still the former owner's, until they are written again. */
    filesOwner: string | null;
    /** SHA-256 of the file it was imported from, as it came; null: captured, or erased. */
    importedSha256: string | null;
    /** It waits for its speakers, and was put off: it is not asked for any more. */
    postponed: boolean;
  };
  /** Seconds recorded before the last pause, and since when it has been running again. */
  clock: { seconds: number; runningSince: string | null };
  /** What its facts say, read once: while nothing runs. Missing otherwise, and of what was erased. */
  said?: Said;
  /** Paths of the documents, which titles are in, and the message of `core.error`. */
  texts?: KeptTexts;
  /** What is sealed cannot be opened: the key is missing or damaged, not erased. */
  unreadable?: true;
};

/** What is read of it, and what its next fact is folded into. */
export type KeptDigest = {
  /** Which facts count, whose it is and its files: versions, labels and hashes, no words. */
  counted: Omit<Digest, 'facts'>;
  /** The facts that count, without their long texts. */
  facts?: readonly ReadFact[];
  unreadable?: true;
};

type Said = Pick<
  RecordingRow,
  'title' | 'source' | 'abstract' | 'language' | 'speakers' | 'notes' | 'suggestions'
>;
export type KeptTexts = {
  documents: RecordingRow['documents'];
  failure: FailureSaid | null;
  /** Why it is protected from deletion. */
  heldFor?: string | undefined;
};
type FailureSaid = { message: string; reason?: Sentence | undefined };

/** Name of the projection of recordings, in whose rows everything of them is. */
export const recordingsName = 'recordings';

/** Keys of what is kept of a recording. */
export const recordingKey = (id: string): string => `r/${id}`;
export const digestKey = (id: string): string => `d/${id}`;

/** The recording that a fact belongs to, with the keys of what folding the fact has to see. */
export function recordingIn({ stream }: LoggedFact): Place {
  // A recording's facts mostly follow each other, and are asked about several times each.
  if (stream === lastPlace.stream) return lastPlace;
  const id = recordingOf(stream);
  lastPlace = { stream, id, keys: id === undefined ? [] : [recordingKey(id), digestKey(id)] };
  return lastPlace;
}

/** What people said and wrote is sealed with the recording's key; lists and states are not. */
export function sealOfRecording(key: string): Seal | undefined {
  const [kind, subject] = key.split('/', 2);
  if (subject === undefined) return undefined;
  if (kind === 'r') return { subject, open: ['core', 'clock'] };
  if (kind === 'd') return { subject, open: ['counted'] };
  return kind === 't' ? { subject } : undefined;
}

/** The recording as its rows are; undefined where there is none. */
export async function keptRecording(
  storage: ProjectionStorage,
  id: string,
): Promise<KeptRecording | undefined> {
  const [line, digest] = await storage.getMany(recordingsName, [recordingKey(id), digestKey(id)]);
  return joined(line as KeptLine | undefined, digest as KeptDigest | undefined);
}

/** What is kept in both rows. */
export const joined = (
  line: KeptLine | undefined,
  digest: KeptDigest | undefined,
): KeptRecording | undefined => line && digest && { ...digest, ...line };

/** What lists show of the recordings that these entries (`<time>/<id>`) name; without those erased since. */
export async function recordingsListed(
  storage: ProjectionStorage,
  entries: readonly string[],
): Promise<ListedRecording[]> {
  return listed(storage, await linesOf(storage, entries));
}

/** What is kept for lists of the recordings that these entries name. */
export async function linesOf(
  storage: ProjectionStorage,
  entries: readonly string[],
): Promise<KeptLine[]> {
  const keys = entries.map((entry) => recordingKey(entry.slice(entry.indexOf('/') + 1)));
  const lines = await storage.getMany<KeptLine>(recordingsName, keys);
  return lines.filter((line) => line !== undefined);
}

/** What lists show; what the facts of a recording say is read now where something runs, and without `words`. */
export async function listed(
  storage: ProjectionStorage,
  lines: readonly KeptLine[],
  words = true,
): Promise<ListedRecording[]> {
  const unread = lines.filter(({ said }) => said === undefined).map(({ core }) => core.recordingId);
  const digests =
    unread.length === 0
      ? []
      : await storage.getMany<KeptDigest>(recordingsName, unread.map(digestKey));
  const read = new Map(unread.map((id, index) => [id, digests[index]]));
  return lines.flatMap((line) => {
    const { recordingId, status } = line.core;
    const digest = read.get(recordingId);
    const facts = words ? digest?.facts : [];
    const said = line.said ?? (digest && saidIn({ ...digest.counted, facts: facts ?? [] }, status));
    return said ? [listedRow(line, said)] : [];
  });
}

/** What a reader sees. */
export function recordingRow(kept: KeptRecording): RecordingRow {
  const { audio, ledger } = kept.counted.files;
  const { said = saidIn(digestIn(kept), kept.core.status) } = kept;
  return {
    ...listedRow(kept, said),
    audio: audio && { path: audio.path, bytes: audio.bytes, sha256: audio.sha256 },
    speakersRevision: speakersRevision(shownOf(kept.counted)),
    pendingRevision: pendingRevision(kept),
    ledger,
  };
}

/** Names the turns whose speakers are asked for. */
export const pendingRevision = ({ counted }: Pick<KeptDigest, 'counted'>): string | null =>
  speakersRevision(counted.sources.draft);

/** Of what is not sealed alone: as if the recording's key were not there. */
export const wordlessRow = ({ core, counted, clock }: KeptRecording): RecordingRow =>
  recordingRow({ core, counted, clock });

/** The digest that is kept; without its key, of no facts. */
export const digestIn = ({ counted, facts = [] }: KeptDigest): Digest => ({ ...counted, facts });

/** What the facts say that count; names are suggested while it waits for its speakers. */
export function saidIn(digest: Digest, status: RecordingRow['status']): Said {
  const { title, filename, abstract, language, speakers, notes } = shown(digest);
  const named = abstract && withKnownNames(abstract, speakers);
  const suggestions = status === 'awaiting-speakers' ? draft(digest).suggestions : [];
  return { title, source: filename, abstract: named, language, speakers, notes, suggestions };
}

export const noTexts: KeptTexts = { documents: null, failure: null };

function listedRow(
  { core: kept, texts = noTexts, unreadable }: KeptLine,
  said: Said,
): ListedRecording {
  const {
    files: _,
    filesOwner: _filesOwner,
    importedSha256: _sha256,
    postponed: _postponed,
    placedAt: _at,
    hasAudio: _has,
    ...core
  } = kept;
  const isKnown = said.notes.some(({ code }) => code === 'unreadable');
  return {
    ...core,
    ...said,
    documents: texts.documents,
    error: core.error && {
      ...core.error,
      message: texts.failure?.message ?? null,
      reason: texts.failure?.reason ?? null,
    },
    hold: core.hold && { ...core.hold, reason: texts.heldFor ?? null },
    notes: unreadable && !isKnown ? [...said.notes, noteOf('unreadable')] : said.notes,
  };
}

let lastPlace: Place = { stream: '', id: undefined, keys: [] };

type Place = { stream: string; id: string | undefined; keys: readonly string[] };

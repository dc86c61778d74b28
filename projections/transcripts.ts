import type { LoggedFact } from '../events/facts/catalogue.ts';
import { type Kind, recordingOf } from '../events/facts/recording.ts';
import { isErased } from './erased.ts';
import { type LibraryItem, fileKey, libraryList, relist } from './library.ts';
import { type PageRequest, newestFirst } from './list-page.ts';
import type { Projection, ProjectionStorage } from './projection.ts';
import type { TranscriptRow } from './recording-row.ts';
import { type TranscriptHead, beginningOfTranscript, headAfter } from './transcript-head.ts';
import { dropTexts, readTexts, sameTexts, setText } from './transcript-texts.ts';

/**
 * What was said, and the library. Rows: `t/<id>` the head; `u/<id>/<run>/<index>` an utterance,
 * `b/<id>/<run>` blocks and `s/<id>/<run>` summary of a pass, so that no text is written twice;
 * `e/<id>/<run>/<block>` what a person corrected of a block; `x/<id>/<run>` corrections without a place;
 * `l/<owner>/<all|solo|meeting>/<created at>/<id>` library items; `f/<owner>/<SHA-256 of the filename>`
 * recording id. No key holds words: the database's own files name keys long after they are gone.
 */
export const transcripts: Projection = {
  name: 'transcripts',
  version: 2,
  interests: new Set<LoggedFact['type']>([
    'recording.started',
    'audio.imported',
    'audio.captured',
    'capture.interrupted',
    'recording.discarded',
    'speech.detected',
    'utterance.recognised',
    'transcription.completed',
    'turns.joined',
    'speakers.named',
    'transcript.punctuated',
    'summary.completed',
    'title.chosen',
    'documents.saved',
    'processing.cancelled',
    'error.cleared',
    'reprocessing.requested',
    'recording.erased',
    'title.changed',
    'speakers.renamed',
    'kind.changed',
    'language.set',
    'recording.handed_over',
    'turn.edited',
    'corrections.carried_over',
    'documents.deleted',
    'version.restored',
  ]),
  keys: (fact) => placeOf(fact).keys,
  apply(rows, fact) {
    const { id, key } = placeOf(fact);
    if (id === undefined) return;
    const before = rows.get<TranscriptHead>(key) ?? beginningOfTranscript(id, fact);
    if (!before) return;
    const after = headAfter(before, fact);
    dropTexts(rows, id, before.passes, after.passes);
    setText(rows, id, after.passes, fact);
    relist(rows, before, after);
    if (isErased(fact)) rows.delete(key);
    else rows.set(key, after);
  },
};

/** The words of a recording; undefined when there is none, or it was erased. */
export async function transcriptOf(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<TranscriptRow | undefined> {
  // Texts may be replaced between two reads: then the head names others, and they are read instead.
  for (let tries = 0; tries < 3; tries += 1) {
    const head = await storage.get<TranscriptHead>(transcripts.name, `t/${recordingId}`);
    if (!head) return undefined;
    const row = await readTexts(storage, transcripts.name, recordingId, head.passes.shown);
    const now = await storage.get<TranscriptHead>(transcripts.name, `t/${recordingId}`);
    if (now && sameTexts(now.passes.shown, head.passes.shown)) return row;
  }
  throw new TranscriptMoving(recordingId);
}

/** Recordings with documents, newest first. @throws {InvalidCursor}, {RangeError} see `newestFirst`. */
export async function libraryOf(
  storage: ProjectionStorage,
  owner: string,
  { kind, ...page }: PageRequest & { kind?: Kind | undefined } = {},
): Promise<{ rows: LibraryItem[]; next_cursor: string | null }> {
  const prefix = libraryList(owner, kind);
  const { entries, next_cursor } = await newestFirst(storage, transcripts.name, prefix, page);
  return { rows: entries.map(({ row }) => row as LibraryItem), next_cursor };
}

/** The recording that one of a user's documents belongs to, by the document's path in the user's space. */
export async function recordingByFilename(
  storage: ProjectionStorage,
  owner: string,
  filename: string,
): Promise<string | undefined> {
  return storage.get<string>(transcripts.name, fileKey(owner, filename));
}

/** A transcript kept changing while it was read. Asking again helps. */
export class TranscriptMoving extends Error {
  override name = 'TranscriptMoving';
  readonly code = 'TRANSCRIPT_MOVING';
  readonly retriable = true;
  constructor(recordingId: string) {
    super(`The transcript of ${recordingId} was replaced while it was read`);
  }
}

type Place = { stream: string; id: string | undefined; key: string; keys: readonly string[] };

/** The recording a fact belongs to, and the key of its head. */
function placeOf({ stream }: LoggedFact): Place {
  // A recording's facts mostly follow each other, and are asked about several times each.
  if (stream === lastPlace.stream) return lastPlace;
  const id = recordingOf(stream);
  const key = `t/${id}`;
  lastPlace = { stream, id, key, keys: id === undefined ? [] : [key] };
  return lastPlace;
}

let lastPlace: Place = { stream: '', id: undefined, key: '', keys: [] };

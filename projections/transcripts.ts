import type { LoggedFact } from '../events/catalogue.ts';
import { recordingOf, type Kind } from '../events/recording-facts.ts';
import type { Block, Correction } from '../events/transcript.ts';
import { wordlessName } from '../events/wordless-name.ts';
import { newestFirst, startingWith, timeKey, utcTime, type PageRequest } from './list-page.ts';
import { isErased } from './erased.ts';
import type { Results } from './pass-results.ts';
import { foldPasses, latest, noPasses, type Passes } from './passes.ts';
import type { Projection, ProjectionStorage, Rows } from './projection.ts';
import type { TranscriptRow } from './recording-row.ts';

/** A recording with documents, as `GET /transcripts` lists it. */
export type LibraryItem = {
  recording_id: string;
  /** Path of the index document, relative to the user's space. */
  filename: string;
  title: string | null;
  summary: string | null;
  kind: Kind;
  language: string | null;
  created_at: string;
  duration: number | null;
  /** Names, or labels of those without; each once. */
  speakers: string[];
  documents: { index: string; transcript: string; summary: string };
};

type Utterance = TranscriptRow['utterances'][number];
/** What a correction puts in the place of a block's own. */
type Edit = Pick<Block, 'text' | 'words' | 'speaker'>;
/** What is kept of a transcript besides its texts. */
type Head = {
  recording_id: string;
  owner: string;
  kind: Kind;
  created_at: string;
  duration: number | null;
  documents: LibraryItem['documents'] | null;
  passes: Passes;
};

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
    const before = rows.get<Head>(key) ?? beginning(id, fact);
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
    const head = await storage.get<Head>(transcripts.name, `t/${recordingId}`);
    if (!head) return undefined;
    const row = await readTexts(storage, recordingId, head.passes.shown);
    const now = await storage.get<Head>(transcripts.name, `t/${recordingId}`);
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
  const prefix = `l/${owner}/${kind ?? 'all'}/`;
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

function beginning(recording_id: string, fact: LoggedFact): Head | undefined {
  if (fact.type !== 'recording.started' && fact.type !== 'audio.imported') return undefined;
  return {
    recording_id,
    owner: fact.data.owner,
    kind: fact.data.kind,
    created_at: utcTime(fact.type === 'audio.imported' ? fact.data.started_at : fact.at),
    duration: null,
    documents: null,
    passes: noPasses,
  };
}

function headAfter(head: Head, fact: LoggedFact): Head {
  const passes = foldPasses(head.passes, fact);
  if (isErased(fact)) return { ...head, passes, documents: null };
  switch (fact.type) {
    case 'audio.imported':
    case 'audio.captured':
    case 'capture.interrupted':
    case 'speech.detected':
      return { ...head, passes, duration: fact.data.duration };
    case 'documents.saved':
      return { ...head, passes, documents: fact.content?.paths ?? null };
    case 'documents.deleted':
      return fact.data.documents.length === 3
        ? { ...head, passes, documents: null }
        : { ...head, passes };
    case 'recording.handed_over':
      return { ...head, passes, owner: fact.data.owner };
    case 'kind.changed':
      return { ...head, passes, kind: fact.data.kind };
    case 'version.restored':
      return { ...head, passes, kind: fact.data.material.kind ?? head.kind };
    default:
      return { ...head, passes };
  }
}

/** Writes the text a fact brings. One whose key was destroyed brings none. */
function setText(rows: Rows, id: string, { run, shown }: Passes, fact: LoggedFact): void {
  if (fact.content === undefined) return;
  if (fact.type === 'turn.edited' && shown.blocks !== null) {
    const { block, speaker } = fact.data;
    const { text, words } = fact.content;
    rows.set(editKey(id, shown.blocks, block), { text, words, speaker } satisfies Edit);
  }
  if (fact.type === 'corrections.carried_over') {
    rows.set(`b/${id}/${run}`, fact.content.blocks);
    if (fact.data.unplaced > 0) rows.set(`x/${id}/${run}`, fact.content.unplaced);
  }
  if (fact.type === 'version.restored') {
    rows.set(`b/${id}/r${fact.version}`, fact.content.blocks);
    rows.set(`s/${id}/r${fact.version}`, fact.content.summary);
  }
  if (fact.type === 'utterance.recognised') {
    const { index, start, end, doubt } = fact.data;
    const { segments } = fact.content;
    const utterance = { index, start, end, segments, ...(doubt === undefined ? {} : { doubt }) };
    rows.set(utteranceKey(id, run, index), utterance satisfies Utterance);
  }
  if (fact.type === 'turns.joined') rows.set(`b/${id}/${run}`, fact.content.turns);
  if (fact.type === 'transcript.punctuated') rows.set(`b/${id}/${run}`, fact.content.blocks);
  if (fact.type === 'summary.completed') rows.set(`s/${id}/${run}`, fact.content.text);
}

/** Deletes the texts that neither what is shown nor the present pass needs any more. */
function dropTexts(rows: Rows, id: string, before: Passes, after: Passes): void {
  if (before === after) return;
  const needed = [after.shown, ...(after.pending ? [after.pending] : [])];
  for (const { utterances, blocks, summary, edited } of [before.shown, latest(before)]) {
    if (utterances !== null) {
      const kept = needed.find((one) => one.utterances?.run === utterances.run)?.utterances;
      for (let index = kept?.count ?? 0; index < utterances.count; index += 1) {
        rows.delete(utteranceKey(id, utterances.run, index));
      }
    }
    if (blocks !== null && !needed.some((one) => one.blocks === blocks)) {
      rows.delete(`b/${id}/${blocks}`);
      rows.delete(`x/${id}/${blocks}`);
      for (const block of edited) rows.delete(editKey(id, blocks, block));
    }
    if (summary !== null && !needed.some((one) => one.summary === summary)) {
      rows.delete(`s/${id}/${summary}`);
    }
  }
}

/** Brings the library up to the documents there are. It changes with them only, and with names. */
function relist(rows: Rows, before: Head, after: Head): void {
  const moved = before.owner !== after.owner || before.kind !== after.kind;
  const other = before.documents !== after.documents || moved;
  if (!other && before.passes.shown === after.passes.shown) return;
  if (before.documents !== null && other) {
    for (const path of Object.values(before.documents)) rows.delete(fileKey(before.owner, path));
    for (const key of listsOf(before)) rows.delete(key);
  }
  if (after.documents === null) return;
  const lists = listsOf(after);
  for (const path of Object.values(after.documents)) {
    rows.set(fileKey(after.owner, path), after.recording_id);
  }
  const item = libraryItem(after, after.documents);
  for (const key of lists) rows.set(key, item);
}

const listsOf = ({ owner, kind, created_at, recording_id }: Head): string[] =>
  ['all', kind].map((list) => `l/${owner}/${list}/${timeKey(created_at, recording_id)}`);

function libraryItem(head: Head, documents: LibraryItem['documents']): LibraryItem {
  const { title, abstract, language, speakers } = head.passes.shown;
  return {
    recording_id: head.recording_id,
    filename: documents.index,
    title,
    summary: abstract,
    kind: head.kind,
    language,
    created_at: head.created_at,
    duration: head.duration,
    speakers: [...new Set(speakers.map(({ name, label }) => name ?? label))],
    documents,
  };
}

async function readTexts(
  storage: ProjectionStorage,
  recording_id: string,
  { utterances, blocks, summary, edited, unplaced }: Results,
): Promise<TranscriptRow> {
  const spoken: Utterance[] = [];
  if (utterances !== null) {
    const within = startingWith(`u/${recording_id}/${utterances.run}/`);
    for await (const [, row] of storage.range<Utterance>(transcripts.name, within))
      spoken.push(row);
  }
  const [blockRow, summaryRow, unplacedRow, ...editRows] = await storage.getMany(transcripts.name, [
    `b/${recording_id}/${blocks ?? 0}`,
    `s/${recording_id}/${summary ?? 0}`,
    `x/${recording_id}/${blocks ?? 0}`,
    ...edited.map((block) => editKey(recording_id, blocks ?? 0, block)),
  ]);
  const edits = new Map(edited.map((block, index) => [block, editRows[index] as Edit | undefined]));
  return {
    recording_id,
    utterances: spoken,
    blocks: ((blockRow as Block[] | undefined) ?? []).map((block) => ({
      ...block,
      ...edits.get(block.id),
    })),
    unplaced: unplaced > 0 ? ((unplacedRow as Correction[] | undefined) ?? []) : [],
    summary: (summaryRow as string | null | undefined) ?? null,
  };
}

const sameTexts = (a: Results, b: Results): boolean =>
  a.utterances?.run === b.utterances?.run &&
  a.blocks === b.blocks &&
  a.summary === b.summary &&
  a.edited.length === b.edited.length;

/** Nine digits sort as numbers do. */
const utteranceKey = (id: string, run: number, index: number): string =>
  `u/${id}/${run}/${String(index).padStart(9, '0')}`;

const editKey = (id: string, blocks: number | string, block: string): string =>
  `e/${id}/${blocks}/${block}`;

/** The same name may be written with composed or with decomposed accents. */
const fileKey = (owner: string, filename: string): string =>
  `f/${owner}/${wordlessName(filename.normalize('NFC'))}`;

import type { LoggedRecordingFact } from '../events/facts/catalogue.ts';
import type { Source } from '../events/facts/sources.ts';
import { startingWith } from './list-page.ts';
import type { ProjectionStorage, Rows } from './runner/projection.ts';
import {
  type Digest,
  isSpokenOnly,
  textsNeeded,
  textsOf,
  withTextRows,
  withTexts,
} from './recording/digest.ts';
import { type Reading, shown } from './recording/reading.ts';
import type { Utterance } from './recording/utterances.ts';
import { shownOf } from './recording/recording.ts';
import type { FoldedRecording } from './recording-fold.ts';
import { type KeptRecording, digestIn, recordingsName, keptRecording } from './recording-row.ts';

/*
 * The texts of a recording, apart from its row so that none is written twice. Rows, below `t/<id>/`:
 * `<version>` the long texts of a fact, `u/<since>/<index>` an utterance, by the version of its plan, or 0 where it
 * was recognised while it was recorded (`heardSince`). Which ones count is said by the recording's own row.
 */

/** The words of one recording. */
export type TranscriptRow = Pick<
  Reading,
  | 'blocks'
  | 'editable'
  | 'interruptions'
  | 'lines'
  | 'offered'
  | 'people'
  | 'sidenotes'
  | 'summary'
  | 'unplaced'
> & {
  recordingId: string;
  /** What was recognised, while there are no turns or paragraphs made of it. */
  utterances: Utterance[];
};

/** What the keys of a recording's texts begin with. */
const textKeysOf = (id: string): string => `t/${id}/`;

/** Key of the texts of a fact, by its version. */
const textKey = (id: string, version: number): string => `${textKeysOf(id)}${nine(version)}`;

/** Key of an utterance, by the version of the plan that it is one of; and what the keys of all of it begin with. */
const utterancesOf = (id: string, plan: number): string => `${textKeysOf(id)}u/${plan}/`;

const utteranceKey = (id: string, plan: number, index: number): string =>
  `${utterancesOf(id, plan)}${nine(index)}`;

/** Nine digits sort as numbers do. */
const nine = (number: number): string => String(number).padStart(9, '0');

/** Writes the text a fact brings. One whose key was destroyed brings none. */
export function setText(rows: Rows, after: FoldedRecording, fact: LoggedRecordingFact): void {
  const { recordingId } = after.core;
  if (fact.type === 'utterance.recognised' && fact.content !== undefined) {
    const { heardSince } = after.counted.sources.draft;
    const { words: _words, ...data } = fact.data;
    const utterance: Utterance = { ...data, segments: fact.content.segments };
    if (heardSince !== null) rows.set(utteranceKey(recordingId, heardSince, data.index), utterance);
    return;
  }
  // What does not count is not kept.
  if (after.facts.at(-1)?.version !== fact.version) return;
  const texts = textsOf(fact);
  if (texts) rows.set(textKey(recordingId, fact.version), texts);
}

/** Deletes the texts of facts that do not count any more. */
export function dropTexts(rows: Rows, before: KeptRecording, after: FoldedRecording): void {
  const { recordingId } = after.core;
  if (before.facts !== undefined && before.facts !== after.facts) {
    const needed = new Set(withTextRows(digestIn(after)));
    for (const version of withTextRows(digestIn(before))) {
      if (!needed.has(version)) rows.delete(textKey(recordingId, version));
    }
  }
  const left = plansOf(after);
  for (const [plan, count] of plansOf(before)) {
    if (left.has(plan)) continue;
    for (let index = 0; index < count; index += 1) {
      rows.delete(utteranceKey(recordingId, plan, index));
    }
  }
}

/** The words of a recording; undefined when there is none, or it was erased. */
export async function transcriptOf(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<TranscriptRow | undefined> {
  // Texts may go between two reads: then the recording names others, and they are read instead.
  for (let tries = 0; tries < 3; tries += 1) {
    const kept = await keptIn(storage, recordingId);
    if (!kept) return undefined;
    const row = await readTexts(storage, kept);
    const now = await keptIn(storage, recordingId);
    if (now && textsShown(now) === textsShown(kept)) return row;
  }
  throw new TranscriptMoving(recordingId);
}

/** Removes the rows of a recording's texts, whatever the projection has come to. */
export async function removeTexts(storage: ProjectionStorage, recordingId: string): Promise<void> {
  await storage.remove(recordingsName, startingWith(textKeysOf(recordingId)));
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

/** What people are shown of a recording's words; undefined while what is kept of it changes. */
async function readTexts(storage: ProjectionStorage, kept: KeptRecording): Promise<TranscriptRow> {
  const digest = digestIn(kept);
  const source = shownOf(digest);
  const { recordingId } = kept.core;
  const versions = textsNeeded(digest, source);
  const rows = await storage.getMany<object>(
    recordingsName,
    versions.map((version) => textKey(recordingId, version)),
  );
  const texts = new Map(versions.map((version, at) => [version, rows[at]]));
  const utterances = isSpokenOnly(source) ? await utterancesIn(storage, recordingId, source) : [];
  return { ...shown(withTexts(digest, texts), utterances), recordingId, utterances };
}

/** The rows of text that reading would need: the same as long as what is shown is. */
const textsShown = (kept: KeptRecording): string => {
  const digest: Digest = digestIn(kept);
  const source = shownOf(digest);
  return JSON.stringify([textsNeeded(digest, source), source.heardSince]);
};

async function utterancesIn(
  storage: ProjectionStorage,
  recordingId: string,
  { heardSince }: Source,
): Promise<Utterance[]> {
  if (heardSince === null) return [];
  const found: Utterance[] = [];
  const within = startingWith(utterancesOf(recordingId, heardSince));
  for await (const [, row] of storage.range<Utterance>(recordingsName, within)) found.push(row);
  return found;
}

/** Since when the utterances come that count, with how many there are. */
function plansOf({ counted }: Pick<KeptRecording, 'counted'>): Map<number, number> {
  const { draft, saved, published } = counted.sources;
  const plans = new Map<number, number>();
  for (const source of [published, saved, draft] satisfies (Source | null)[]) {
    if (source && source.heardSince !== null) plans.set(source.heardSince, source.utterances);
  }
  return plans;
}

async function keptIn(storage: ProjectionStorage, recordingId: string) {
  const kept = await keptRecording(storage, recordingId);
  return kept && kept.core.state !== 'idle.erased' ? kept : undefined;
}

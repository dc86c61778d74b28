import type { Block } from '../../events/facts/transcript.ts';
import type { Kind } from '../../events/facts/recording.ts';
import { withKnownNames } from '../../projections/recording/written-texts.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { transcriptOf } from '../../projections/texts.ts';
import type { PassageRows } from '../storage/passage-rows.ts';
import { type FoundNote, type Near, type Why, passageAt, placeAt } from './by-meaning.ts';
import { type Passage, passagesOf, withSidenotePlaces } from './passages.ts';
import type { Readable } from './user-index.ts';
import { type Place, bestPlace } from './words.ts';

export type Hit = Place & {
  recording_id: string;
  why: Why;
  /** Null: it is somebody else's. */
  filename: string | null;
  /** What the user is called whose it is; null: the searching one's own. */
  by: string | null;
  /** Whether there is audio that may be heard. */
  audio: boolean;
  title: string | null;
  /** Name of the file it was imported from. */
  source: string | null;
  created_at: string;
};

export type NoteFound = {
  recording_id: string;
  why: Why;
  /** What the user is called whose it is; null: the searching one's own. */
  by: string | null;
  /** Whether there is audio that may be heard. */
  audio: boolean;
  title: string | null;
  source: string | null;
  kind: Kind;
  created_at: string;
  /** As `passagesOf` chooses them, with names in the place of labels. */
  passages: Passage[];
  /** How many passages there are besides. */
  more: number;
};

/** A recording that was found, as people see it. Undefined where the user may not read it, or the passage is no more by which alone it was found. */
export async function shownHit(
  rows: SearchedRows,
  owner: string,
  one: FoundNote,
): Promise<Hit | undefined> {
  const { id, why } = one;
  const said = await saidIn(rows, owner, id);
  if (!said) return undefined;
  const { row, blocks, texts } = said;
  const { title, source, startedAt: created_at } = row;
  const passage = why === 'meaning' ? await nearIn(rows, blocks, one) : undefined;
  if (why === 'meaning' && !passage) return undefined;
  const place = passage
    ? { snippet: passage.text, start: passage.start }
    : bestPlace(blocks, texts, one.matched?.words ?? []);
  const { filename, by, audio } = said;
  return { recording_id: id, why, filename, by, audio, title, source, created_at, ...place };
}

/** As `shownHit`, with the passages. @param limit of them, at most */
export async function shownNote(
  rows: SearchedRows,
  owner: string,
  one: FoundNote,
  limit: number,
): Promise<NoteFound | undefined> {
  const { id, why } = one;
  const said = await saidIn(rows, owner, id);
  if (!said) return undefined;
  const { row, blocks, texts } = said;
  const { title, source, kind, startedAt: created_at } = row;
  const passage = why === 'meaning' ? await nearIn(rows, blocks, one) : undefined;
  if (why === 'meaning' && !passage) return undefined;
  const { passages, all } = passage
    ? { passages: [passage], all: 1 }
    : passagesOf(blocks, texts, one.matched?.words ?? [], limit);
  const names = new Map(row.speakers.map(({ label, name }) => [label, name ?? label]));
  return {
    recording_id: id,
    why,
    by: said.by,
    audio: said.audio,
    title,
    source,
    kind,
    created_at,
    passages: passages.map((passage) => ({
      ...passage,
      speaker: passage.speaker === null ? null : (names.get(passage.speaker) ?? passage.speaker),
    })),
    more: all - passages.length,
  };
}

const nearIn = async (
  { passages }: SearchedRows,
  blocks: readonly Block[],
  { near }: FoundNote,
): Promise<Passage | undefined> =>
  near && passages ? await passageAt(passages, blocks, near) : undefined;

/** Where it is read what was said, and who may. */
export type SearchedRows = {
  storage: ProjectionStorage;
  readable: Readable;
  passages: Pick<PassageRows, 'read'> | null;
};

/** The rows have the last word: what was erased, handed over or withdrawn meanwhile is not found. */
async function saidIn({ storage, readable }: SearchedRows, owner: string, id: string) {
  const row = await recordingById(storage, id);
  if (!row || row.documents === null) return undefined;
  const isOwn = row.owner === owner;
  const right = isOwn ? { audio: true } : await readable.rightOf(owner, row);
  if (!right) return undefined;
  const transcript = await transcriptOf(storage, id);
  if (!transcript) return undefined;
  const summary = withKnownNames(transcript.summary ?? '', row.speakers);
  const texts = [summary, row.abstract ?? '', row.title ?? '', row.source ?? ''];
  const whose = isOwn
    ? { filename: row.documents.index, by: null }
    : { filename: null, by: readable.nameOf(row.owner) };
  const audio = right.audio && row.audio !== null;
  return { row, ...whose, audio, blocks: withSidenotePlaces(transcript), texts };
}

/** The blocks of passages, of notes that a user may read. */
export async function saidInPassages(rows: SearchedRows, owner: string, near: readonly Near[]) {
  const found: { recordingId: string; blocks: string[] }[] = [];
  const notes = new Map<string, Awaited<ReturnType<typeof saidIn>>>();
  for (const one of near) {
    if (!notes.has(one.id)) notes.set(one.id, await saidIn(rows, owner, one.id));
    const said = notes.get(one.id);
    const place = said && rows.passages && (await placeAt(rows.passages, said.blocks, one));
    if (place) found.push({ recordingId: one.id, blocks: place.said.map(({ id }) => id) });
  }
  return found;
}

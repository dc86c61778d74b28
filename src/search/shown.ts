import { withKnownNames } from '../../projections/recording/written-texts.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { transcriptOf } from '../../projections/texts.ts';
import type { PassageRows } from '../storage/passage-rows.ts';
import { type FoundNote, type Near, passageAt, placeAt } from './by-meaning.ts';
import type { Hit, NoteFound } from './found.ts';
import { type Reach, around, passagesOf, withSidenotePlaces } from './passages.ts';
import type { Readable } from './user-index.ts';

/** Characters of a hit before and after the first of the words. */
const reachOfHit = { before: 60, after: 120 };

/** A recording that was found, as people see it. Undefined where the user may not read it, or the passage is no more by which alone it was found. */
export async function shownHit(
  rows: SearchedRows,
  owner: string,
  one: FoundNote,
): Promise<Hit | undefined> {
  const found = await seen(rows, owner, one, 1, reachOfHit);
  if (!found) return undefined;
  const { about, said, passages } = found;
  const [passage] = passages;
  return {
    ...about,
    filename: said.filename,
    snippet: passage?.text ?? around(said.texts[0], 0, reachOfHit),
    start: passage?.start ?? null,
  };
}

/** As `shownHit`, with the passages. @param limit of them, at most */
export async function shownNote(
  rows: SearchedRows,
  owner: string,
  one: FoundNote,
  limit: number,
): Promise<NoteFound | undefined> {
  const found = await seen(rows, owner, one, limit);
  if (!found) return undefined;
  const { about, said, passages, all } = found;
  const names = new Map(said.row.speakers.map(({ label, name }) => [label, name ?? label]));
  return {
    ...about,
    kind: said.row.kind,
    passages: passages.map((passage) => ({
      ...passage,
      speaker: passage.speaker === null ? null : (names.get(passage.speaker) ?? passage.speaker),
    })),
    more: all - passages.length,
  };
}

async function seen(
  rows: SearchedRows,
  owner: string,
  one: FoundNote,
  limit: number,
  reach?: Reach,
) {
  const { id, why, near, matched } = one;
  const said = await saidIn(rows, owner, id);
  if (!said) return undefined;
  const { by, audio, blocks, texts } = said;
  const { title, source, startedAt: created_at } = said.row;
  const about = { recording_id: id, why, by, audio, title, source, created_at };
  if (why !== 'meaning')
    return { about, said, ...passagesOf(blocks, texts, matched?.words ?? [], limit, reach) };
  const passage = near && (await passageAt(rows.passages, blocks, near));
  return passage ? { about, said, passages: [passage], all: 1 } : undefined;
}

/** Where it is read what was said, and who may. */
export type SearchedRows = {
  storage: ProjectionStorage;
  readable: Readable;
  passages: Pick<PassageRows, 'read'>;
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
  const texts = [summary, row.abstract ?? '', row.title ?? '', row.source ?? ''] as const;
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
    const place = said && (await placeAt(rows.passages, said.blocks, one));
    if (place) found.push({ recordingId: one.id, blocks: place.said.map(({ id }) => id) });
  }
  return found;
}

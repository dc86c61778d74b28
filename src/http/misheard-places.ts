import { InvalidCursor } from '../../projections/list-page.ts';
import type { KnownWord } from '../../projections/known-words.ts';
import { turnTag } from '../../projections/recording/edit-turns.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { heardFinder, textWith } from '../../projections/recording/heard-places.ts';
import { newerFirst } from '../search/newer-first.ts';
import type { Search } from '../search/search.ts';

/** Transcripts that are read for one that is asked for: the rest is for the next page. */
const readForOne = 5;
/** Passages of one recording that are answered. */
const editsMax = 200;

/**
 * Where a word stands misheard in a user's own recordings, newest first. The search index says in which it may be; these are
 * read, so many a page. @throws {InvalidCursor}; what `Search` throws
 */
export async function misheardPlaces(
  { search, storage }: { search: Pick<Search, 'having'>; storage: ProjectionStorage },
  owner: string,
  word: KnownWord,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const after = cursor === undefined ? undefined : placeIn(cursor);
  const only = word.folder === null ? undefined : { folders: [word.folder] };
  const { found, complete, fraction } = await search.having(owner, word.heard, only);
  const left = after ? found.filter((one) => newerFirst(after, one) < 0) : found;
  const find = heardFinder([word]);
  const recordings: NonNullable<Awaited<ReturnType<typeof placesIn>>>[] = [];
  let at = 0;
  for (const { id } of left.slice(0, limit * readForOne)) {
    if (recordings.length === limit) break;
    const places = await placesIn(storage, { owner, id, find });
    if (places) recordings.push(places);
    at += 1;
  }
  const last = left[at - 1];
  const next_cursor = last && at < left.length ? cursorAfter(last) : null;
  return { recordings, next_cursor, complete, fraction };
}

async function placesIn(
  storage: ProjectionStorage,
  { owner, id, find }: { owner: string; id: string; find: ReturnType<typeof heardFinder> },
) {
  const row = await recordingById(storage, id);
  if (row?.owner !== owner || row.documents === null) return undefined;
  const { blocks = [] } = (await transcriptOf(storage, id)) ?? {};
  const edits = blocks.flatMap((block) => {
    const places = find(block.text);
    if (places.length === 0) return [];
    const { id: said, start, text: before } = block;
    const text = textWith(before, places);
    return { block: said, revision: turnTag(block), start, text, before, count: places.length };
  });
  if (edits.length === 0) return undefined;
  const { title, source, startedAt: created_at } = row;
  const more = Math.max(0, edits.length - editsMax);
  return { recording_id: id, title, source, created_at, edits: edits.slice(0, editsMax), more };
}

type Begun = { id: string; startedAt: string };

const cursorAfter = ({ startedAt, id }: Begun): string =>
  Buffer.from(`${startedAt} ${id}`).toString('base64url');

function placeIn(cursor: string): Begun {
  const [startedAt, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (!startedAt || !id || rest.length > 0) throw new InvalidCursor();
  return { startedAt, id };
}

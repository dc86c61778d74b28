import { recordingById } from '../../projections/recordings.ts';
import { contentIn, isFormOf, comparedWords } from '../language/content-words.ts';
import { type AskedNote, type Cite, askedNote, border, citeOf } from './asked-notes.ts';
import { wordsOfMeaning } from '../language/answer-question.ts';
import { type AskedWhen, askedWhen } from '../language/asked-when.ts';
import type { Only, Search } from '../search/search.ts';
import { openedSearch } from './routes/search.ts';
import { rightsOf } from './visible-recording.ts';
import type { RouteServices } from './services.ts';

/** Notes that a question without a recording is answered from, passages of all of them, and words that are looked for. */
const notesMax = 12;
const passagesMax = 40;
const wordsMax = 8;
const hitsPerWord = 20;
/** So many passages are shown where none answers. */
const nearestMax = 3;

/** Of reciprocal rank fusion, as `../search/by-meaning.ts` joins both. */
const k = 60;

type Asking = { owner: string; only: Only };

/** What a question says of when, RFC 3339; `latest`: the latest notes of that time alone. */
export type Narrowing = { from: string | null; to: string | null; latest: boolean };

export type NotesAbout = {
  notes: AskedNote[];
  nearest: Cite[];
  /** Whether all that has the question's words, or is about it, is in `notes`, as far as is known. */
  complete: boolean;
  /** Null: the question says nothing of when. */
  when: Narrowing | null;
};

/**
 * The notes of a user that have most of a question's words or are about it by their meaning, each with these passages and what
 * stands beside. Where the question says when it was said, notes of then alone: those found, then the latest others.
 */
export async function notesAbout(
  services: RouteServices,
  { owner, question, only: asked }: Asking & { question: string },
): Promise<NotesAbout> {
  const search = await openedSearch(services)();
  const { when, rest } = askedWhen(question, new Date());
  const wanted = contentIn(rest, null).slice(0, wordsMax);
  const { only, then, isAll } = await narrowed(search, when, { owner, only: asked });
  const [byWords, byMeaning] = await Promise.all([
    foundByWords(search, wanted, { owner, only }),
    search.near(owner, rest, { limit: passagesMax, only }),
  ]);
  const near = blocksByNote(byMeaning.passages);
  let fitting = joined(byWords.ids, [...near.keys()]);
  if (when.newestFound !== undefined && fitting.length > 0) {
    const found = { ...only, recordings: fitting };
    fitting = (await search.newest(owner, { limit: when.newestFound, only: found })).ids;
  }
  const all = [...new Set([...fitting, ...then])];
  const ids = all.slice(0, notesMax);
  const most = Math.ceil(passagesMax / ids.length);
  const isWhole = byMeaning.complete && byMeaning.passages.length < passagesMax;
  let complete = isAll && byWords.complete && isWhole && all.length === ids.length;
  const notes: AskedNote[] = [];
  const nearest: Cite[] = [];
  for (const id of ids) {
    const row = await recordingById(services.storage, id);
    // Erased, handed over or withdrawn since.
    if (!row || !(await rightsOf(services, { userId: owner, isAdmin: false }, row))) continue;
    const note = { ...(await askedNote(services, row)), near: near.get(id) ?? new Set() };
    const found = about(note, wanted, most);
    complete &&= found.ranked.length <= most;
    // One of that time which says nothing of it in these words is read as far as it fits.
    notes.push(found.ranked.length === 0 ? note : { ...note, blocks: found.blocks });
    const [best] = found.ranked;
    if (best && nearest.length < nearestMax) nearest.push(citeOf(note, best));
  }
  return { notes, nearest, complete, when: narrowing(when, only) };
}

/** Null where the asker's own narrowing by date leaves nothing of what the question says. */
function narrowing(when: AskedWhen, { from, to }: Only): Narrowing | null {
  const latest = when.newest !== undefined || when.newestFound !== undefined;
  if (latest) return { from: null, to: null, latest };
  if (when.from === undefined || (from !== when.from && to !== when.to)) return null;
  return { from: from ?? null, to: to ?? null, latest };
}

/** What is left of all notes by the time that a question names; `then`: of those the latest. */
async function narrowed(search: Search, when: AskedWhen, { owner, only: asked }: Asking) {
  const only = { ...asked, from: asked.from ?? when.from, to: asked.to ?? when.to };
  if (when.from === undefined && when.newest === undefined) return { only, then: [], isAll: true };
  // One more than is read: whether there are more.
  const limit = when.newest ?? notesMax + 1;
  const { ids, complete } = await search.newest(owner, { limit, only });
  const recordings = when.newest === undefined ? undefined : ids;
  return { only: { ...only, recordings }, then: ids, isAll: complete };
}

/** Looked for word by word: a question has words that no note has. Best first. */
async function foundByWords(search: Search, wanted: readonly string[], { owner, only }: Asking) {
  const scores = new Map<string, number>();
  let complete = true;
  for (const word of wanted) {
    const found = await search.find(owner, word, { limit: hitsPerWord, only, mode: 'words' });
    complete &&= found.complete && found.hits.length < hitsPerWord;
    // A word that few notes have says more.
    const worth = 1 / Math.max(1, found.hits.length);
    for (const { recording_id: id } of found.hits)
      scores.set(id, (scores.get(id) ?? 0) + 1 + worth);
  }
  return { ids: [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id), complete };
}

/** In the order of the nearest passage of each. */
function blocksByNote(passages: readonly { recordingId: string; blocks: string[] }[]) {
  const notes = new Map<string, Set<string>>();
  for (const { recordingId, blocks } of passages)
    notes.set(recordingId, new Set([...(notes.get(recordingId) ?? []), ...blocks]));
  return notes;
}

function joined(...rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ids of rankings)
    for (const [rank, id] of ids.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (k + rank + 1));
  return [...scores].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
}

/** Passages of one note that have most of a question's words, the best first. */
export function nearestIn(note: AskedNote, question: string): Cite[] {
  const { ranked } = about(note, contentIn(question, null).slice(0, wordsMax), nearestMax);
  return ranked.slice(0, nearestMax).map((block) => citeOf(note, block));
}

/** Blocks that have most of the words, or are near by their meaning, with their neighbours, in their order; what is not beside each other apart. */
function about({ blocks, near }: AskedNote, wanted: readonly string[], most: number) {
  const scored = blocks.flatMap(({ id, text }, at) => {
    const words = comparedWords(text, null);
    const said = wanted.filter((word) => words.some((one) => isFormOf(word, one))).length;
    const score = said + (near?.has(id) === true ? wordsOfMeaning : 0);
    return score === 0 ? [] : [{ at, score }];
  });
  const ranked = scored.toSorted((a, b) => b.score - a.score || a.at - b.at);
  const kept = new Set(ranked.slice(0, most).flatMap(({ at }) => [at - 1, at, at + 1]));
  return {
    blocks: blocks.flatMap((block, at) => {
      if (!kept.has(at)) return [];
      return kept.has(at - 1) ? [block] : [border, block];
    }),
    ranked: ranked.flatMap(({ at }) => blocks[at] ?? []),
  };
}

import { recordingById } from '../../projections/recordings.ts';
import { contentIn, isFormOf, comparedWords } from '../language/content-words.ts';
import { type AskedNote, type Cite, askedNote, citeOf } from './asked-notes.ts';
import type { Only } from '../search/search.ts';
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

/**
 * The notes of a user that have most of a question's words, each with the passages that have them and those beside these.
 * Looked for word by word: a question has words that no note has.
 */
export async function notesAbout(
  services: RouteServices,
  { owner, question, only }: { owner: string; question: string; only: Only },
): Promise<{ notes: AskedNote[]; nearest: Cite[]; complete: boolean }> {
  const search = await openedSearch(services)();
  const wanted = contentIn(question, null).slice(0, wordsMax);
  const scores = new Map<string, number>();
  let complete = true;
  for (const word of wanted) {
    const found = await search.find(owner, word, { limit: hitsPerWord, only });
    complete &&= found.complete;
    // A word that few notes have says more.
    const worth = 1 / Math.max(1, found.hits.length);
    for (const { recording_id: id } of found.hits)
      scores.set(id, (scores.get(id) ?? 0) + 1 + worth);
  }
  const ids = [...scores].toSorted(([, a], [, b]) => b - a).slice(0, notesMax);
  const notes: AskedNote[] = [];
  const nearest: Cite[] = [];
  for (const [id] of ids) {
    const row = await recordingById(services.storage, id);
    // Erased, handed over or withdrawn since.
    if (!row || !(await rightsOf(services, { userId: owner, isAdmin: false }, row))) continue;
    const note = await askedNote(services, row);
    const found = about(note, wanted, Math.ceil(passagesMax / ids.length));
    notes.push({ ...note, blocks: found.blocks });
    const [best] = found.ranked;
    if (best && nearest.length < nearestMax) nearest.push(citeOf(note, best));
  }
  return { notes, nearest, complete };
}

/** Passages of one note that have most of a question's words, the best first. */
export function nearestIn(note: AskedNote, question: string): Cite[] {
  const { ranked } = about(note, contentIn(question, null).slice(0, wordsMax), nearestMax);
  return ranked.slice(0, nearestMax).map((block) => citeOf(note, block));
}

/** Blocks that have most of the words, with their neighbours, in their order. */
function about({ blocks }: AskedNote, wanted: readonly string[], most: number) {
  const scored = blocks.flatMap(({ text }, at) => {
    const words = comparedWords(text, null);
    const score = wanted.filter((word) => words.some((one) => isFormOf(word, one))).length;
    return score === 0 ? [] : [{ at, score }];
  });
  const ranked = scored.toSorted((a, b) => b.score - a.score || a.at - b.at);
  const kept = new Set(ranked.slice(0, most).flatMap(({ at }) => [at - 1, at, at + 1]));
  return {
    blocks: blocks.filter((_, at) => kept.has(at)),
    ranked: ranked.flatMap(({ at }) => blocks[at] ?? []),
  };
}

import type { Block } from '../../events/facts/transcript.ts';
import type { PassagePlace, PassageRows } from '../storage/passage-rows.ts';
import { textOf } from './cut-passages.ts';
import type { Passage, SearchMode } from './found.ts';
import { around } from './passages.ts';
import type { UserIndex } from './user-index.ts';
import type { Matched } from './word-index.ts';

/** What a question means to a model. */
export type AskedMeaning = {
  model: string;
  /** Of length 1. */
  vector: Float32Array;
  /** How near what is not about the question is to it. */
  floor: number;
};

/** What says what questions mean. */
export interface MeaningOf {
  /** Whether a server is set for it. */
  isOn(): boolean;
  /**
   * @param how.alone nothing else answers: it is waited for
   * @returns null: no server is set, or it does not answer and something else does
   * @throws {StageError} it does not answer, and nothing else does
   */
  ask(text: string, owner: string, how: { alone: boolean }): Promise<AskedMeaning | null>;
}

/** A recording with the passage of it that is nearest to a question. */
export type Near = { id: string; passage: number; score: number };

/** What is found, by its words or by what it means. */
export type FoundNote = { id: string; matched: Matched | null; near: Near | null; why: SearchMode };

/** Passages that are looked at, and recordings that are found by meaning. */
const passagesMax = 400;
const recordingsMax = 50;
/** How much nearer than what is not about it something has to be, of what there is between that and the same. */
const nearerBy = 0.15;
/** Of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
const k = 60;
const shownMax = 320;

/** The passages that are about a question, nearest first. */
export async function nearPassages(
  index: Pick<UserIndex, 'meant'>,
  { model, vector, floor }: AskedMeaning,
  { limit, fits }: { limit: number; fits: ((id: string) => boolean) | undefined },
): Promise<Near[]> {
  const found = (await index.meant(model)?.nearest(vector, limit, fits)) ?? [];
  const least = floor + nearerBy * (1 - floor);
  return found.filter(({ score }) => score >= least);
}

/** The recordings that are about a question, each once, with its best passage. */
export async function nearRecordings(
  index: Pick<UserIndex, 'meant'>,
  asked: AskedMeaning,
  fits: ((id: string) => boolean) | undefined,
): Promise<Near[]> {
  const best = new Map<string, Near>();
  for (const near of await nearPassages(index, asked, { limit: passagesMax, fits }))
    if (!best.has(near.id)) best.set(near.id, near);
  return [...best.values()].slice(0, recordingsMax);
}

/** Both rankings as one, by the ranks alone: their scores cannot be compared. */
export function joinedRanks(matched: readonly Matched[], near: readonly Near[]): FoundNote[] {
  const worth = (rank: number) => 1 / (k + rank + 1);
  const left = new Map(near.map((one, rank) => [one.id, { one, rank }]));
  // Few are found by meaning, many by their words: these stay in their order, and the others go between them.
  const byWords: { one: FoundNote; score: number }[] = [];
  const between: { one: FoundNote; score: number }[] = [];
  for (const [rank, one] of matched.entries()) {
    const { id } = one;
    const asNear = left.get(id);
    if (asNear === undefined) {
      byWords.push({ one: { id, matched: one, near: null, why: 'words' }, score: worth(rank) });
      continue;
    }
    left.delete(id);
    const both: FoundNote = { id, matched: one, near: asNear.one, why: 'both' };
    between.push({ one: both, score: worth(rank) + worth(asNear.rank) });
  }
  for (const [id, { one, rank }] of left)
    between.push({ one: { id, matched: null, near: one, why: 'meaning' }, score: worth(rank) });
  // Where both are as good, words come first: people see why.
  return [...byWords, ...between]
    .toSorted((one, other) => other.score - one.score)
    .map(({ one }) => one);
}

/** What is said in a passage, and in which blocks. Undefined where it is no more. */
export async function placeAt(
  passages: Pick<PassageRows, 'read'>,
  shown: readonly Block[],
  { id, passage }: Near,
): Promise<{ place: PassagePlace; text: string; said: Block[] } | undefined> {
  // Side notes among them are no one's words.
  const blocks = shown.filter((block) => block.id !== '');
  const [row] = await passages.read([id]);
  const place = row?.passages[passage];
  const text = place && textOf(blocks, place);
  if (place === undefined || text === undefined || text === '') return undefined;
  const said = blocks.slice(
    blocks.findIndex((block) => block.id === place.block),
    blocks.findIndex((block) => block.id === place.last) + 1,
  );
  return { place, text, said };
}

/** A passage as people see it: as it was said, without marks. Undefined where it is no more. */
export async function passageAt(
  passages: Pick<PassageRows, 'read'>,
  shown: readonly Block[],
  near: Near,
): Promise<Passage | undefined> {
  const found = await placeAt(passages, shown, near);
  if (!found) return undefined;
  const { place, text, said } = found;
  const [first] = said;
  const isOnes = said.every(({ speaker }) => speaker === first?.speaker);
  return {
    block: place.block,
    start: first ? timeAt(first, place.from) : null,
    end: said.at(-1)?.end ?? null,
    speaker: isOnes ? (first?.speaker ?? null) : null,
    text: around(text, 0, { before: 0, after: shownMax }),
    marks: [],
  };
}

/** When a character of a block is said. */
function timeAt({ start, end, text, words }: Block, at: number): number {
  if (at === 0) return start;
  let length = 0;
  for (const word of words) {
    if (length >= at) return word.start;
    length += word.text.trim().length + 1;
  }
  return start + ((end - start) * at) / Math.max(1, text.length);
}

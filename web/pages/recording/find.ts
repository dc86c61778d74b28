/** Find and replace in a transcript: in the data, since only the turns on screen are in the page. */
import { type Turn, turnKey } from './turn-key.ts';

/** Where something was found: the turn by its key, and from where to where in its text. */
export type Hit = { turn: string; start: number; end: number };

/** More are not listed. */
const hitsMax = 10_000;

/** Places where `what` is said, in order. Without `exactly`, upper and lower case are the same. */
export function findIn(
  turns: readonly Pick<Turn, 'text' | 'block' | 'index'>[],
  what: string,
  { exactly = false }: { exactly?: boolean } = {},
): Hit[] {
  const pattern = patternOf(what, exactly);
  const hits: Hit[] = [];
  if (pattern === null) return hits;
  for (const turn of turns) {
    for (const { index, 0: found } of turn.text.matchAll(pattern)) {
      if (hits.length === hitsMax) return hits;
      hits.push({ turn: turnKey(turn), start: index, end: index + found.length });
    }
  }
  return hits;
}

/** What a turn is to say or whose it is to be, and what it has to say for that. */
export type Edit = { block: string; from: Part; to: Part };
type Part = { text?: string; speaker?: string };

/** What is to be changed so that `by` stands at the hits; turns that stay as they are, are left out. */
export function replaceIn(
  turns: readonly Pick<Turn, 'text' | 'block' | 'index'>[],
  hits: readonly Hit[],
  by: string,
): Edit[] {
  const found = byTurn(hits);
  return turns.flatMap((turn) => {
    const { text, block } = turn;
    const own = found.get(turnKey(turn));
    if (own === undefined || block === null) return [];
    let after = '';
    let at = 0;
    for (const { start, end } of own) {
      after += text.slice(at, start) + by;
      at = end;
    }
    after += text.slice(at);
    const tidy = after.replaceAll(/\s+/g, ' ').trim();
    return tidy === text ? [] : [{ block, from: { text }, to: { text: tidy } }];
  });
}

/** Hits by the key of their turn, each with its place among all. */
export function byTurn(hits: readonly Hit[]): Map<string, (Hit & { at: number })[]> {
  const found = new Map<string, (Hit & { at: number })[]>();
  for (const [at, hit] of hits.entries()) {
    const own = found.get(hit.turn);
    if (own === undefined) found.set(hit.turn, [{ ...hit, at }]);
    else own.push({ ...hit, at });
  }
  return found;
}
/** A piece of a turn's text, for marking what was found: `hit` is the place among all hits, or null. */
export type Piece = { text: string; hit: number | null };

/** @param hits of this turn, with their places among all */
export function piecesOf(text: string, hits: readonly (Hit & { at: number })[]): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const hit of hits) {
    if (hit.start > end) pieces.push({ text: text.slice(end, hit.start), hit: null });
    pieces.push({ text: text.slice(hit.start, hit.end), hit: hit.at });
    end = hit.end;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), hit: null });
  return pieces;
}

function patternOf(what: string, exactly: boolean): RegExp | null {
  const trimmed = what.trim();
  if (trimmed === '') return null;
  const literal = trimmed.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return new RegExp(literal.replaceAll(/\s+/g, String.raw`\s+`), exactly ? 'gu' : 'giu');
}

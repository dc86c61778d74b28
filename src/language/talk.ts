import type { Block } from '../../events/transcript.ts';
import { partsOf, type Piece } from './pieces.ts';
import { estimatedTokens } from './tokens.ts';

/** Display names of speakers by label; labels without one are shown as they are. */
export type SpeakerNames = Record<string, string>;

/**
 * What is said in a recording, as pieces that a line each shows who says what. Blocks without words
 * are left out.
 */
export function talkOf(blocks: readonly Block[], names: SpeakerNames): Piece[] {
  return blocks.flatMap(({ speaker, text, words }, block) => {
    const said = inert(text);
    if (!/[\p{L}\p{N}]/u.test(said)) return [];
    const name = speaker === null ? null : inert(names[speaker] ?? speaker);
    const aligned = said.split(/\s+/u).length === words.length ? words : [];
    return [{ block, speaker: name, text: said, words: aligned, glue: ' ' as const }];
  });
}

/** The lines of a talk: `Name: what they said`, or only what was said. */
export const linesOf = (pieces: readonly Piece[]): string =>
  pieces.map(({ speaker, text }) => (speaker === null ? text : `${speaker}: ${text}`)).join('\n');

/** Cuts a talk at turn borders into parts of at most so many tokens, names included. */
export function talkParts(pieces: readonly Piece[], tokensMax: number): Piece[][] {
  const names = pieces.map(({ speaker }) => estimatedTokens(speaker ?? ''));
  const longest = names.reduce((most, tokens) => Math.max(most, tokens), 0);
  const named = pieces.length * longest;
  const all = pieces.reduce((sum, { text }) => sum + estimatedTokens(text), 0) + named;
  if (all + pieces.length <= tokensMax) return pieces.length > 0 ? [[...pieces]] : [];
  return partsOf(pieces, Math.max(32, tokensMax - longest));
}

/** The first tokens of a text, cut at a line's end where there is one. */
export function beginningOf(text: string, tokensMax: number): string {
  if (estimatedTokens(text) <= tokensMax) return text;
  let length = text.length;
  while (length > 0 && estimatedTokens(text.slice(0, length)) > tokensMax)
    length = Math.floor(length * 0.8);
  const line = text.lastIndexOf('\n', length);
  return text.slice(0, line > length / 2 ? line : length);
}

/**
 * Speech as data in a prompt: one line, and no angle brackets, so that nothing in it looks like one
 * of the marks round it.
 */
export const inert = (text: string): string =>
  text.replaceAll('<', '‹').replaceAll('>', '›').replaceAll(/\s+/gu, ' ').trim();

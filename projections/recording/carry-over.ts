import { speakerLabel } from './join-turns.ts';
import { cutOut, overlapOf } from './turn-changes.ts';
import type { Block, Correction, Word } from '../../events/facts/transcript.ts';
import { type WordPatch, wordPatches } from '../../src/shared/word-patches.ts';
import {
  joinedPieces,
  retimed,
  soundsSame,
  splitWords,
  spread,
  textPieces,
  timedWords,
} from './timed-words.ts';

/** What became of corrections in another transcript. */
export type CarriedOver = {
  blocks: Block[];
  placed: number;
  unplaced: Correction[];
  /** Labels that only corrections gave. */
  labels: string[];
  /** The names of those that have one. */
  names: Record<string, string>;
};

/** How far apart two recognisers may hear the same word, in seconds. */
const toleranceSeconds = 0.5;
/** How many words more than were corrected may be replaced where other words were heard. */
const moreWordsMax = 2;
/** Turns that overlap less than the tolerance are the same where it is this part of the shorter. */
const sameTurnShare = 0.5;

/** What a person changed of a transcript, by time. Both have the same blocks, by id. */
export function correctionsBetween(
  recognised: readonly Block[],
  corrected: readonly Block[],
  names: Readonly<Record<string, string>>,
): Correction[] {
  const before = new Map(recognised.map((block) => [block.id, block]));
  const isWhole = (block: Block) => sameSpan(before.get(block.id), block);
  const whole = new Set(corrected.filter(isWhole).map(({ id }) => id));
  const others = recognised.filter(({ id }) => !whole.has(id));
  return corrected.flatMap((block) => {
    const original = whole.has(block.id) ? before.get(block.id) : undefined;
    const heard: Heard[] = original ? [original] : heardIn(block, others);
    const old = original ?? joinedAs(block, heard);
    if (!old) return [];
    const changes = textCorrections(old, block.text);
    for (const { start, end, speaker: was, isPart } of heard) {
      if (was === block.speaker || block.speaker === null) continue;
      const speaker = names[block.speaker]?.trim() || block.speaker;
      const part = isPart ? { part: true as const } : {};
      changes.push({ start, end, before: '', after: '', speaker, ...part });
    }
    return changes;
  });
}

const sameSpan = (a: Block | undefined, b: Block): boolean =>
  a?.start === b.start && a.end === b.end;

/** What was heard of one block in the time of another. */
type Heard = Block & { isPart?: boolean };

/** What was heard in the time of a block that a person cut or joined, of each block that it is of. */
function heardIn(block: Block, heard: readonly Block[]): Heard[] {
  const inTime = (one: { start: number; end: number }) =>
    one.start + one.end >= 2 * block.start && one.start + one.end <= 2 * block.end;
  const said = new Set(splitWords(block.text));
  const meanwhile = heard.filter((one) => overlapOf(one, block) > 0);
  const found = meanwhile.flatMap((one) => {
    const words = timedWords(one.text, one).filter(inTime);
    // What of it was said is told by the words: who speaks at the same time says others.
    const fit = words.filter(({ text }) => said.has(text)).length;
    return words.length === 0 ? [] : [{ block: one, words, fit }];
  });
  return ofOneChannel(found).map(({ block: one, words }) => {
    const [start, end] = [Math.max(one.start, block.start), Math.min(one.end, block.end)];
    return { ...one, start, end, words, isPart: start > one.start || end < one.end };
  });
}

/** What was heard in the time of a block, as one; undefined where nothing was. */
function joinedAs({ start, end }: Block, heard: readonly Heard[]): Block | undefined {
  const [first] = heard;
  if (!first) return undefined;
  const words = heard.flatMap((one) => one.words);
  return { ...first, start, end, text: joinedPieces(words.map(({ text }) => text)), words };
}

/**
 * Places corrections in another transcript of the same audio: words by what was said when, speakers
 * in all turns that were said then. What has no clear place is handed back; nothing is dropped, and no
 * word is touched that no correction is about. Pure.
 * @param names names of the transcript's labels
 */
export function carryOver(
  corrections: readonly Correction[],
  transcript: readonly Block[],
  names: Readonly<Record<string, string>>,
): CarriedOver {
  // Timed once: what is placed first must not move what is placed later.
  const turns = transcript.map((block) => ({
    block: { ...block },
    words: timedWords(block.text, block),
    pieces: textPieces(block.text),
    touched: false,
  }));
  const blocks = turns.map(({ block }) => block);
  const added: Pick<CarriedOver, 'labels' | 'names'> = { labels: [], names: {} };
  const placed = new Set<Correction>();
  for (const correction of corrections) {
    if (correction.speaker === undefined && placeText(turns, correction)) placed.add(correction);
  }
  for (const { block, words, pieces, touched } of turns) {
    if (!touched) continue;
    block.text = joinedPieces(pieces);
    if (block.words.length > 0) block.words = words;
  }
  // Last: turns may be cut for them.
  for (const correction of corrections) {
    const { speaker } = correction;
    if (speaker === undefined) continue;
    if (placeSpeaker(blocks, correction, speaker, names, added)) placed.add(correction);
  }
  const unplaced = corrections.filter((correction) => !placed.has(correction));
  return { blocks, placed: corrections.length - unplaced.length, unplaced, ...added };
}

function textCorrections(old: Block, text: string): Correction[] {
  const words = timedWords(old.text, old);
  const [before, after] = [textPieces(old.text), textPieces(text)];
  const patches = wordPatches(
    words.map((word) => word.text),
    splitWords(text),
  );
  let shift = 0;
  return spansOf(patches, words.length).map(({ first, last, patches }) => {
    const span = words.slice(first, last);
    const from = first + shift;
    for (const { from, to, inserted } of patches) shift += inserted.length - (to - from);
    return {
      start: span[0]?.start ?? old.start,
      end: span.at(-1)?.end ?? old.end,
      before: joinedPieces(before.slice(first, last)),
      after: joinedPieces(after.slice(from, last + shift)),
    };
  });
}

/** The words by which each correction is known, in order; patches known by the same word are one. */
function spansOf(patches: readonly WordPatch[], words: number): Span[] {
  const spans: Span[] = [];
  for (const patch of patches) {
    const { from, to } = patch;
    // Words put between others are known by a neighbour: then its place is one of words, not of time.
    const anchor = from < to || words === 0 ? 'none' : from > 0 ? 'before' : 'after';
    const first = anchor === 'before' ? from - 1 : from;
    const last = anchor === 'after' ? to + 1 : to;
    const open = spans.at(-1);
    if (open && first < open.last) {
      open.last = Math.max(last, open.last);
      open.patches.push(patch);
    } else spans.push({ first, last, patches: [patch] });
  }
  return spans;
}
type Span = { first: number; last: number; patches: WordPatch[] };

/** A block at work, with all its words timed, and as they are written. */
type Turn = { block: Block; words: Word[]; pieces: string[]; touched: boolean };
type Place = { turn: Turn; from: number; to: number };

function placeText(turns: readonly Turn[], correction: Correction): boolean {
  const before = splitWords(correction.before);
  const after = splitWords(correction.after);
  // Looked for first: the longer of the two, which may contain the other.
  const wanted = after.length > before.length ? [after, before] : [before, after];
  const near = turns.filter(
    ({ block: { start, end } }) =>
      start <= correction.end + toleranceSeconds && end >= correction.start - toleranceSeconds,
  );
  const place =
    exactly(near, before, correction) ??
    wanted
      .filter((words) => words.length > 0)
      .reduce<Place | undefined>(
        (found, words) => found ?? nearest(near, words, correction),
        undefined,
      ) ??
    heardInstead(turns, correction, before, after);
  if (place === 'nothing') return true;
  if (!place) return false;
  replace(place, textPieces(correction.after));
  return true;
}

/** Where these words were said at the very time: it is the same recognition, and the very same words. */
function exactly(
  turns: readonly Turn[],
  wanted: readonly string[],
  { start, end }: Correction,
): Place | undefined {
  for (const turn of wanted.length === 0 ? [] : turns) {
    const { words } = turn;
    const from = words.findIndex(
      (word, index) =>
        word.start === start &&
        words[index + wanted.length - 1]?.end === end &&
        wanted.every((one, offset) => one === words[index + offset]?.text),
    );
    if (from !== -1) return { turn, from, to: from + wanted.length };
  }
  return undefined;
}

/** Where these words were said, closest to when they were corrected. */
function nearest(
  turns: readonly Turn[],
  wanted: readonly string[],
  { start, end }: Correction,
): Place | undefined {
  let best: { place: Place; away: number } | undefined;
  for (const turn of turns) {
    const { words } = turn;
    for (let from = 0; from + wanted.length <= words.length; from += 1) {
      if (!wanted.every((word, index) => soundsSame(word, words[from + index]?.text ?? '')))
        continue;
      const to = from + wanted.length;
      const [first, last] = [words[from]!.start, words[to - 1]!.end];
      if (first > end + toleranceSeconds || last < start - toleranceSeconds) continue;
      const away = Math.abs(first + last - start - end);
      if (!best || away < best.away) best = { place: { turn, from, to }, away };
    }
  }
  return best?.place;
}

/**
 * Where another recogniser heard other words at that time: they are replaced when they are about as
 * many and of one block. Of words that were taken out nothing is left to do when there are none.
 */
function heardInstead(
  turns: readonly Turn[],
  { start, end }: Correction,
  before: readonly string[],
  after: readonly string[],
): Place | 'nothing' | undefined {
  const places = turns.flatMap((turn) => {
    const { words } = turn;
    const within = (word: Word) =>
      word.start + word.end >= 2 * start && word.start + word.end <= 2 * end;
    const from = words.findIndex(within);
    if (from === -1) return [];
    return [{ turn, from, to: words.findLastIndex(within) + 1 }];
  });
  if (after.length === 0) return places.length === 0 ? 'nothing' : undefined;
  const [place, ...others] = places;
  if (!place || others.length > 0 || before.length === 0) return undefined;
  return place.to - place.from <= before.length + moreWordsMax ? place : undefined;
}

function replace({ turn, from, to }: Place, inserted: readonly string[]): void {
  const { words, pieces } = turn;
  const [start, end] = [words[from]!.start, words[to - 1]!.end];
  const blank = pieces[to - 1]!.endsWith(' ') ? ' ' : '';
  const timed = spread(
    inserted.map((one) => one.trim()),
    start,
    end,
  );
  turn.words = [...words.slice(0, from), ...timed, ...words.slice(to)];
  turn.pieces = [
    ...pieces.slice(0, from),
    ...inserted.map((one, at) => (at === inserted.length - 1 ? one.trim() + blank : one)),
    ...pieces.slice(to),
  ];
  turn.touched = true;
}

function placeSpeaker(
  blocks: Block[],
  correction: Correction,
  speaker: string,
  names: Readonly<Record<string, string>>,
  added: Pick<CarriedOver, 'labels' | 'names'>,
): boolean {
  const places = placesOfSpeaker(blocks, correction);
  if (places.length === 0) return false;
  const known = { ...names, ...added.names };
  const labels = new Set([...blocks.map((block) => block.speaker), ...Object.keys(known)]);
  const named = Object.entries(known).find(([, name]) => name === speaker)?.[0];
  // One without a name stays that: a label is nobody's name.
  const isLabel = labels.has(speaker) || isBareLabel(speaker);
  const label = named ?? (isLabel ? speaker : newLabel(labels));
  if (!labels.has(label)) {
    added.labels.push(label);
    if (!isLabel) added.names[label] = speaker;
  }
  for (const { block, start, end } of places) cutOut(blocks, block, start, end).speaker = label;
  return true;
}

/** Blocks in which something was said then, and what of each. */
function placesOfSpeaker(
  blocks: readonly Block[],
  { start, end, part }: Correction,
): { block: Block; start: number; end: number }[] {
  const withSpeaker = blocks.filter(({ speaker }) => speaker !== null);
  // The same recognition: others may have spoken at that time, too.
  const same = withSpeaker.find((block) => isPlaceIn(block, { start, end }));
  if (same) return [{ block: same, start, end }];
  // Where a whole turn begins and ends is heard a little otherwise each time.
  const tolerance = part ? 0 : toleranceSeconds;
  const found = withSpeaker.flatMap((block) => {
    const overlap = overlapOf(block, { start, end });
    const shorter = Math.min(block.end - block.start, end - start);
    if (overlap <= 0 || (overlap <= toleranceSeconds && overlap < sameTurnShare * shorter))
      return [];
    const from = start <= block.start + tolerance ? block.start : start;
    const to = end >= block.end - tolerance ? block.end : end;
    const isSaidThen = timedWords(block.text, block).some(
      (word) => word.start + word.end >= 2 * from && word.start + word.end <= 2 * to,
    );
    const away = Math.max(Math.abs(block.start - start), Math.abs(block.end - end));
    // The turn itself, rather than a longer one in which it was said.
    const fit = overlap + (away <= toleranceSeconds ? end - start : 0);
    return isSaidThen ? [{ block, start: from, end: to, fit }] : [];
  });
  return ofOneChannel(found);
}

/**
 * Without those that were said while others were that fit better together. Blocks of one channel do not overlap, so of
 * those that do, directly or by others, every second one is of the same channel.
 */
function ofOneChannel<Found extends { block: Block; fit: number }>(
  found: readonly Found[],
): Found[] {
  const left = new Set(found);
  const taken = new Set<Found>();
  for (const first of found) {
    if (!left.delete(first)) continue;
    const sides: [Found[], Found[]] = [[first], []];
    const reached: [Found, 0 | 1][] = [[first, 0]];
    for (const [one, side] of reached) {
      const meanwhile = side === 0 ? 1 : 0;
      for (const other of left) {
        if (overlapOf(one.block, other.block) <= toleranceSeconds) continue;
        left.delete(other);
        sides[meanwhile].push(other);
        reached.push([other, meanwhile]);
      }
    }
    const [one, other] = sides;
    for (const best of fitOf(other) > fitOf(one) ? other : one) taken.add(best);
  }
  return found.filter((one) => taken.has(one));
}

const fitOf = (found: readonly { fit: number }[]): number =>
  found.reduce((sum, { fit }) => sum + fit, 0);

/** Whether a block, or words of it, begin and end at these very times. */
function isPlaceIn(block: Block, { start, end }: Pick<Correction, 'start' | 'end'>): boolean {
  if (block.start > start || block.end < end) return false;
  const spans = [block, ...timedWords(block.text, block)];
  return spans.some((one) => one.start === start) && spans.some((one) => one.end === end);
}

/** Whether a correction says whose it is by a label, since they have no name. */
export const isBareLabel = (speaker: string): boolean => /^SPEAKER_\d+$/.test(speaker);

/** The next label after those there are; in a transcript of an older log in its way of counting, from 1. */
export function newLabel(labels: ReadonlySet<string | null>): string {
  const isOld = [...labels].some((label) => /^SPEAKER_\d$/.test(label ?? ''));
  for (let index = labels.size; ; index += 1) {
    const label = isOld ? `SPEAKER_${index + 1}` : speakerLabel(index);
    if (!labels.has(label)) return label;
  }
}

/** A block as a person corrected it; its words keep their times where they are still the same. */
export const corrected = (block: Block, text: string): Pick<Block, 'text' | 'words'> => ({
  text,
  words: retimed(text, block),
});

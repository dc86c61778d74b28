import { textSegments } from '../../src/shared/segments.ts';
import { endsSentence } from '../../src/shared/sentence-ends.ts';
import { milliseconds } from '../../src/shared/time.ts';
import type { Block, Segment, Word } from '../../events/facts/transcript.ts';
import { withoutGhosts } from './ghost-voices.ts';
import { paragraphs } from './paragraphs.ts';
import type { Utterance } from './utterances.ts';

/** [start, end, label] in seconds: who spoke when. Turns overlap where people speak at once. */
export type LabelledTurn = readonly [number, number, string];

/** The label of the one speaker where speakers were not told apart. */
export const onlySpeaker = 'SPEAKER_00';

/** The label of a speaker, counted from 0 in order of first speech. */
export const speakerLabel = (index: number): string => `SPEAKER_${String(index).padStart(2, '0')}`;

/** A word this near to a border between speakers follows its sentence, seconds. */
const borderSeconds = 0.3;
/** A pause that ends a sentence where the recogniser set no marks, seconds. */
const pauseSeconds = 0.5;
/** Whoever spoke nearest to a word may not be who says it where they are further from it, seconds. */
const farSeconds = 10;
/** Overlaps that differ by less are the same, seconds. */
const tieSeconds = 0.01;

/**
 * Joins words and speakers into turns: each word goes to the one who speaks for most of it, in overlapping
 * speech to the one with the shorter turn, in a pause to the nearest; where the recogniser said who spoke, to
 * them. Sentences are not torn at borders, and voices of a word or two are the voice around them: what they say carries
 * the doubt `other-speaker`, as does what is far from any turn.
 * The words stay as they are and in their order. Linear in length. Pure.
 * @param utterances with labels for the speakers of segments, if with any: see `underLabels`
 * @param speakersMin so many people speak at least
 */
export function joinTurns(
  utterances: readonly Utterance[],
  turns: readonly LabelledTurn[],
  speakersMin = 1,
): Block[] {
  const units = utterances.flatMap((utterance) =>
    utterance.segments
      .filter(({ text }) => text.trim() !== '')
      .flatMap((segment) => unitsOf(segment).map((unit): Placed => ({ unit, segment, utterance }))),
  );
  const voices = keepSentences(units, speakersOf(units, turns));
  const heard = voices.map(({ label }) => label);
  const labels = withoutGhosts(
    units.map(({ unit: { text, start, end }, segment }, at) => {
      const label = heard[at] ?? '';
      return { text, start, end, label, isTold: segment.speaker !== undefined };
    }),
    (at) => isSentenceEnd(units, at),
    speakersMin,
  );
  const isFar = (at: number): boolean => {
    const [{ unit }, voice] = [units[at]!, voices[at]!];
    return Math.max(voice.start - unit.end, unit.start - voice.end) > farSeconds;
  };
  const mayBeOther = (at: number) => heard[at] !== labels[at] || (turns.length > 0 && isFar(at));
  return speechesOf(units, labels, mayBeOther)
    .flatMap(({ label, utterances: own }) => paragraphs(own, label))
    .map((block, at) => ({ ...block, id: `t-${String(at + 1).padStart(4, '0')}` }));
}

/** The labels of blocks, those who spoke first first, with how long they spoke. */
export function speakingTimes(blocks: readonly Block[]): { label: string; seconds: number }[] {
  const times = new Map<string, number>();
  for (const { speaker, start, end } of blocks) {
    if (speaker !== null) times.set(speaker, (times.get(speaker) ?? 0) + end - start);
  }
  return [...times].map(([label, seconds]) => ({
    label,
    seconds: milliseconds(seconds),
  }));
}

/** A word with all that belongs to it: marks and blanks. The units of a segment are its text, cut. */
export type Unit = { text: string; start: number; end: number; words: Word[] };
type Placed = { unit: Unit; segment: Segment; utterance: Utterance };
/** Who says a unit, and the turn it lies in. */
type Voice = { label: string; start: number; end: number };

/** The units of a segment; without usable word times each has its share of the segment's time. */
export function unitsOf(segment: Segment): Unit[] {
  return unitsByWords(segment) ?? unitsByText(segment);
}

/** Cut at the words the recogniser gave times for; null when they do not spell the text. */
function unitsByWords({ text, words }: Segment): Unit[] | null {
  const starts: number[] = [];
  let cursor = 0;
  for (const word of words) {
    const at = word.text === '' ? -1 : text.indexOf(word.text, cursor);
    const between = at < 0 ? '' : text.slice(cursor, at);
    if (at < 0 || /[\p{L}\p{N}]/u.test(between)) return null;
    // Marks before the blank belong to the word before, those behind it to this one.
    const blank = between.search(/\s(?=\S*$)/u);
    starts.push(starts.length === 0 ? 0 : blank < 0 ? at : cursor + blank + 1);
    cursor = at + word.text.length;
  }
  if (starts.length === 0 || /[\p{L}\p{N}]/u.test(text.slice(cursor))) return null;
  return words.map((word, i) => ({
    text: text.slice(starts[i], starts[i + 1]),
    start: word.start,
    end: word.end,
    words: [word],
  }));
}

/** Without word times, or with words that are not the text's: each gets its share of the segment. */
function unitsByText({ text, start, end, words }: Segment): Unit[] {
  const parts = partsOf(text);
  const length = Math.max(1, text.length);
  let at = 0;
  return parts.map((part, i) => {
    const own = words.slice(
      Math.floor((i * words.length) / parts.length),
      Math.floor(((i + 1) * words.length) / parts.length),
    );
    const [from, to] = [at / length, (at + part.length) / length];
    at += part.length;
    return {
      text: part,
      start: own[0]?.start ?? start + from * (end - start),
      end: own.at(-1)?.end ?? start + to * (end - start),
      words: own,
    };
  });
}

/** Words with the blanks around them; of a script without blanks, what `Intl` takes for words. */
function partsOf(text: string): string[] {
  const spaced = text.match(/(?:^\s*)?\S+\s*/gu) ?? [text];
  if (spaced.length > 1 || text.length < unspacedMin) return spaced;
  return Array.from(textSegments(words, text), ({ segment }) => segment);
}
const words = new Intl.Segmenter(undefined, { granularity: 'word' });
/** No word of a script with blanks is that long, as a rule. */
const unspacedMin = 24;

/** For each unit the turn it belongs to; in one walk over both. */
function speakersOf(units: readonly Placed[], turns: readonly LabelledTurn[]): Voice[] {
  const sorted = turns
    .map(([start, end, label]): Voice => ({ start, end, label }))
    .toSorted((a, b) => a.start - b.start);
  if (sorted.length === 0) sorted.push({ start: 0, end: 0, label: onlySpeaker });
  let open: Voice[] = [];
  let ended: Voice | undefined;
  let next = 0;
  let now = 0;
  return units.map(({ unit, segment }): Voice => {
    // Times of recognisers step back now and then, or lie outside of their segment; the walk does not.
    now = Math.max(now, Math.min(Math.max(unit.start, segment.start), segment.end));
    const end = Math.max(now, unit.end);
    for (let turn = sorted[next]; turn && turn.start <= end; turn = sorted[(next += 1)])
      open.push(turn);
    open = open.filter((turn) => {
      if (turn.end >= now) return true;
      if (!ended || turn.end > ended.end) ended = turn;
      return false;
    });
    const { speaker } = segment;
    if (speaker !== undefined) return { label: speaker, start: segment.start, end: segment.end };
    return spokenBy(open, now, end) ?? nearest(ended, sorted[next], now, end);
  });
}

function spokenBy(open: readonly Voice[], start: number, end: number): Voice | undefined {
  let best: Voice | undefined;
  let most = -Infinity;
  for (const turn of open) {
    const overlap = Math.min(turn.end, end) - Math.max(turn.start, start);
    const isTie = best !== undefined && Math.abs(overlap - most) < tieSeconds;
    const isShorter = best !== undefined && turn.end - turn.start < best.end - best.start;
    if (isTie ? isShorter : overlap > most) {
      best = turn;
      most = overlap;
    }
  }
  return best;
}

function nearest(
  before: Voice | undefined,
  after: Voice | undefined,
  start: number,
  end: number,
): Voice {
  if (!before || !after) return (before ?? after)!;
  return after.start - end < start - before.end ? after : before;
}

/** Moves words at borders to where the rest of their sentence is; no turn loses all of its words. */
function keepSentences(units: readonly Placed[], raw: readonly Voice[]): Voice[] {
  const voices = [...raw];
  const isEnd = (at: number): boolean => isSentenceEnd(units, at);
  const isNear = (at: number, one: Voice, other: Voice): boolean => {
    const { start, end } = units[at]!.unit;
    const middle = (start + end) / 2;
    return Math.min(Math.abs(middle - one.end), Math.abs(middle - other.start)) <= borderSeconds;
  };
  for (const [at, one] of voices.entries()) {
    const other = voices[at + 1];
    if (!other || one.label === other.label || isEnd(at)) continue;
    const isOf = (index: number, voice: Voice) => voices[index]?.label === voice.label;
    // Forward: the sentence ends soon after the border.
    let last = at + 1;
    while (isOf(last, other) && isNear(last, one, other) && !isEnd(last)) last += 1;
    const canForward = isOf(last, other) && isNear(last, one, other) && isOf(last + 1, other);
    // Back: it began shortly before.
    let first = at;
    while (isOf(first, one) && isNear(first, one, other) && first > 0 && !isEnd(first - 1))
      first -= 1;
    const canBack = isOf(first, one) && isNear(first, one, other) && isOf(first - 1, one);
    if (canForward && (!canBack || last - at <= at - first + 1)) {
      voices.fill(one, at + 1, last + 1);
    } else if (canBack) voices.fill(other, first, at + 1);
  }
  return voices;
}

function isSentenceEnd(units: readonly Placed[], at: number): boolean {
  const { unit, segment } = units[at]!;
  const next = units[at + 1];
  if (next === undefined || next.unit.start - unit.end >= pauseSeconds) return true;
  // What a recogniser gave to a speaker stays theirs.
  if (segment.speaker !== undefined && next.segment !== segment) return true;
  return endsSentence(unit.text, next.unit.text);
}

/** What each says until another speaks: segments as they are, cut where the speaker changes, or may have changed. */
function speechesOf(
  units: readonly Placed[],
  labels: readonly string[],
  mayBeOther: (at: number) => boolean,
): { label: string; utterances: Utterance[] }[] {
  const speeches: { label: string; utterances: Utterance[] }[] = [];
  for (let at = 0; at < units.length;) {
    const { segment, utterance } = units[at]!;
    const label = labels[at]!;
    const isOther = mayBeOther(at);
    const isSame = (index: number) => labels[index] === label && mayBeOther(index) === isOther;
    let to = at + 1;
    while (units[to]?.segment === segment && isSame(to)) to += 1;
    const isWhole = units[at - 1]?.segment !== segment && units[to]?.segment !== segment;
    const own = isWhole
      ? segment
      : partOfSegment(
          segment,
          units.slice(at, to).map(({ unit }) => unit),
        );
    const doubt = segment.doubt ?? (isOther ? 'other-speaker' : undefined);
    const part = doubt === undefined ? own : { ...own, doubt };
    let speech = speeches.at(-1);
    if (speech?.label !== label) {
      speech = { label, utterances: [] };
      speeches.push(speech);
    }
    const last = speech.utterances.at(-1);
    if (last?.index === utterance.index) last.segments.push(part);
    else speech.utterances.push({ ...utterance, segments: [part] });
    at = to;
  }
  return speeches;
}

/** A part of a segment: neighbouring units of it, at least one. */
export function partOfSegment(segment: Segment, units: readonly Unit[]): Segment {
  const start = units[0]!.start;
  return {
    ...segment,
    start,
    end: Math.max(start, units.at(-1)!.end),
    text: units
      .map(({ text }) => text)
      .join('')
      .trim(),
    words: units.flatMap((unit) => unit.words),
  };
}

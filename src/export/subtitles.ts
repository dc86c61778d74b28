import { textSegments, withMarks } from '../shared/segments.ts';
import type { Block, Word } from '../../events/facts/transcript.ts';
import { areApart, spread, textPieces } from '../../projections/recording/timed-words.ts';
import { type DocumentsInput, speakerName } from '../documents/documents.ts';

/** What fits on a screen and can be read in time (BBC and Netflix guidelines agree on these). */
const lineWidthMax = 42;
const linesMax = 2;
const secondsMax = 7;
const secondsMin = 1;
/** Silence after which a subtitle does not go on. */
const pauseSeconds = 1.5;

/**
 * Subtitles of what was said, in the order of their starts, none longer than it can be read. Where the
 * recogniser gave no times of words, the time of a block is shared out by the length of its words.
 * @param nameOf what to call the one who speaks; null: no speaker is named
 * @param named whether the name stands in the text, at the beginning of each block
 */
export function cues(
  blocks: readonly Block[],
  nameOf: (speaker: string | null) => string | null,
  { named }: { named: boolean },
): Cue[] {
  const all: Cue[] = [];
  let before: string | null = null;
  for (const block of blocks) {
    const speaker = nameOf(block.speaker);
    const tokens = tokensOf(block);
    const [first] = tokens;
    if (!first) continue;
    if (named && speaker !== null && speaker !== before) {
      const { start } = first;
      tokens.unshift(...pieces({ text: `${plain(speaker)}: `, start, end: start }));
    }
    before = speaker;
    for (const part of cut(tokens)) {
      const { start } = part[0]!;
      const end = part.at(-1)!.end;
      all.push({ start, end, speaker, lines: balanced(part.map(({ text }) => text)) });
    }
  }
  return timed(all);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const endsSentence = /[.!?…。！？]["'”’»)]*$/u;

/** Letters that are twice as wide as others. */
const wide =
  /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{ff00}-\u{ff60}]/gu;

const widthOf = (text: string): number =>
  // Below U+1100 nothing is wide, nor written as two.
  !/[\u1100-\u{10ffff}]/u.test(text)
    ? text.length
    : Array.from(text).length + (text.match(wide)?.length ?? 0);

/** On one line, without anything unseen. */
const plain = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cs}\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** SubRip. There is no standard; this is what every player takes: UTF-8, CRLF, names in the text. */
export function subRip(input: DocumentsInput): string {
  return cues(input.blocks, nameIn(input), { named: true })
    .map(
      (cue, index) =>
        `${index + 1}\r\n${times(cue, ',')}\r\n${cue.lines.map(withoutArrow).join('\r\n')}\r\n\r\n`,
    )
    .join('');
}

/** WebVTT (W3C): names as voices. */
export function webVtt(input: DocumentsInput): string {
  const language = input.language === null ? '' : `\nLanguage: ${input.language}`;
  const all = cues(input.blocks, nameIn(input), { named: false }).map((cue, index) => {
    const voice = cue.speaker === null ? '' : `<v ${escaped(cue.speaker)}>`;
    return `${index + 1}\n${times(cue, '.')}\n${voice}${cue.lines.map(escaped).join('\n')}\n`;
  });
  return [`WEBVTT${language}\n`, ...all].join('\n');
}

/** A solo recording names no speaker. */
const nameIn =
  (input: DocumentsInput) =>
  (speaker: string | null): string | null =>
    speaker === null || input.kind === 'solo' ? null : speakerName(input, speaker);

const times = ({ start, end }: Cue, point: ',' | '.'): string =>
  `${clock(start, point)} --> ${clock(end, point)}`;

const withoutArrow = (line: string): string => line.replaceAll('-->', '→');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One subtitle: shown from `start` to `end` (seconds), one or two lines. */
type Cue = { start: number; end: number; speaker: string | null; lines: string[] };

/** The words of a block with their times, each short enough for a line. */
function tokensOf(block: Block): Word[] {
  // In recordings of earlier releases a mark may be a word by itself.
  const words = withMarks(block.words.filter(({ text }) => plain(text) !== ''));
  // Without times of words: as if every letter took as long as the others.
  if (words.length > 0) return words.flatMap(pieces);
  const said = textPieces(plain(block.text));
  const timed = spread(
    said.map((one) => one.trimEnd()),
    block.start,
    block.end,
  );
  return timed.flatMap((word, at) => pieces({ ...word, text: said[at]! }));
}

/** A word, with the blank after it if it has one, at spaces, and one that is longer than a line cut into pieces, as text without spaces is. */
function pieces({ text, start, end }: Word): Word[] {
  const parts = plain(text).split(' ').flatMap(shortened);
  const step = (end - start) / parts.length;
  return parts.map((part, index) => ({
    text: text.endsWith(' ') && index === parts.length - 1 ? `${part} ` : part,
    start: start + step * index,
    end: start + step * (index + 1),
  }));
}

function shortened(word: string): string[] {
  if (widthOf(word) <= lineWidthMax) return [word];
  const parts: string[] = [];
  let part = '';
  for (const { segment } of textSegments(graphemes, word)) {
    if (widthOf(part + segment) > lineWidthMax) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}

/** Into what is shown together: at pauses, at the ends of sentences, and when it is full. */
function cut(tokens: readonly Word[]): Word[][] {
  const parts: Word[][] = [];
  let part: Word[] = [];
  let texts: string[] = [];
  for (const token of tokens) {
    const last = part.at(-1);
    const first = part[0];
    if (
      first &&
      last &&
      (token.start - last.end > pauseSeconds ||
        token.end - first.start > secondsMax ||
        (endsSentence.test(last.text.trimEnd()) && last.end - first.start >= secondsMin) ||
        linesOf([...texts, token.text]).length > linesMax)
    ) {
      parts.push(part);
      part = [];
      texts = [];
    }
    part.push(token);
    texts.push(token.text);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** As few lines as there can be. */
function linesOf(words: readonly string[], widthMax = lineWidthMax): string[] {
  const lines: string[] = [];
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const last = lines.at(-1);
    const longer =
      last === undefined || before === undefined
        ? undefined
        : last + (areApart(before, word) ? ' ' : '') + word;
    if (longer !== undefined && widthOf(longer.trimEnd()) <= widthMax)
      lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => line.trimEnd());
}

/** The same number of lines, the longest of them as short as can be. */
function balanced(words: readonly string[]): string[] {
  const fewest = linesOf(words);
  if (fewest.length < 2) return fewest;
  // The narrowest width that still does it: wider ones do, too.
  let best = fewest;
  let low = 1;
  let high = lineWidthMax - 1;
  while (low <= high) {
    const width = (low + high) >> 1;
    const lines = linesOf(words, width);
    if (lines.length === fewest.length && lines.every((line) => widthOf(line) <= width)) {
      best = lines;
      high = width - 1;
    } else {
      low = width + 1;
    }
  }
  return best;
}

/** In the order of their starts, long enough to be read where there is room, and none over the next. */
function timed(all: Cue[]): Cue[] {
  all.sort((a, b) => a.start - b.start);
  return all.map((cue, index) => {
    const next = all[index + 1]?.start ?? Infinity;
    const wanted = Math.min(Math.max(cue.end, cue.start + secondsMin), cue.start + secondsMax);
    // Two who begin at the same moment are shown together.
    const end = next > cue.start ? Math.min(wanted, next) : wanted;
    return { ...cue, end };
  });
}

/** `01:02:03,456`; a hundred hours and more have three digits. */
function clock(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${rest}`;
}

import type { Segment, Word } from '../../events/facts/transcript.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { unspacedScripts, withMarks } from '../shared/segments.ts';
import { milliseconds } from '../shared/time.ts';
import { languageCode } from '../shared/languages.ts';
import type { ServerAnswer } from '../servers/server.ts';
import { ownDoubt } from './doubt.ts';
import { cutAtSpeakers } from './answer-speakers.ts';

/** What a server heard in one request. Times in seconds from the request's first sample. */
export type Transcript = {
  segments: Segment[];
  language: string | null;
  /** How sure the server is of the language, 0 to 1, where it says. */
  probability?: number;
  /** Whether the times are the server's; if not, there is one segment over everything. */
  timed: boolean;
};

/**
 * Reads the answer of any known transcription server: JSON whatever its content type, or plain text;
 * segments or words or neither; numbers as strings or null; times in seconds or nanoseconds
 * (LocalAI before 2025-12); `word` or `text`; tokens for words (whisper.cpp); words some of which have
 * no times (WhisperX); speakers of segments and of words.
 * @param seconds length of the audio that was sent.
 * @param server its name, for what is said of an answer that cannot be read
 * @throws {StageError} `engine-answer` (retriable) for half an answer, `engine-refused` for a web page.
 */
export function parseTranscript(
  { body, contentType }: Pick<ServerAnswer, 'body' | 'contentType'>,
  seconds: number,
  server: string,
): Transcript {
  const answer = answerIn(body, contentType, server);
  if (typeof answer === 'string') return untimed(answer, null, seconds);
  const { detected_language_probability: ofCpp, language_probability: ofFaster } = answer;
  const probability = asNumber(ofCpp) ?? asNumber(ofFaster);
  const transcript = transcriptIn(answer, seconds, server);
  return probability === undefined ? transcript : { ...transcript, probability };
}

function transcriptIn(answer: Raw, seconds: number, server: string): Transcript {
  const language = languageCode(asString(answer['language']));
  const rawSegments = asArray(answer['segments']);
  const rawWords = asArray(answer['words']);
  const scale = timeScale([...rawSegments, ...rawSegments.flatMap(wordsIn), ...rawWords]);
  const text = asString(answer['text']);
  if (
    text === undefined &&
    rawSegments.length === 0 &&
    rawWords.length === 0 &&
    !('segments' in answer)
  )
    throw unreadableAnswer(server, 'no-text');

  const spans = rawSegments.map((raw) => ({ raw, span: spanOf(raw, scale, seconds) }));
  const topWords = wordsOf(rawWords, scale, seconds);
  if (spans.length > 0 && spans.every(({ span }) => span !== null)) {
    const segments = spans.flatMap(({ raw, span }) =>
      cutAtSpeakers(
        {
          ...span!,
          text: clean(textOf(raw)),
          words: wordsOf(wordsIn(raw), scale, seconds),
          ...spokenBy(raw),
          ...doubtIn(raw),
        },
        wordsIn(raw).map((word) => spokenBy(word).speaker),
      ),
    );
    return { segments: share(topWords, whole(segments)), language, timed: true };
  }
  const [first, last] = [topWords[0], topWords.at(-1)];
  if (first && last) {
    const spoken = text ?? topWords.map((word) => word.text).join(' ');
    const segment = { start: first.start, end: last.end, text: clean(spoken) };
    return { segments: [{ ...segment, words: topWords }], language, timed: true };
  }
  return untimed(text ?? spans.map(({ raw }) => textOf(raw)).join(''), language, seconds);
}

/** Lines of whisper.cpp begin with the space that parts their words; those of others don't. */
const clean = (text: string) =>
  text
    .replaceAll(/\n(?=\s|$)/g, '')
    .replaceAll('\n', ' ')
    .replaceAll('\uFFFD', '');
const wordsIn = (raw: Raw): Raw[] => asArray(raw['words']);
const textOf = (raw: Raw): string => asString(raw['text']) ?? asString(raw['word']) ?? '';
const asString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
const asArray = (value: unknown): Raw[] =>
  Array.isArray(value)
    ? value.filter((part): part is Raw => part !== null && typeof part === 'object')
    : [];

/** Half an answer, or none: the next one may be whole. @param server its name */
export const unreadableAnswer = (
  server: string,
  fault: 'no-text' | 'not-an-object' | 'broke-off' | 'not-a-transcript',
  cause?: unknown,
): StageError =>
  new StageError(failure('speech-answer-unreadable', { server, fault }), {
    retriable: true,
    cause,
  });

/**
 * Brings times of one request (seconds from its first sample) to the whole recording's: shifted,
 * clamped into the stretch, sorted, ends never before starts, milliseconds. Empty ones fall away.
 */
export function shiftSegments(segments: readonly Segment[], start: number, end: number): Segment[] {
  const shift = (seconds: number) => {
    const time = Number.isFinite(seconds) ? start + seconds : start;
    return milliseconds(Math.min(end, Math.max(start, time)));
  };
  const shifted = <T extends { start: number; end: number }>(span: T): T => {
    const from = shift(span.start);
    return { ...span, start: from, end: Math.max(from, shift(span.end)) };
  };
  return segments
    .filter(({ text }) => text.trim() !== '')
    .map((segment) => ({
      ...shifted(segment),
      text: segment.text.trim(),
      words: segment.words.map(shifted).sort((a, b) => a.start - b.start),
    }))
    .sort((a, b) => a.start - b.start);
}

/** A piece of a word as recognisers give it: a leading space (or SentencePiece's ▁) starts a word. */
export type Token = { text: string; start: number; end: number };

/**
 * Words with times from tokens: a new word at each leading space, and at each character of a script
 * that is written without spaces. Punctuation stays with the word before it.
 */
export function wordsFromTokens(tokens: readonly Token[]): Word[] {
  const words: Word[] = [];
  let open = false; // whether the last word may still grow
  for (const { text: raw, start, end } of tokens) {
    const text = raw.replaceAll('▁', ' ');
    const piece = text.trim();
    if (piece === '') {
      if (text !== '') open = false;
      continue;
    }
    const last = words.at(-1);
    const starts = /^\s/.test(text) || unspaced.test(piece);
    const ends = punctuation.test(piece);
    if (last && ((open && !starts) || ends)) {
      last.text += piece;
      last.end = Math.max(last.end, end);
    } else {
      words.push({ text: piece, start, end });
    }
    // Behind punctuation nothing changes: “don’t” may come as three tokens.
    if (!ends) open = !/\s$/.test(text) && !unspacedEnd.test(piece);
  }
  return words;
}

/**
 * Tokens of a sherpa-onnx result: it gives starts, durations only for some models, and no ends.
 * @param ends end of the audio in seconds, for the last token.
 */
export function tokensOf(
  result: { tokens?: string[]; timestamps?: number[]; durations?: number[] },
  ends: number,
): Token[] {
  const { tokens = [], timestamps = [], durations = [] } = result;
  // Without a time for each token there are no times at all.
  if (timestamps.length !== tokens.length) return [];
  return tokens.map((text, i) => {
    const start = timestamps[i] ?? 0;
    const next = timestamps[i + 1] ?? Math.min(ends, start + lastTokenSeconds);
    const end = durations[i] ? start + durations[i] : Math.min(next, start + tokenSecondsMax);
    return { text, start, end: Math.max(start, Math.min(end, ends)) };
  });
}

/** A token without a duration does not reach through the pause that may follow it. */
const tokenSecondsMax = 0.6;
const lastTokenSeconds = 0.3;

const unspaced = new RegExp(`^[${unspacedScripts}]`, 'u');
const unspacedEnd = new RegExp(`[${unspacedScripts}]$`, 'u');
const punctuation = /^[\p{Po}\p{Pe}\p{Pf}]+$/u;

type Raw = Record<string, unknown>;

/** The JSON object or the plain text in an answer. */
function answerIn(body: string, contentType: string, server: string): Raw | string {
  const plain = body.replace(/^\uFEFF/, '').trim();
  try {
    const parsed: unknown = JSON.parse(plain);
    if (typeof parsed === 'string') return parsed;
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed))
      return parsed as Raw;
    throw unreadableAnswer(server, 'not-an-object');
  } catch (error) {
    if (error instanceof StageError) throw error;
  }
  if (/^<(!doctype|html|\?xml|head|body)/i.test(plain))
    throw new StageError(failure('speech-server-web-page', { server }), { retriable: false });
  if (contentType.includes('json') || plain === '' || /^[{[]/.test(plain))
    throw unreadableAnswer(server, 'broke-off');
  return plain;
}

function untimed(text: string, language: string | null, seconds: number): Transcript {
  const spoken = clean(text);
  const segments = spoken === '' ? [] : [{ start: 0, end: seconds, text: spoken, words: [] }];
  return { segments, language, timed: segments.length === 0 };
}

/** Some give every time in nanoseconds: a value no recording has tells for all. */
function timeScale(timed: readonly Raw[]): number {
  const large = timed.some((raw) =>
    [raw['start'], raw['end']].some((time) => (asNumber(time) ?? 0) > 1e6),
  );
  return large ? 1e-9 : 1;
}

/** Who says it, as the server calls them; `?` is whisper.cpp's for not knowing. */
function spokenBy({ speaker }: Raw): { speaker?: string } {
  const text = typeof speaker === 'number' ? String(speaker) : (asString(speaker)?.trim() ?? '');
  return text === '' || text === '?' ? {} : { speaker: text };
}

/** Whether the recogniser doubts it itself. */
function doubtIn(raw: Raw): { doubt?: string } {
  const doubt = ownDoubt({
    noSpeech: asNumber(raw['no_speech_prob']),
    logprob: asNumber(raw['avg_logprob']),
    compression: asNumber(raw['compression_ratio']),
  });
  return doubt === undefined ? {} : { doubt };
}

function spanOf(raw: Raw, scale: number, seconds: number): Span | null {
  const start = asNumber(raw['start']);
  const end = asNumber(raw['end']);
  if (start === undefined || end === undefined) return null;
  const clamp = (time: number) => Math.min(seconds, Math.max(0, time * scale));
  return { start: clamp(start), end: Math.max(clamp(start), clamp(end)) };
}

/** Words; put together from tokens where the pieces say by leading spaces which start a word. */
function wordsOf(raw: readonly Raw[], scale: number, seconds: number): Word[] {
  const pieces: Word[] = [];
  const spans = withoutGaps(raw.map((piece) => spanOf(piece, scale, seconds)));
  for (const [i, piece] of raw.entries()) {
    const span = spans[i];
    const text = textOf(piece).replaceAll('\n', '');
    // A token may be half a character; such words would not match the text.
    if (!span || text.includes('\uFFFD')) return [];
    if (text !== '') pieces.push({ ...span, text });
  }
  if (pieces.some(({ text }) => /^\s/.test(text))) return wordsFromTokens(pieces);
  return withMarks(pieces.map((piece) => ({ ...piece, text: piece.text.trim() })));
}

/** A word without times (WhisperX cannot align figures) fills the time between those around it. */
function withoutGaps(spans: readonly (Span | null)[]): Span[] {
  if (spans.every((span) => span === null)) return [];
  const nexts: (number | undefined)[] = [];
  for (let i = spans.length - 1; i >= 0; i -= 1) nexts[i] = spans[i]?.start ?? nexts[i + 1];
  let end: number | undefined;
  return spans.map((span, i) => {
    const from = end ?? nexts[i] ?? 0;
    const filled = span ?? { start: from, end: Math.max(from, nexts[i] ?? from) };
    ({ end } = filled);
    return filled;
  });
}
type Span = { start: number; end: number };

/** Further apart in seconds, two segments do not share a word. */
const sharedWordSeconds = 1;

/** A segment without a leading space where others have one goes on with the word before it. */
function whole(segments: readonly Segment[]): Segment[] {
  const spaced = segments.some(({ text }) => text.startsWith(' '));
  const merged: Segment[] = [];
  for (const segment of segments) {
    const last = merged.at(-1);
    const goesOn = spaced && segment.text !== '' && !segment.text.startsWith(' ');
    const isOfOne = last?.speaker === segment.speaker;
    if (goesOn && last && isOfOne && segment.start - last.end <= sharedWordSeconds) {
      last.text += segment.text;
      last.end = Math.max(last.end, segment.end);
      for (const word of segment.words) last.words.push(word);
      if (segment.doubt !== undefined) last.doubt ??= segment.doubt;
    } else merged.push({ ...segment, words: [...segment.words] });
  }
  return merged;
}

/** Gives words from the top level to the segments they lie in. */
function share(words: readonly Word[], segments: Segment[]): Segment[] {
  if (words.length === 0 || segments.some((segment) => segment.words.length > 0)) return segments;
  let at = 0;
  let before = 0;
  for (const word of words) {
    const middle = (word.start + word.end) / 2;
    if (middle < before) at = 0;
    before = middle;
    while (at < segments.length - 1 && segments[at]!.end < middle) at += 1;
    segments[at]?.words.push(word);
  }
  return segments;
}

function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

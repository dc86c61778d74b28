import { type SpeakerCount, anyNumber } from '../../src/shared/speaker-count.ts';
import { join } from 'node:path';
import {
  type LabelledTurn,
  joinTurns,
  speakerLabel,
  speakingTimes,
} from '../../projections/recording/join-turns.ts';
import type { Utterance } from '../../projections/recording/utterances.ts';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { localDiarizer } from '../../src/speech/diarization/diarize.ts';
import { locateSpeech } from '../../src/speech/detection/spoken-audio.ts';
import type { LocalProcess } from '../../src/speech/local/local-process.ts';
import { localEngine } from '../../src/speech/local/local-engine.ts';
import { installedModels } from '../../src/speech/local/local-models.ts';
import { type Line, type Said, synthesise, writeDialogue } from './dialogues.ts';
import { wordErrorRate } from './espeak.ts';
import { modelsDir } from './models.ts';

/** How well a dialogue was recognised; parts of one. */
export type Rates = {
  speakers: number;
  /** As told apart by their sound alone. */
  voices: number;
  wordErrors: number;
  /** Missed, false and wrong speech by what was spoken, but for 0.25 s around each border. */
  diarizationErrors: number;
  /** Words that stand under the one who was speaking. */
  rightSpeaker: number;
};

/** What becomes of the turns that were told apart, before they are joined with the words. */
type Alter = (turns: readonly LabelledTurn[]) => readonly LabelledTurn[];

/** Seconds around a border that do not count, as in NIST's evaluations. */
const collar = 0.25;
const frame = 0.01;

/** Recognises a synthesised dialogue with the test models, tells its speakers apart and joins both. */
export async function ratesOf(
  lines: readonly Line[],
  folder: string,
  alter?: Alter,
): Promise<Rates> {
  const { samples, said } = await synthesise(lines);
  const path = join(folder, 'dialogue.wav');
  await writeDialogue(path, samples);
  return await ratesOfFile(path, said, undefined, anyNumber, alter);
}

/**
 * The same of a speech file, of which it is known who said what.
 * @param engineProcess in which speakers are told apart
 */
export async function ratesOfFile(
  path: string,
  said: readonly Said[],
  engineProcess?: LocalProcess,
  speakers: SpeakerCount = anyNumber,
  alter: Alter = (turns) => turns,
): Promise<Rates> {
  const { signal } = new AbortController();
  const { models } = await installedModels(modelsDir);
  const recognisers = models.filter(({ purpose }) => purpose === 'speech-to-text');
  const engine = localEngine(recognisers, null);
  const diarizer = (await localDiarizer(modelsDir, engineProcess))!;
  const audio = await openSpeechFile(path);
  try {
    const { secondsMax } = engine;
    const { stretches } = await locateSpeech(audio, { secondsMax, modelsDir, signal });
    const utterances: Utterance[] = [];
    for (const [index, [start, end]] of stretches.entries()) {
      const heard = await engine.recognise(audio, [start, end], { language: 'en', signal });
      utterances.push({ index, start, end, language: 'en', segments: heard.segments });
    }
    const options = { speakers, signal, onProgress() {} };
    const { turns: found } = await diarizer.diarize(audio, options);
    const told = found.map(([start, end, speaker]): LabelledTurn => [
      start,
      end,
      speakerLabel(speaker),
    ]);
    const turns = alter(told);
    const blocks = joinTurns(utterances, turns, speakers.min ?? undefined);
    const names = mapping(said, turns);
    const heard = blocks.flatMap(({ speaker, words }) => words.map((word) => ({ speaker, word })));
    const saidNear = byTime(said);
    const right = heard.filter(({ speaker, word }) => {
      const at = (word.start + word.end) / 2;
      const near = saidNear(at);
      return (
        names.get(speaker ?? '') === nearest(near, at)?.speaker ||
        isSaid(near, at, names.get(speaker ?? ''))
      );
    });
    return {
      speakers: speakingTimes(blocks).length,
      voices: new Set(turns.map(([, , label]) => label)).size,
      wordErrors: wordErrorRate(
        said.map(({ text }) => text).join(' '),
        blocks.map(({ text }) => text).join(' '),
      ),
      diarizationErrors: diarizationErrorRate(said, turns, names),
      rightSpeaker: right.length / heard.length,
    };
  } finally {
    await audio.close();
    await engine.close();
    await diarizer.close();
  }
}

const isSaid = (said: readonly Said[], at: number, speaker: number | undefined): boolean =>
  said.some((one) => one.speaker === speaker && one.start <= at && at <= one.end);

function nearest(said: readonly Said[], at: number): Said | undefined {
  const away = ({ start, end }: Said) => Math.max(start - at, at - end, 0);
  return said.toSorted((a, b) => away(a) - away(b))[0];
}

/** What lies within ten seconds of a time, so that hours need not be looked through for each word. */
function byTime<T extends { start: number; end: number }>(spans: readonly T[]) {
  const cells = new Map<number, T[]>();
  for (const span of spans) {
    for (let cell = Math.floor(span.start / 10) - 1; cell <= span.end / 10 + 1; cell += 1)
      cells.set(cell, [...(cells.get(cell) ?? []), span]);
  }
  return (at: number): readonly T[] => cells.get(Math.floor(at / 10)) ?? [];
}

/** Whom a label stands for: the pairs that speak together longest, each once. */
function mapping(said: readonly Said[], turns: readonly LabelledTurn[]): Map<string, number> {
  const shared = new Map<string, number>();
  const saidNear = byTime(said);
  for (const [start, end, label] of turns) {
    const near = new Set([...saidNear(start), ...saidNear((start + end) / 2), ...saidNear(end)]);
    for (const one of near) {
      const seconds = Math.min(end, one.end) - Math.max(start, one.start);
      const key = `${label} ${one.speaker}`;
      if (seconds > 0) shared.set(key, (shared.get(key) ?? 0) + seconds);
    }
  }
  const names = new Map<string, number>();
  for (const [key] of [...shared].toSorted((a, b) => b[1] - a[1])) {
    const [label, speaker] = key.split(' ') as [string, string];
    if (names.has(label) || [...names.values()].includes(Number(speaker))) continue;
    names.set(label, Number(speaker));
  }
  return names;
}

function diarizationErrorRate(
  said: readonly Said[],
  turns: readonly LabelledTurn[],
  names: ReadonlyMap<string, number>,
): number {
  const end = Math.max(...said.map((one) => one.end), ...turns.map((turn) => turn[1]));
  const saidNear = byTime(said);
  const turnsNear = byTime(turns.map(([from, to, label]) => ({ start: from, end: to, label })));
  let spoken = 0;
  let wrong = 0;
  for (let at = 0; at < end; at += frame) {
    const near = saidNear(at);
    const isAt = (border: number) => Math.abs(border - at) < collar;
    if (near.some((one) => isAt(one.start) || isAt(one.end))) continue;
    const is = near.filter((one) => one.start <= at && at < one.end).map((one) => one.speaker);
    const found = turnsNear(at)
      .filter((turn) => turn.start <= at && at < turn.end)
      .map((turn) => names.get(turn.label));
    const right = is.filter((speaker) => found.includes(speaker)).length;
    spoken += is.length;
    wrong += Math.max(is.length, found.length) - right;
  }
  return wrong / spoken;
}

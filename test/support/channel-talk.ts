import { join } from 'node:path';
import type { Stretch } from '../../events/facts/transcript.ts';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import type { SpeechFile } from '../../src/audio/wav.ts';
import { locateSpeech } from '../../src/speech/detection/spoken-audio.ts';
import { type ApartChannels, channelsApart } from '../../src/speech/diarization/channels-apart.ts';
import type { SpeechEngine } from '../../src/speech/engine.ts';
import { localEngine } from '../../src/speech/local/local-engine.ts';
import { installedModels } from '../../src/speech/local/local-models.ts';
import { type Line, type Said, linesOf, synthesise, writeDialogue } from './dialogues.ts';
import { wordErrorRate } from './espeak.ts';
import { modelsDir } from './models.ts';

const { signal } = new AbortController();

/** Two people, one in each channel. */
export type ChannelTalk = { said: Said[]; left: Int16Array; right: Int16Array };

/** A call: now and then one begins before the other has ended. */
export const callLines = (count: number): Line[] =>
  linesOf(2, count).map((line, at): Line => (at % 5 >= 3 ? { ...line, gap: -0.8 } : line));

/** Each line in the channel of who says it, and silence where the other speaks. */
export async function channelTalk(lines: readonly Line[]): Promise<ChannelTalk> {
  const { samples, said } = await synthesise(lines);
  const silence = new Int16Array(samples.length);
  const [left, right] = [silence, silence.slice()];
  for (const [at, line] of lines.entries()) {
    const alone = (await synthesise([{ ...line, gap: 0 }])).samples;
    const first = Math.round((said[at]!.start - 0.3) * 16_000);
    const channel = line.speaker === 0 ? left : right;
    alone.forEach((sample, i) => {
      if (first + i < channel.length) channel[first + i] = channel[first + i]! + sample;
    });
  }
  return { said, left, right };
}

/** A microphone that hears the loudspeakers, late and softer. */
export const echoing = ({ left, right }: ChannelTalk, loud: number): Int16Array =>
  left.map((sample, at) => Math.round(sample * 0.8 + (right[at - 800] ?? 0) * loud));

/** Word errors of a call: of its mix, and of its channels apart, by the test's recogniser. */
export type ChannelRates = { mix: number; apart: number };

/** @throws where the channels are not told apart */
export async function channelRates(
  { said, left, right }: ChannelTalk,
  folder: string,
): Promise<ChannelRates> {
  const write = async (name: string, samples: Int16Array) => {
    const path = join(folder, name);
    await writeDialogue(path, samples);
    return await openSpeechFile(path);
  };
  const { models } = await installedModels(modelsDir);
  const engine = localEngine(
    models.filter(({ purpose }) => purpose === 'speech-to-text'),
    null,
  );
  const files: SpeechFile[] = [];
  try {
    const both = left.map((sample, at) => Math.round((sample + right[at]!) / 2));
    files.push(await write('mix.wav', both));
    const channels = [await write('left.wav', left), await write('right.wav', right)] as const;
    files.push(...channels);
    const apart = await apartOf(channels, folder);
    files.push(...apart.files);
    const text = (speaker?: number) =>
      said
        .filter((one) => speaker === undefined || one.speaker === speaker)
        .map((one) => one.text)
        .join(' ');
    const errors = async (file: SpeechFile, speaker?: number) =>
      wordErrorRate(text(speaker), await heardIn(engine, file));
    const words = [0, 1].map((speaker) => text(speaker).split(' ').length);
    const own = [await errors(apart.files[0], 0), await errors(apart.files[1], 1)];
    return {
      mix: await errors(files[0]!),
      apart: (own[0]! * words[0]! + own[1]! * words[1]!) / (words[0]! + words[1]!),
    };
  } finally {
    for (const file of files) await file.close();
    await engine.close();
  }
}

async function apartOf(
  channels: readonly [SpeechFile, SpeechFile],
  folder: string,
): Promise<ApartChannels> {
  const targets = [join(folder, 'own-left.wav'), join(folder, 'own-right.wav')] as const;
  const apart = await channelsApart(channels, targets, signal);
  if (!apart) throw new Error('the channels are not told apart');
  return apart;
}

async function heardIn(engine: SpeechEngine, file: SpeechFile): Promise<string> {
  const { secondsMax } = engine;
  const { stretches } = await locateSpeech(file, { secondsMax, modelsDir, signal });
  const texts: string[] = [];
  for (const stretch of stretches satisfies readonly Stretch[]) {
    const { segments } = await engine.recognise(file, stretch, { language: 'en', signal });
    texts.push(...segments.map(({ text }) => text));
  }
  return texts.join(' ');
}

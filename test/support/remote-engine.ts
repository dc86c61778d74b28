import type { TestContext } from 'node:test';
import type { Stretch } from '../../events/facts/transcript.ts';
import type { Recognised, SpeechEngine } from '../../src/speech/engine.ts';
import { compatEngine } from '../../src/speech/remote/compat-engine.ts';
import { nativeEngine } from '../../src/speech/remote/native-engine.ts';
import type { RemoteOptions } from '../../src/speech/remote/remote-engine.ts';
import { toneFile } from './speech-servers-audio.ts';
import { speechServer } from './speech-servers.ts';
import type { Kind } from './speech-servers-speakers.ts';

/** Tries again almost at once. */
export const shortPauses = { first: 1, max: 1 };

/** A stand-in for a server, the engine that asks it, and a talk. */
export type StandIn = Awaited<ReturnType<typeof standIn>>;

/** @param options.seconds of the talk */
export async function standIn(
  t: TestContext,
  kind: Kind,
  {
    model = 'whisper',
    seconds = 20,
    ...options
  }: RemoteOptions & { model?: string | null; seconds?: number } = {},
) {
  const server = await speechServer(kind);
  t.after(() => server.close());
  const all = { pauses: shortPauses, ...options };
  const engine =
    kind === 'whisper.cpp'
      ? nativeEngine(server.url, null, all)
      : compatEngine(server.url, 'sk-secret', model, all);
  t.after(() => engine.close());
  return { server, engine, ...(await toneFile(t, seconds)) };
}

const signal = new AbortController().signal;

/** What the engine hears in a stretch of the talk. */
export const hear = (
  { engine, audio }: Pick<StandIn, 'engine' | 'audio'>,
  stretch: Stretch = [0, 20],
  options: Partial<Parameters<SpeechEngine['recognise']>[2]> = {},
): Promise<Recognised> => engine.recognise(audio, stretch, { language: null, signal, ...options });

/** The words, as they were written. */
export const writtenWords = ({ segments }: Recognised): string[] =>
  segments.flatMap(({ words, text }) =>
    words.length > 0 ? words.map((word) => word.text) : text.split(' '),
  );

/** The words alone. */
export const plainWords = (heard: Recognised): string[] =>
  writtenWords(heard).map((word) => word.replace(',', ''));

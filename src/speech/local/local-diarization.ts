/** What the engine process does to tell speakers apart in one window; see `local-worker.ts`. */
import sherpa, {
  type OfflineSpeakerDiarization,
  type SpeakerEmbeddingExtractor,
} from 'sherpa-onnx-node';
import type { Stretch } from '../../../events/facts/transcript.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import { speechRate } from '../../audio/wav.ts';
import type { SpokenTurn, Window, WindowVoice } from '../diarization/windows.ts';
import type { LocalRequest } from './engine-requests.ts';

type DiarizeRequest = Extract<LocalRequest, { op: 'diarize' }>;
type VoicesRequest = Extract<LocalRequest, { op: 'voices' }>;

/** Speech of one speaker an embedding is made of, at most, seconds: more makes it no better. */
const embeddedSecondsMax = 30;
/** Turns of a speaker that are looked at, so that the work does not grow with their square. */
const turnsMax = 100;
/** Shorter pieces say nothing of a voice. */
const pieceSecondsMin = 0.4;
/** Shortest audio that is given to the models; shorter ones get silence behind. */
const secondsMin = 2;
/** Samples read at once, seconds. */
const blockSeconds = 30;

let loaded:
  | { key: string; diarization: OfflineSpeakerDiarization; extractor: SpeakerEmbeddingExtractor }
  | undefined;

/** Who speaks when in a window of a speech file, and an embedding of each speaker. */
export async function diarizeWindow(request: DiarizeRequest): Promise<Window> {
  const { path, start, end } = request;
  const { diarization, extractor } = modelsFor(request);
  const samples = await readFloats(path, [start, end], secondsMin);
  const found = diarization.process(samples);
  const turns = found
    .map(({ start: from, end: to, speaker }): SpokenTurn => [
      Math.max(0, from),
      Math.min(end - start, to),
      speaker,
    ])
    .filter(([from, to]) => to > from);
  const speakers = [...new Set(turns.map(([, , speaker]) => speaker))];
  const read = ([from, to]: Stretch) =>
    samples.slice(Math.round(from * speechRate), Math.round(to * speechRate));
  const voices: WindowVoice[] = [];
  for (const speaker of speakers) voices.push(await voiceOf(speaker, turns, read, extractor));
  // Streams are small to the collector and large to the library: see `freeStreams` of the worker.
  globalThis.gc?.();
  return {
    span: [start, end],
    turns: turns.map(([from, to, speaker]) => [start + from, start + to, speaker]),
    voices,
  };
}

/** An embedding of each speaker of a whole recording; reads half a minute of each. */
export async function embedVoices(
  { path, turns, config }: VoicesRequest,
  progress: (fraction: number) => void,
): Promise<WindowVoice[]> {
  const extractor = new sherpa.SpeakerEmbeddingExtractor(config);
  const audio = await openSpeechFile(path);
  try {
    const read = async ([from, to]: Stretch) => floats(await audio.read(from, to));
    const speakers = [...new Set(turns.map(([, , speaker]) => speaker))];
    const voices: WindowVoice[] = [];
    for (const speaker of speakers) {
      voices.push(await voiceOf(speaker, turns, read, extractor));
      globalThis.gc?.();
      progress(voices.length / speakers.length);
    }
    return voices;
  } finally {
    await audio.close();
  }
}

/** What a speech file has of a stretch, and silence behind where that is less than so many seconds. */
export async function readFloats(
  path: string,
  [start, end]: Stretch,
  secondsMin: number,
): Promise<Float32Array> {
  const audio = await openSpeechFile(path);
  try {
    const until = Math.min(end, audio.duration);
    const first = Math.round(start * speechRate);
    const length = Math.round(until * speechRate) - first;
    const samples = new Float32Array(Math.max(length, secondsMin * speechRate));
    for (let from = start; from < until; from += blockSeconds) {
      const pcm = await audio.read(from, Math.min(until, from + blockSeconds));
      samples.set(floats(pcm), Math.round(from * speechRate) - first);
    }
    return samples;
  } finally {
    await audio.close();
  }
}

export const floats = (pcm: Int16Array): Float32Array =>
  Float32Array.from(pcm, (value) => value / 32_768);

function modelsFor({ key, segmentation, embedding, clustering }: DiarizeRequest) {
  if (loaded?.key !== key) {
    loaded = undefined;
    const diarization = new sherpa.OfflineSpeakerDiarization({
      segmentation,
      embedding,
      clustering,
      // As the models of pyannote were tuned: shorter sounds are no turns, shorter pauses end none.
      minDurationOn: 0.2,
      minDurationOff: 0.3,
    });
    loaded = { key, diarization, extractor: new sherpa.SpeakerEmbeddingExtractor(embedding) };
    if (diarization.sampleRate !== speechRate) {
      throw new Error(`the models take ${diarization.sampleRate} Hz instead of ${speechRate}`);
    }
  }
  return loaded;
}

/** Made of the parts in which no other speaker is heard, the longest first. */
async function voiceOf(
  speaker: number,
  turns: readonly SpokenTurn[],
  read: (span: Stretch) => Float32Array | Promise<Float32Array>,
  extractor: SpeakerEmbeddingExtractor,
): Promise<WindowVoice> {
  const pieces = aloneIn(speaker, turns)
    .filter(([from, to]) => to - from >= pieceSecondsMin)
    .toSorted((a, b) => b[1] - b[0] - (a[1] - a[0]));
  const stream = extractor.createStream();
  let seconds = 0;
  for (const [from, to] of pieces) {
    const until = Math.min(to, from + embeddedSecondsMax - seconds);
    if (until - from < pieceSecondsMin) break;
    seconds += until - from;
    stream.acceptWaveform({ samples: await read([from, until]), sampleRate: speechRate });
  }
  stream.inputFinished();
  if (seconds === 0 || !extractor.isReady(stream)) return { speaker, embedding: null, seconds: 0 };
  // Not in memory of the library's: it would be freed with an object that is not kept.
  const embedding = extractor.compute(stream, false);
  const length = Math.hypot(...embedding);
  if (!(length > 0)) return { speaker, embedding: null, seconds: 0 };
  return { speaker, embedding: Array.from(embedding, (value) => value / length), seconds };
}

/** The parts of a speaker's longest turns in which no other speaker is heard. */
function aloneIn(speaker: number, turns: readonly SpokenTurn[]): Stretch[] {
  let parts = turns
    .filter((turn) => turn[2] === speaker)
    .toSorted((a, b) => b[1] - b[0] - (a[1] - a[0]))
    .slice(0, turnsMax)
    .map(([from, to]): Stretch => [from, to]);
  for (const [from, to, other] of turns) {
    if (other === speaker) continue;
    parts = parts.flatMap(([a, b]): Stretch[] =>
      to <= a || from >= b
        ? [[a, b]]
        : [
            [a, Math.max(a, from)],
            [Math.min(b, to), b],
          ],
    );
  }
  return parts;
}

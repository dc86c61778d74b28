/**
 * The engine process: holds one model of sherpa-onnx and answers one request after the other.
 * A separate process, because native faults (a damaged model, a bug) end the process they are in,
 * and so that the memory of a model is returned when it is not needed.
 */
import { messageOf } from '../../shared/errors.ts';
import sherpa, {
  type OfflineRecognizer,
  type OfflineStream,
  type OnlineRecognizer,
  type OnlineStream,
} from 'sherpa-onnx-node';
import addon from 'sherpa-onnx-node/addon.js';
import { setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { Stretch } from '../../../events/facts/transcript.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import { speechRate } from '../../audio/wav.ts';
import type { Window, WindowVoice } from '../diarization/windows.ts';
import { diarizeWindow, embedVoices, floats, readFloats } from './local-diarization.ts';
import type { LocalMessage, LocalReply, LocalRequest, LocalResult } from './engine-requests.ts';

type RequestOf<O extends LocalRequest['op']> = Extract<LocalRequest, { op: O }>;

/** Recognition must not make the machine unusable. */
setPriority(10);
// The service has ended.
process.on('disconnect', () => process.exit(0));
process.on('message', (message: LocalMessage) => {
  const { id, request } = message;
  const progress = (fraction: number) => send({ id, progress: fraction });
  answer(request, progress).then(
    (value) => send({ id, value }),
    (error: unknown) => send({ id, error: messageOf(error) }),
  );
});

let loaded: { key: string; recogniser: OfflineRecognizer } | undefined;

async function answer(
  request: LocalRequest,
  progress: (fraction: number) => void,
): Promise<LocalResult | Stretch[] | Window | WindowVoice[] | string[] | string> {
  switch (request.op) {
    case 'recognise':
      return recognise(request);
    case 'hear':
      return hear(request);
    case 'detect':
      return detect(request, progress);
    case 'diarize':
      return diarizeWindow(request);
    case 'voices':
      return embedVoices(request, progress);
    default:
      return punctuate(request, progress);
  }
}

let streaming:
  | { key: string; recogniser: OnlineRecognizer; speech: number; stream: OnlineStream }
  | undefined;

function hear({ key, config, speech, samples }: RequestOf<'hear'>): string {
  if (streaming?.key !== key || streaming.speech !== speech) {
    const recogniser =
      streaming?.key === key ? streaming.recogniser : new sherpa.OnlineRecognizer(config);
    streaming = { key, recogniser, speech, stream: recogniser.createStream() };
    freeStreams();
  }
  const { recogniser, stream } = streaming;
  if (samples.length > 0)
    stream.acceptWaveform({ samples: floats(samples), sampleRate: speechRate });
  while (recogniser.isReady(stream)) recogniser.decode(stream);
  return recogniser.getResult(stream).text;
}

function punctuate(
  { config, texts }: RequestOf<'punctuate'>,
  progress: (fraction: number) => void,
): string[] {
  const punctuation = new sherpa.OnlinePunctuation(config);
  return texts.map((text, index) => {
    const punctuated = punctuation.addPunct(text);
    progress((index + 1) / texts.length);
    return punctuated;
  });
}

async function recognise(request: RequestOf<'recognise'>): Promise<LocalResult> {
  const { path, start, end, next, hotwords } = request;
  const recogniser = await recogniserFor(request);
  const stream = await takeStream(recogniser, { path, hotwords }, [start, end]);
  try {
    const decoding = recogniser.decodeAsync(stream);
    if (next) prepare(recogniser, { path, hotwords }, next);
    return (await decoding) as LocalResult;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Its JSON writer lets control characters through.
    const json = addon.getOfflineStreamResultAsJson(stream.handle);
    const result: LocalResult = JSON.parse(json.replaceAll(/\p{Cc}/gu, ' '));
    return result;
  } finally {
    freeStreams();
  }
}

/**
 * A stream with its samples and features, which are computed on this thread and cost a small model as much
 * as decoding, which is done on another: so the next one's are made meanwhile.
 */
let prepared: Prepared | undefined;
type Prepared = Source & {
  recogniser: OfflineRecognizer;
  stretch: Stretch;
  stream: Promise<OfflineStream>;
};

/** What a stream is of. */
type Source = { path: string; hotwords: string | undefined };

function prepare(recogniser: OfflineRecognizer, source: Source, stretch: Stretch): void {
  const stream = makeStream(recogniser, source, stretch);
  stream.catch(() => {}); // thrown when it is asked for
  prepared = { ...source, recogniser, stretch, stream };
}

/** The prepared one if it is what is asked for; what was prepared and is not asked for next is let go. */
function takeStream(
  recogniser: OfflineRecognizer,
  source: Source,
  [start, end]: Stretch,
): Promise<OfflineStream> {
  const mine = prepared;
  prepared = undefined;
  const fits =
    mine?.recogniser === recogniser &&
    mine.path === source.path &&
    mine.hotwords === source.hotwords &&
    mine.stretch[0] === start &&
    mine.stretch[1] === end;
  return fits ? mine.stream : makeStream(recogniser, source, [start, end]);
}

async function makeStream(
  recogniser: OfflineRecognizer,
  { path, hotwords }: Source,
  stretch: Stretch,
): Promise<OfflineStream> {
  const samples = await readFloats(path, stretch, secondsMin);
  const stream = recogniser.createStream(hotwords);
  stream.acceptWaveform({ samples, sampleRate: speechRate });
  return stream;
}

/**
 * What a stream holds in the library (samples, features) is freed with its object, a few bytes for which
 * the collector sees no need to run: hundreds of stretches would lie there. `local-process` exposes `gc`.
 */
function freeStreams(): void {
  decoded += 1;
  if (decoded % streamsMax === 0) globalThis.gc?.();
}
let decoded = 0;
/** Streams of a stretch each that may lie unfreed. A collection takes a few milliseconds. */
const streamsMax = 4;

async function recogniserFor({ key, config }: RequestOf<'recognise'>): Promise<OfflineRecognizer> {
  if (loaded?.key !== key) {
    // Not two models in memory at once: the collector sees a few bytes of one, and frees it when this thread is idle.
    loaded = undefined;
    prepared = undefined;
    globalThis.gc?.();
    await setImmediate();
    loaded = { key, recogniser: await sherpa.OfflineRecognizer.createAsync(config) };
  }
  return loaded.recogniser;
}

/** Shortest audio the models take; shorter ones get silence behind (0 samples end the process). */
const secondsMin = 0.5;

/** Samples read at once, seconds. */
const blockSeconds = 30;

async function detect(
  { config, path }: RequestOf<'detect'>,
  progress: (fraction: number) => void,
): Promise<Stretch[]> {
  const window = windowOf(config);
  const vad = new sherpa.Vad({ sampleRate: speechRate, ...config }, 60);
  if (vad.handle === null || vad.handle === undefined)
    throw new Error('The voice activity model could not be loaded');
  const spans: Stretch[] = [];
  const collect = () => {
    while (!vad.isEmpty()) {
      const { start, samples } = vad.front(false);
      spans.push([start / speechRate, (start + samples.length) / speechRate]);
      vad.pop();
    }
  };
  const audio = await openSpeechFile(path);
  try {
    const frame = new Float32Array(window);
    // Whole windows a block, so that only the last one is filled up with silence.
    const step = Math.floor((blockSeconds * speechRate) / window) * (window / speechRate);
    for (let at = 0; at < audio.duration; at += step) {
      const pcm = await audio.read(at, Math.min(at + step, audio.duration));
      for (let i = 0; i < pcm.length; i += window) {
        frame.fill(0);
        for (let k = i; k < Math.min(i + window, pcm.length); k += 1)
          frame[k - i] = pcm[k]! / 32_768;
        vad.acceptWaveform(frame);
        collect();
      }
      progress(Math.min(1, (at + step) / audio.duration));
    }
    vad.flush();
    collect();
    return spans.map(([start, end]): Stretch => [start, Math.min(end, audio.duration)]);
  } finally {
    await audio.close();
  }
}

/** Samples a call takes: it is silently wrong with any other number. */
function windowOf(config: Record<string, unknown>): number {
  const model = (config['sileroVad'] ?? config['tenVad']) as { windowSize?: unknown } | undefined;
  const size = Number(model?.windowSize);
  return Number.isInteger(size) && size > 0 && size <= 4096 ? size : 512;
}

/** The channel may close while an answer is on its way; `disconnect` then ends the process. */
function send(reply: LocalReply): void {
  process.send?.(reply, undefined, {}, () => {});
}

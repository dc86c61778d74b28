/** The browser's sound: a microphone, a shared tab, or both mixed, as blocks of 16-bit mono samples. */
import type { AudioSource } from './audio-store.ts';
import type { Lost, Trouble } from './browser-recording.ts';
import type { FromWorklet, ToWorklet } from './worklet.ts';
// oxlint-disable-next-line import/default -- Vite gives the address of what it makes of it
import workletUrl from './worklet.ts?worker&url';

export interface Listening {
  /** Samples a second. */
  readonly rate: number;
  /** Posts nothing until `go`. */
  pause(): Promise<void>;
  go(): void;
  /** Resolves when the last block has been given out. */
  end(): Promise<void>;
}

export class CannotListen extends Error {
  readonly code: Exclude<Trouble['code'], 'refused' | 'ended' | 'not-taken' | 'tab-ended'>;
  constructor(code: CannotListen['code']) {
    super(code);
    this.code = code;
  }
}

/** What speech is recognised at; a browser that cannot resample gives its own. */
const wantedRate = 16_000;
/** How long the last block is waited for, in milliseconds. */
const flushMs = 1000;

/**
 * Listens until `end`. @param rate must be kept when a recording goes on
 * @throws {CannotListen}
 */
export async function listen(
  source: AudioSource,
  on: { block(pcm: ArrayBuffer): void; lost(what: Lost): void },
  rate?: number,
): Promise<Listening> {
  const opened = await openStreams(source);
  const streams = Object.values(opened);
  const context = contextFor(streams, rate ?? wantedRate);
  const stopAll = () => {
    for (const stream of streams) for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  try {
    await running(context);
    await context.audioWorklet.addModule(workletUrl);
  } catch (error) {
    stopAll();
    throw error;
  }
  const node = new AudioWorkletNode(context, 'mitschrift-gatherer', {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one other end
  const say = (word: ToWorklet) => node.port.postMessage(word);
  let flushed = () => {};
  node.port.addEventListener('message', ({ data }: MessageEvent<FromWorklet>) => {
    if (data === 'flushed') flushed();
    else on.block(data);
  });
  node.port.start();
  const pause = () =>
    new Promise<void>((resolve) => {
      flushed = resolve;
      // A context that the system has stopped posts nothing more.
      setTimeout(resolve, flushMs);
      say('pause');
    });
  // What is connected to one input is mixed.
  for (const stream of streams) context.createMediaStreamSource(stream).connect(node);
  const stopWatching = watchStreams({ opened, streams, context, node, lost: on.lost });
  return {
    rate: context.sampleRate,
    pause,
    go: () => say('go'),
    async end() {
      stopWatching();
      await pause();
      stopAll();
    },
  };
}

type Streams = { tab?: MediaStream; microphone?: MediaStream };

async function openStreams(source: AudioSource): Promise<Streams> {
  if (source === 'microphone') return { microphone: await openMicrophone() };
  // The tab first: it wants a press, which a question for the microphone would use up.
  const tab = await openTab();
  if (source === 'tab') return { tab };
  try {
    return { tab, microphone: await openMicrophone() };
  } catch (error) {
    for (const track of tab.getTracks()) track.stop();
    throw error;
  }
}

/** Unprocessed: what takes echoes and noise away takes words along. */
async function openMicrophone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
    });
  } catch (error) {
    const refused = error instanceof DOMException && error.name === 'NotAllowedError';
    throw new CannotListen(refused ? 'no-permission' : 'no-microphone');
  }
}

async function openTab(): Promise<MediaStream> {
  const shared = await navigator.mediaDevices
    .getDisplayMedia({ video: true, audio: { suppressLocalAudioPlayback: false } as object })
    .catch(() => {
      throw new CannotListen('no-permission');
    });
  // The picture is not wanted, but no browser shares sound alone.
  for (const track of shared.getVideoTracks()) track.stop();
  if (shared.getAudioTracks().length === 0) throw new CannotListen('no-tab-sound');
  return shared;
}

/** Firefox connects no stream to a context of another rate: it gets its own. */
function contextFor(streams: readonly MediaStream[], rate: number): AudioContext {
  const context = new AudioContext({ sampleRate: rate });
  try {
    for (const stream of streams) context.createMediaStreamSource(stream).disconnect();
    return context;
  } catch {
    void context.close();
    return new AudioContext();
  }
}

/** How long sound may take to begin, in milliseconds: a page that was pressed may listen, on a busy machine late. */
const startMs = { pressed: 20_000, notPressed: 2000 };

/** A page that was not pressed yet may not be allowed to listen. */
async function running(context: AudioContext): Promise<void> {
  const wait = navigator.userActivation.hasBeenActive ? startMs.pressed : startMs.notPressed;
  const late = new Promise<void>((resolve) => setTimeout(resolve, wait));
  await Promise.race([context.resume(), late]);
  if (context.state !== 'running') throw new CannotListen('needs-press');
}

type Watched = {
  opened: Streams;
  /** All that are to be ended with the recording; what is opened again is added. */
  streams: MediaStream[];
  context: AudioContext;
  node: AudioWorkletNode;
  lost(what: Lost): void;
};

/** Says when a sound is gone, and takes the microphone again when one is there. @returns how to stop */
function watchStreams({ opened, streams, context, node, lost }: Watched): () => void {
  let isOver = false;
  let isOpening = false;
  const gone = { microphone: false, tab: false };
  const say = () => lost(gone.microphone ? 'microphone' : gone.tab ? 'tab' : null);
  const watch = (stream: MediaStream | undefined, what: keyof Streams) => {
    for (const track of stream?.getAudioTracks() ?? [])
      track.addEventListener('ended', () => {
        if (isOver) return;
        gone[what] = true;
        say();
      });
  };
  watch(opened.tab, 'tab');
  watch(opened.microphone, 'microphone');
  const back = async () => {
    if (!gone.microphone || isOpening) return;
    isOpening = true;
    // Not yet: the next change of devices asks again.
    const stream = await openMicrophone().catch(() => null);
    isOpening = false;
    if (stream === null) return;
    streams.push(stream);
    if (isOver) return stream.getTracks().forEach((track) => track.stop());
    gone.microphone = false;
    watch(stream, 'microphone');
    context.createMediaStreamSource(stream).connect(node);
    say();
  };
  const changed = () => void back();
  navigator.mediaDevices.addEventListener('devicechange', changed);
  return () => {
    isOver = true;
    navigator.mediaDevices.removeEventListener('devicechange', changed);
  };
}

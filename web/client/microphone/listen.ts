/**
 * The browser's sound as blocks of 16-bit samples: a microphone, a shared tab, or both, each as a channel of its own or
 * mixed.
 */
import type { AudioSource } from './audio-store.ts';
import type { Lost } from './browser-recording.ts';
import { queue } from '../queue.ts';
import type { SoundEvent } from './sound.ts';
import { CannotListen, type Inputs, connectStreams, openStreams, stopTracks } from './streams.ts';
import type { FromWorklet, Missed, ToWorklet } from './worklet.ts';
// oxlint-disable-next-line import/default -- Vite gives the address of what it makes of it
import workletUrl from './worklet.ts?worker&url';

export interface Listening {
  /** Samples a second. */
  readonly rate: number;
  /** Closes the microphone; posts nothing until `go`. */
  pause(): Promise<void>;
  /** Opens it again. @throws {CannotListen} */
  go(): Promise<void>;
  /** Has the system go on that has stopped it, by a press; opens the microphone again if need be. @throws {CannotListen} */
  revive(): Promise<void>;
  /** Resolves when the last block has been given out. */
  end(): Promise<void>;
}

export type Hearing = {
  block(pcm: ArrayBuffer): void;
  /** Before the next block nothing was heard for a while. */
  missed(what: Missed): void;
  lost(what: Lost): void;
  sound(event: SoundEvent): void;
};

/** What speech is recognised at; a browser that cannot resample gives its own. */
const wantedRate = 16_000;
/** How long the last block is waited for, in milliseconds. */
const flushMs = 1000;

/** What a recording that begins with this has: what is said on either side of a call is recognised by itself. */
export const channelsOf = (source: AudioSource): 1 | 2 => (source === 'both' ? 2 : 1);

/**
 * Listens until `end`. @param layout `channels` of the recording, and its rate when it goes on
 * @throws {CannotListen}
 */
export async function listen(
  source: AudioSource,
  on: Hearing,
  { channels = 1, rate = wantedRate }: { channels?: 1 | 2; rate?: number },
): Promise<Listening> {
  const opened = await openStreams(source);
  const streams = Object.values(opened);
  const context = contextFor(streams, rate);
  try {
    await running(context);
    await context.audioWorklet.addModule(workletUrl).catch((error: unknown) => {
      console.warn(error);
      throw new CannotListen('not-loaded');
    });
  } catch (error) {
    streams.forEach(stopTracks);
    void context.close();
    throw error;
  }
  const node = gatherer(context, channels);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one other end
  const say = (word: ToWorklet) => node.port.postMessage(word);
  let flushed = () => {};
  node.port.addEventListener('message', ({ data }: MessageEvent<FromWorklet>) => {
    if (data === 'flushed') flushed();
    else if (data instanceof ArrayBuffer) on.block(data);
    else on.missed(data);
  });
  node.port.start();
  const flush = () =>
    new Promise<void>((resolve) => {
      flushed = resolve;
      // A context that the system has stopped posts nothing more.
      setTimeout(resolve, flushMs);
      say('pause');
    });
  const inputs = inputsOf(context, node, channels);
  const connected = connectStreams(opened, { context, inputs }, on);
  const stopWatching = watchContext(context, on);
  // Pause and go on, pressed one after the other.
  const inTurn = queue();
  return {
    rate: context.sampleRate,
    pause: () =>
      inTurn(async () => {
        await flush();
        connected.closeMicrophone();
      }),
    go: () =>
      inTurn(async () => {
        await connected.reopenMicrophone();
        await resume(context);
        say('go');
      }),
    revive: () =>
      inTurn(async () => {
        await resume(context);
        if (context.state !== 'running') throw new CannotListen('needs-press');
        await connected.reopenMicrophone();
      }),
    async end() {
      stopWatching();
      await flush();
      connected.stop();
      void context.close();
    },
  };
}

/** What the worklet's blocks come from; its module is there. */
const gatherer = (context: AudioContext, channels: 1 | 2): AudioWorkletNode =>
  new AudioWorkletNode(context, 'mitschrift-gatherer', {
    numberOfOutputs: 0,
    channelCount: channels,
    channelCountMode: 'explicit',
    channelInterpretation: channels === 2 ? 'discrete' : 'speakers',
    processorOptions: { channels },
  });

/** Where the microphone and the tab go: into a channel each, or into one, which adds them up. */
function inputsOf(context: AudioContext, node: AudioNode, channels: 1 | 2): Inputs {
  if (channels === 1) return { microphone: { node, at: 0 }, tab: { node, at: 0 } };
  const merger = context.createChannelMerger(2);
  merger.connect(node);
  return { microphone: { node: merger, at: 0 }, tab: { node: merger, at: 1 } };
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
  await resume(context, wait);
  if (context.state !== 'running') throw new CannotListen('needs-press');
}

/** Resolves when it runs, or at the latest after so many milliseconds: a system that keeps it back never answers. */
async function resume(context: AudioContext, wait = startMs.notPressed): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, wait));
  await Promise.race([context.resume().catch(() => undefined), late]);
}

/** Says whether the context runs, and tries to go on whenever the system may let it. @returns how to stop */
function watchContext(context: AudioContext, on: Pick<Hearing, 'sound'>): () => void {
  const changed = () => {
    // Safari and Chromium have a state for what an app that calls does to all others.
    const state: string = context.state;
    on.sound({ type: 'context', runs: state === 'running', isCall: state === 'interrupted' });
  };
  const goOn = () => {
    if (context.state !== 'running') void context.resume().catch(() => undefined);
  };
  const stateChanged = () => {
    changed();
    goOn();
  };
  context.addEventListener('statechange', stateChanged);
  document.addEventListener('visibilitychange', goOn);
  addEventListener('focus', goOn);
  return () => {
    context.removeEventListener('statechange', stateChanged);
    document.removeEventListener('visibilitychange', goOn);
    removeEventListener('focus', goOn);
  };
}

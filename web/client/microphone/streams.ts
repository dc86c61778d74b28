/** The streams that a recording is made from: a microphone, a shared tab, or both. */
import type { AudioSource } from './audio-store.ts';
import type { Lost, Trouble } from './browser-recording.ts';
import type { SoundEvent } from './sound.ts';

export class CannotListen extends Error {
  readonly code: Exclude<
    Trouble['code'],
    'refused' | 'ended' | 'not-taken' | 'tab-ended' | 'insecure'
  >;
  constructor(code: CannotListen['code']) {
    super(code);
    this.code = code;
  }
}

export type Streams = { tab?: MediaStream; microphone?: MediaStream };

/** @throws {CannotListen} */
export async function openStreams(source: AudioSource): Promise<Streams> {
  if (source === 'microphone') return { microphone: await openMicrophone() };
  // The tab first: it wants a press, which a question for the microphone would use up.
  const tab = await openTab();
  if (source === 'tab') return { tab };
  try {
    return { tab, microphone: await openMicrophone() };
  } catch (error) {
    stopTracks(tab);
    throw error;
  }
}

/** Where each of both is connected to: an input of a node. */
export type Inputs = Record<keyof Streams, { node: AudioNode; at: number }>;

type Gathering = { context: AudioContext; inputs: Inputs };

export interface Connected {
  /** The microphone's light goes out; a tab stays shared, since it could only be chosen again. */
  closeMicrophone(): void;
  /** Takes it again. @throws {CannotListen} */
  reopenMicrophone(): Promise<void>;
  /** Nothing is heard or watched any more. */
  stop(): void;
}

/**
 * Connects streams to what gathers them, says when one is gone or kept back, and takes the
 * microphone again when one is there.
 */
export function connectStreams(
  opened: Streams,
  gathering: Gathering,
  on: { lost(what: Lost): void; sound(event: SoundEvent): void },
): Connected {
  const gone = { microphone: false, tab: false };
  let { microphone } = opened;
  let [isOver, isClosed] = [false, false];

  const say = () => {
    on.lost(gone.microphone ? 'microphone' : gone.tab ? 'tab' : null);
    on.sound({ type: 'gone', is: gone.microphone });
  };
  const { connect, disconnect, disconnectAll } = connections(gathering, {
    ended(what) {
      gone[what] = true;
      say();
    },
    muted: (is) => on.sound({ type: 'muted', is }),
  });
  const reopen = async () => {
    const stream = await openMicrophone();
    // A pause may have begun meanwhile.
    if (isOver || isClosed) return stopTracks(stream);
    // Where that fails, what was gone is gone still.
    connect(stream, 'microphone');
    if (microphone) disconnect(microphone);
    microphone = stream;
    gone.microphone = false;
    on.sound({ type: 'muted', is: stream.getAudioTracks().some(({ muted }) => muted) });
    say();
  };
  const stopLooking = onNewDevice(async () => {
    if (gone.microphone && !isClosed) await reopen();
  });
  if (opened.tab) connect(opened.tab, 'tab');
  if (microphone) connect(microphone, 'microphone');
  return {
    closeMicrophone() {
      isClosed = true;
      if (microphone) disconnect(microphone);
    },
    async reopenMicrophone() {
      if (opened.microphone === undefined) return;
      const wasClosed = isClosed;
      isClosed = false;
      await reopen().catch((error: unknown) => {
        isClosed = wasClosed;
        throw error;
      });
    },
    stop() {
      isOver = true;
      stopLooking();
      disconnectAll();
    },
  };
}

/** Streams that are connected to what gathers them; of others nothing is said. @param on.muted of a microphone */
function connections(
  { context, inputs }: Gathering,
  on: { ended(what: keyof Streams): void; muted(is: boolean): void },
) {
  const nodes = new Map<MediaStream, MediaStreamAudioSourceNode>();
  const disconnect = (stream: MediaStream) => {
    nodes.get(stream)?.disconnect();
    nodes.delete(stream);
    stopTracks(stream);
  };
  return {
    connect(stream: MediaStream, what: keyof Streams) {
      const source = sourceOf(stream, context);
      source.connect(inputs[what].node, 0, inputs[what].at);
      nodes.set(stream, source);
      for (const track of stream.getAudioTracks()) {
        track.addEventListener('ended', () => nodes.has(stream) && on.ended(what));
        // A tab that plays nothing is muted, too: of it only the blocks tell.
        if (what === 'tab') continue;
        watchMuted(track, (is) => {
          if (!nodes.has(stream)) return;
          on.muted(is);
          if (!is) void context.resume().catch(() => undefined);
        });
      }
    },
    disconnect,
    disconnectAll: () => [...nodes.keys()].forEach(disconnect),
  };
}

/** Firefox takes no stream of another rate than the context has: that one is closed. @throws {CannotListen} */
function sourceOf(stream: MediaStream, context: AudioContext): MediaStreamAudioSourceNode {
  try {
    return context.createMediaStreamSource(stream);
  } catch {
    stopTracks(stream);
    throw new CannotListen('no-microphone');
  }
}

/**
 * Takes what is plugged in or allowed again, one after the other. @param take what fails is tried again at the next
 * change, or look at the page
 */
function onNewDevice(take: () => Promise<void>): () => void {
  let isTaking = false;
  const changed = () => {
    if (isTaking) return;
    isTaking = true;
    void take()
      .catch(() => undefined)
      .finally(() => (isTaking = false));
  };
  const life = new AbortController();
  const { signal } = life;
  navigator.mediaDevices.addEventListener('devicechange', changed, { signal });
  const looked = () => document.visibilityState === 'visible' && changed();
  document.addEventListener('visibilitychange', looked, { signal });
  void onPermission(changed, signal);
  return () => life.abort();
}

/** Browsers that do not know that name say nothing. */
async function onPermission(changed: () => void, signal: AbortSignal): Promise<void> {
  const name = { name: 'microphone' } as const;
  const permission = await navigator.permissions?.query(name).catch(() => undefined);
  permission?.addEventListener('change', changed, { signal });
}

/** The system keeps a microphone back for a call, or for another program. */
function watchMuted(track: MediaStreamTrack, tell: (isMuted: boolean) => void): void {
  for (const name of ['mute', 'unmute']) track.addEventListener(name, () => tell(track.muted));
  if (track.muted) tell(true);
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
      throw new CannotListen('no-tab');
    });
  // The picture is not wanted, but no browser shares sound alone.
  for (const track of shared.getVideoTracks()) track.stop();
  if (shared.getAudioTracks().length === 0) throw new CannotListen('no-tab-sound');
  return shared;
}

export function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

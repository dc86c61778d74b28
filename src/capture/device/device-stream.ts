import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../words/failures.ts';
import type { Sentence } from '../../words/params.ts';
import { createRequire } from 'node:module';
import { blockFrames, deviceFrameBytes } from '../../audio/level-meter.ts';
import { captureRate } from '../../audio/wav.ts';
import type { CaptureProblem, CaptureSpec } from '../process/protocol.ts';
import { watchStream } from '../pulse/watch-pulse.ts';

/** An open device. */
export type DeviceStream = {
  /** The next 100 ms, or what is left after `close`; null at the end. */
  read(): Promise<Buffer | null>;
  /** Ends it: `read` gives what was heard up to now, then null. Hangs while the audio server does. */
  close(): Promise<void>;
};

/** Frames of one callback, and how many callbacks' worth may wait: 10 ms, a minute. */
const callbackFrames = captureRate / 100;
const callbacksMax = 6000;
const blockBytes = blockFrames * deviceFrameBytes;

/**
 * Opens a device by its name and starts it. Blocks while the audio server does.
 * @returns null when there is no device of that name.
 * @throws {Error} with PortAudio's words.
 */
export function openStream(native: Naudiodon, device: string): DeviceStream | null {
  const found = native
    .getDevices()
    .find(({ name, maxInputChannels }) => name === device && maxInputChannels > 0);
  if (!found) return null;
  const stream = native.create({
    inOptions: {
      deviceId: found.id,
      sampleRate: captureRate,
      // A device of one channel gives it twice or, being a plain one, refuses: its error says so.
      channelCount: 2,
      sampleFormat: 16,
      framesPerBuffer: callbackFrames,
      maxQueue: callbacksMax,
      closeOnError: false,
    },
  });
  stream.start();
  return reading(stream);
}

/** Between looks at a device that gives nothing, milliseconds. */
const stallCheckMs = 250;

/**
 * Watches that an open device gives what it should.
 * @param onLost it does not; also called when no device is open, and as often as it is noticed.
 */
export function watchDevice(
  { device, source, limits }: Pick<CaptureSpec, 'device' | 'source' | 'limits'>,
  onLost: (code: CaptureProblem['code'], said: Sentence) => void,
): {
  /** It has given something, or has just been opened. */
  heard(): void;
  stop(): void;
} {
  const watching = new AbortController();
  if (source !== null) {
    watchStream({
      source,
      signal: watching.signal,
      onMoved: (other) => onLost('moved', failure('device-moved', { device: other })),
      onServerGone: () => onLost('audio-server-gone', failure('audio-server-ended')),
    });
  }
  /** Looks at the device since it was heard. */
  let looks = 0;
  const timer = setInterval(() => {
    // Looks are counted, not time: of a process that was stopped itself the device may have kept it all.
    if ((looks += 1) * stallCheckMs > limits.stallMs)
      onLost('no-data', failure('device-no-data', { device }));
  }, stallCheckMs);

  return {
    heard() {
      looks = 0;
    },
    stop() {
      clearInterval(timer);
      watching.abort();
    },
  };
}

/** Waits for what a device does, which hangs while the audio server does. */
export interface HangGuard {
  /** Whether the device did not answer in time. */
  readonly hung: boolean;
  /**
   * What the work comes to, however long it takes; once the end is wanted, null if that takes too long.
   * @throws whatever the work rejects with.
   */
  wait<T>(work: Promise<T>): Promise<T | null>;
}

/**
 * @param quitMs how long a device may take once the end is wanted, milliseconds.
 * @param ending whether the end is wanted.
 * @param changed resolves when that is to be asked again.
 */
export function hangGuard(
  quitMs: number,
  ending: () => boolean,
  changed: () => Promise<void>,
): HangGuard {
  let hung = false;
  return {
    get hung() {
      return hung;
    },
    async wait(work) {
      const settled = work.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      while (!ending()) {
        const first = await Promise.race([settled, changed().then(() => null)]);
        if (first) return unwrap(first);
      }
      // Once is enough: who did not answer then does not answer now.
      if (hung) return null;
      const late = await Promise.race([settled, sleep(quitMs, null, { ref: false })]);
      if (late) return unwrap(late);
      hung = true;
      return null;
    },
  };
}

/**
 * naudiodon's native binding, loaded directly: its stream wrapper drops the last unfilled buffer,
 * cannot abort, and installs a handler that writes `crash.log` into the working directory.
 */
export type Naudiodon = {
  /** PortAudio's list, as it was when first asked for while a stream is open. Blocks. */
  getDevices(): { id: number; name: string; maxInputChannels: number; hostAPIName: string }[];
  getHostAPIs(): { defaultHostAPI: number; HostAPIs: { id: number; defaultInput: number }[] };
  /** Opens a device. Blocks. @throws {Error} with PortAudio's words. */
  create(options: { inOptions: InputOptions }): NativeStream;
};

/** Null when the optional package is not installed, or was not built for this machine. */
export function loadNaudiodon(): Naudiodon | null {
  try {
    return createRequire(import.meta.url)('naudiodon/build/Release/naudiodon.node');
  } catch {
    return null;
  }
}

function reading(stream: NativeStream): DeviceStream {
  let closing: Promise<void> | undefined;
  let finished = false;
  return {
    async read() {
      if (!finished) {
        const { buf, finished: last, err } = await stream.read(blockBytes);
        if (err !== undefined) throw new Error(err);
        finished = last === true;
        if (buf && buf.length > 0) return buf;
      }
      if (!closing) return null;
      // The last callbacks come while the stream is being stopped, after the queue said it was empty.
      await closing;
      const { buf: rest } = await stream.read(blockBytes);
      return rest && rest.length > 0 ? rest : null;
    },
    close() {
      closing ??= stream.quit('WAIT');
      return closing;
    },
  };
}

function unwrap<T>(settled: { value: T } | { error: unknown }): T {
  if ('error' in settled) throw settled.error;
  return settled.value;
}

type InputOptions = {
  deviceId: number;
  sampleRate: number;
  channelCount: number;
  sampleFormat: 16;
  /** Frames of one callback. */
  framesPerBuffer: number;
  /** Callbacks' worth of frames that wait to be read before the device is held up. */
  maxQueue: number;
  closeOnError: boolean;
};

type NativeStream = {
  start(): void;
  /** Waits for so many bytes; fewer come with `finished`, after `quit`. */
  read(bytes: number): Promise<{ buf?: Buffer; finished?: boolean; err?: string }>;
  quit(how: 'WAIT' | 'ABORT'): Promise<void>;
};

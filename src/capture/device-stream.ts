import { blockFrames, captureRate, deviceFrameBytes } from './capture-audio.ts';
import type { Naudiodon, NativeStream } from './naudiodon.ts';

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
      // A device of one channel gives it twice or, being a plain one, refuses: told by its error.
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

import { createRequire } from 'node:module';

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

export type NativeStream = {
  start(): void;
  /** Waits for so many bytes; fewer come with `finished`, after `quit`. */
  read(bytes: number): Promise<{ buf?: Buffer; finished?: boolean; err?: string }>;
  quit(how: 'WAIT' | 'ABORT'): Promise<void>;
};

/** Null when the optional package is not installed, or was not built for this machine. */
export function loadNaudiodon(): Naudiodon | null {
  try {
    return createRequire(import.meta.url)('naudiodon/build/Release/naudiodon.node') as Naudiodon;
  } catch {
    return null;
  }
}

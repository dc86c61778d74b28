/**
 * Lists PortAudio's input devices and ends. A separate process, because PortAudio keeps the first
 * list it made, blocks while the audio server hangs, prints on stderr, and can crash.
 */
import { loadNaudiodon } from './device-stream.ts';

/** What this process sends, once. */
export type ListedDevices = { devices: string[]; default: string | null };

process.send?.(list(), undefined, {}, () => process.exit(0));

function list(): ListedDevices {
  const native = loadNaudiodon();
  if (!native) return { devices: [], default: null };
  const inputs = native.getDevices().filter(({ maxInputChannels }) => maxInputChannels > 0);
  const devices = [...new Set(inputs.map(({ name }) => name))];
  if (devices.length === 0) return { devices, default: null };
  const { defaultHostAPI, HostAPIs } = native.getHostAPIs();
  const preferred = HostAPIs.find(({ id }) => id === defaultHostAPI)?.defaultInput;
  return { devices, default: inputs.find(({ id }) => id === preferred)?.name ?? null };
}

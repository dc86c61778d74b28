import { StageError } from '../stage-error.ts';
import { combinedDevice } from './alsa-config.ts';
import type { CombinedSource } from './combined-source.ts';
import { findDevice, listDevices, type DeviceOptions, type Devices } from './devices.ts';

/**
 * Every device a recording can come from, the combined one included.
 * @throws {StageError} `devices-unavailable`.
 */
export async function recordableDevices(
  combined: Pick<CombinedSource, 'selection'>,
  options: DeviceOptions,
): Promise<Devices> {
  const listed = await listDevices(options);
  const selected = (await combined.selection()) !== null;
  // It can be recorded from whenever it is selected: it is built when a recording starts.
  return selected && !listed.devices.includes(combinedDevice)
    ? { ...listed, devices: [...listed.devices, combinedDevice] }
    : listed;
}

/**
 * The name of the device a recording is to come from: the one asked for if it is there, never another
 * instead; for null the default one.
 * @throws {StageError} `device-gone` with the names there are, `no-device`, `devices-unavailable`.
 */
export async function chooseDevice(
  device: string | null,
  combined: Pick<CombinedSource, 'selection'>,
  options: DeviceOptions,
): Promise<string> {
  if (device === combinedDevice && (await combined.selection()) !== null) return device;
  if (device !== null) return (await findDevice(device, options)).name;
  const { default: preferred } = await listDevices(options);
  if (preferred !== null) return preferred;
  throw new StageError('no-device', 'There is no device to record from: connect a microphone.', {
    retriable: true,
  });
}

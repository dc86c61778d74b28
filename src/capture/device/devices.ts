import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { watchForHang } from '../hung-process.ts';
import { programPath } from '../../shared/package.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { type AlsaConfig, alsaConfig, combinedDevice, ownName } from './alsa-config.ts';
import type { ListedDevices } from './list-devices-process.ts';
import type { RecentList } from './recent-list.ts';
import { openPulse } from '../pulse/pulse.ts';
import type { CombinedSource } from '../pulse/combined-source.ts';

export type Devices = { devices: string[]; default: string | null };

/** A device as a capture needs it. */
export type InputDevice = {
  /** As `Devices` names it. */
  name: string;
  /** The audio server's source behind it; null for a plain device. */
  source: string | null;
  /** ALSA configuration in which the device has that name; null when none is needed. */
  alsaConfig: string | null;
};

/** Whether devices come through ALSA here; elsewhere PortAudio's own names are taken. */
const speaksAlsa = process.platform === 'linux';
/** A program of the sound system that does nothing for so long hangs. */
const listLimitMs = 3000;
/** On a busy machine a program that goes on gets so many times the limit. */
const busyFactor = 10;

/**
 * The input devices as PortAudio reports them, and the default one, asked freshly unless `recent` knows. Without an audio
 * server the plain ALSA devices; without sound, or without naudiodon, an empty list.
 * @throws {StageError} `devices-unavailable`, retriable.
 */
export async function listDevices(options: DeviceOptions): Promise<Devices> {
  return await explained(async () => {
    const { env = process.env } = options;
    const { config, defaultSource } = await readServer(options);
    if (config) await rewrite(options.configPath, config.text);
    const ask = async () =>
      await askChild({ ...env, ...(config ? { ALSA_CONFIG_PATH: options.configPath } : {}) });
    // Elsewhere nothing tells of a device that was plugged in.
    const recent = speaksAlsa ? options.recent : undefined;
    const listed = await (recent ? recent(config?.text ?? null, ask) : ask());
    // A device of an audio server that went away meanwhile is still in the configuration, but not here.
    const preferred = config && nameOf(config, defaultSource);
    const isListed = preferred !== null && listed.devices.includes(preferred);
    return { devices: listed.devices, default: isListed ? preferred : listed.default };
  });
}

/**
 * One device by its name, without asking PortAudio when the audio server knows it.
 * @throws {StageError} `device-gone`, with the names there are; `devices-unavailable`.
 */
export async function findDevice(name: string, options: DeviceOptions): Promise<InputDevice> {
  const { config } = await explained(() => readServer(options));
  // Also by the name that it has beside others of its description.
  const isIt = ([known, source]: [string, string]) =>
    name === known || name === ownName(known, source);
  const found = config && [...config.sources].find(isIt);
  if (found) return { name: found[0], source: found[1], alsaConfig: config.text };
  const { devices } = await listDevices(options);
  if (devices.includes(name)) return { name, source: null, alsaConfig: config?.text ?? null };
  throw deviceGone(name, devices);
}

export function deviceGone(name: string, devices: readonly string[]): StageError {
  const there = devices.length > 0 ? devices : undefined;
  return new StageError(failure('device-not-found', { device: name, there }), { retriable: true });
}

const nameOf = (config: AlsaConfig, source: string | null): string | null =>
  [...config.sources].find(([, name]) => name === source)?.[0] ?? null;

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
  throw new StageError(failure('no-device-connected'), {
    retriable: true,
  });
}

type DeviceOptions = {
  /** Where the private ALSA configuration is kept, e.g. `<data>/asound.conf`. */
  configPath: string;
  /** Name of the combined source's monitor, called `mitschrift-combined` when it is there. */
  combinedSource: string | null;
  env?: NodeJS.ProcessEnv | undefined;
  /** For who shows devices; what is recorded from is always looked for. */
  recent?: RecentList | undefined;
};

async function readServer(
  options: DeviceOptions,
): Promise<{ config: AlsaConfig | null; defaultSource: string | null }> {
  if (!speaksAlsa) return { config: null, defaultSource: null };
  const pulse = openPulse({ env: options.env, timeoutMs: listLimitMs });
  try {
    const [{ microphones, monitors }, { source }] = await Promise.all([
      pulse.sources(),
      pulse.defaults(),
    ]);
    return {
      config: alsaConfig([...microphones, ...monitors], options.combinedSource),
      defaultSource: source,
    };
  } catch (error) {
    if (error instanceof StageError && error.code === 'no-audio-server')
      return { config: null, defaultSource: null };
    throw error;
  }
}

/** Whole or not at all, because a child may be reading it; only when it says something new. */
async function rewrite(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return;
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

function askChild(env: NodeJS.ProcessEnv): Promise<ListedDevices> {
  const entry = programPath('src/capture/device/list-devices-process');
  return new Promise((resolve, reject) => {
    // What it prints is ALSA's complaints about cards that are not there.
    const child = fork(entry, [], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const limits = { idleMs: listLimitMs, mostMs: listLimitMs * busyFactor };
    const kill = () => void child.kill('SIGKILL');
    const stopWatching = child.pid ? watchForHang(child.pid, limits, kill) : () => {};
    let listed: ListedDevices | undefined;
    child.once('message', (message) => (listed = message as ListedDevices));
    child.once('error', (error) => {
      stopWatching();
      reject(error);
    });
    child.once('close', (code, killedBy) => {
      stopWatching();
      if (listed) resolve(listed);
      else reject(new Error(`listing the devices ended with ${killedBy ?? `code ${code}`}`));
    });
  });
}

/** Whatever goes wrong, or hangs, is one error for those who asked. */
async function explained<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new StageError(failure('devices-not-listed'), { retriable: true, cause: error });
  }
}

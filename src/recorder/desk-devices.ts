import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Sentence } from '../words/params.ts';
import { combinedDevice } from '../capture/device/alsa-config.ts';
import { chooseDevice, findDevice } from '../capture/device/devices.ts';
import type { CaptureOrder } from '../capture/process/client.ts';
import { captureLimits } from '../capture/process/protocol.ts';
import { leftByRecordings } from '../storage/disk.ts';
import { combinedMonitor, instanceOf } from '../capture/pulse/combined-chain.ts';
import { combinedSource } from '../capture/pulse/combined-source.ts';
import { keepCombined } from '../capture/pulse/keep-combined.ts';
import { openPulse } from '../capture/pulse/pulse.ts';
import { StageError } from '../shared/errors.ts';
import { copyDurably, exists, ifMissing } from '../shared/files.ts';
import { failure } from '../words/failures.ts';
import type { Log } from '../shared/log.ts';

/** The devices of a desk, as a service has those of its host. */
export interface DeskDevices {
  /**
   * The device to record: the one asked for, or the default one; with `loudspeakers` joined with what these play, once
   * `orderFor` is asked for it.
   * @throws {StageError} `device-gone` with the names there are, `no-device`, `no-audio-server` and others
   */
  choose(device: string | null, loudspeakers: boolean): Promise<string>;
  /** Two for microphone and loudspeakers, each of which is recognised by itself; else one. */
  channelsOf(device: string): 1 | 2;
  /** What a capture of it is started with. */
  orderFor(device: string, channels: 1 | 2, folder: string): Promise<CaptureOrder>;
  /** Keeps what a device is joined of standing until `signal` aborts. @param onState as `keepCombined` */
  keep(device: string, signal: AbortSignal, onState: (problem: Sentence | null) => void): void;
  /** Takes down what was joined for a device. */
  dismantle(device: string): Promise<void>;
}

/** Hours of one recording: what fits into a file is more, and the service has a limit of its own. */
const hoursMax = 24;

export async function openDeskDevices(
  root: string,
  env: NodeJS.ProcessEnv,
  log: Log,
): Promise<DeskDevices> {
  const instance = instanceOf(root);
  const pulse = openPulse({ env });
  // Of each computer that shares this home.
  const path = join(root, `combined-${hostname()}.json`);
  // What earlier releases have joined stands by their file. It stays: which computer's it is it does not say.
  if (!(await exists(path)))
    await copyDurably(join(root, 'combined.json'), path).catch(ifMissing(undefined));
  const combined = combinedSource({
    path,
    instance,
    pulse,
    channels: () => 'split',
    cancelsEcho: () => true,
  });
  const options = {
    configPath: join(root, `asound-${hostname()}.conf`),
    combinedSource: combinedMonitor(instance),
    env,
  };
  return {
    async choose(device, loudspeakers) {
      if (!loudspeakers) return await chooseDevice(device, combined, options);
      const { source, sink } = await pulse.defaults();
      const microphone = device === null ? source : (await findDevice(device, options)).source;
      if (microphone === null || sink === null)
        throw new StageError(failure('microphone-or-speakers-missing'), {
          retriable: true,
        });
      await combined.remember({ microphone, monitor: `${sink}.monitor` });
      return combinedDevice;
    },
    channelsOf: (device) => (device === combinedDevice ? 2 : 1),
    async orderFor(device, channels, folder) {
      if (device === combinedDevice) await combined.build();
      return {
        folder,
        device: await findDevice(device, options),
        channels,
        limits: {
          ...captureLimits,
          secondsMax: hoursMax * 3600,
          freeBytesMin: await leftByRecordings(folder, { 'limits.free_mb': null }),
        },
        env,
      };
    },
    keep(device, signal, onState) {
      if (device === combinedDevice) keepCombined({ combined, env, log, signal, onState });
    },
    async dismantle(device) {
      if (device === combinedDevice) await combined.teardown();
    },
  };
}

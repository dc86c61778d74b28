import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { captureRate } from './capture-audio.ts';
import { connectCapture, type Capture } from './capture-connection.ts';
import {
  captureConfigName,
  readClaim,
  readNotes,
  writeClaim,
  type Claim,
} from './capture-files.ts';
import { captureSocket, claimToSocketMs, type CaptureLimits } from './capture-protocol.ts';
import type { InputDevice } from './devices.ts';
import { captureNotStarted, launchCapture } from './launch-capture.ts';
import { wavFramesMax } from './wav-header.ts';

export type CaptureOrder = {
  folder: string;
  device: InputDevice;
  channels: 1 | 2;
  limits: CaptureLimits;
  env?: NodeJS.ProcessEnv | undefined;
};

/**
 * Starts a capture process for a recording whose audio nobody else writes. It appends to what is there.
 * @throws {StageError} `capture-not-started`.
 */
export async function startCapture(order: CaptureOrder): Promise<Capture> {
  const { folder, device, channels, env = process.env } = order;
  const claim = ulid();
  const before = await readClaim(folder);
  if (before) await rm(before.socketPath, { force: true });
  const socketPath = captureSocket(folder, claim, env);
  const alsaConfigPath = device.alsaConfig === null ? null : join(folder, captureConfigName);
  if (alsaConfigPath !== null) await writeFile(alsaConfigPath, device.alsaConfig!, { mode: 0o600 });
  await writeClaim(folder, { claim, socketPath, device: device.name, channels, at: Date.now() });
  const { name, source } = device;
  const secondsMax = Math.min(order.limits.secondsMax, wavFramesMax(channels) / captureRate);
  await launchCapture(
    {
      claim,
      folder,
      socketPath,
      device: name,
      source,
      alsaConfigPath,
      channels,
      limits: { ...order.limits, secondsMax },
    },
    env,
  );
  const capture = await connectCapture(folder, { claim, socketPath });
  if (!capture) throw captureNotStarted('It ended as soon as it had started.');
  return capture;
}

/**
 * The live capture of a recording; null when there is none. One that was being started when the service
 * died is waited for, so that there are never two.
 */
export async function adoptCapture(folder: string): Promise<Capture | null> {
  const claim = await readClaim(folder);
  if (!claim) return null;
  for (;;) {
    const capture = await connectCapture(folder, claim);
    if (capture) return capture;
    const ended = (await readNotes(folder))?.ended ?? null;
    if (ended !== null || !isYoung(claim)) return null;
    await sleep(50);
  }
}

/** A clock that was set back must not make anybody wait for longer. */
const isYoung = ({ at }: Claim) => Math.abs(Date.now() - at) < claimToSocketMs;

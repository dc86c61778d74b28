import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { type CaptureOrder, startCapture } from '../process/client.ts';
import type { CaptureStatus } from '../process/protocol.ts';

/** Of the last 100 ms, 0 to 1. */
type HeardLevel = NonNullable<CaptureStatus['level']>;

/** Hears devices without a recording: how loud they are, and nothing of it stays. */
export interface LevelTrial {
  /**
   * Tells how loud a device (null: the default one) is, ten times a second, until `signal` aborts, a recording wants the device, or a
   * minute is over. Resolves when nothing of it is left.
   * @throws {StageError} `device-taken` it is recorded, or another is heard; what starting a capture throws
   */
  hear(
    device: string | null,
    options: { signal: AbortSignal; onLevel(level: HeardLevel): void },
  ): Promise<void>;
  /** Ends it where a device is heard: at once, and resolves when it has ended. */
  end(): Promise<void>;
}

/** A level is heard for so long at most. A service that dies leaves the device so much later. */
const secondsMax = 60;
const orphanMs = 2000;

/**
 * @param deps.scratch a folder that is emptied at every start of the service: what is heard goes through it
 * @param deps.isUsed whether a device is recorded, or about to be
 * @param deps.choose the device that is meant, if it is there
 * @param deps.left nothing is heard of a device any more. Never throws
 */
export function openLevelTrial(deps: {
  scratch: string;
  isUsed(device: string): Promise<boolean>;
  choose(device: string | null): Promise<string>;
  orderFor(device: string, folder: string): Promise<CaptureOrder>;
  left(device: string): Promise<void>;
}): LevelTrial {
  let heard: { end: AbortController; over: Promise<void> } | null = null;
  return {
    async hear(wanted, { signal, onLevel }) {
      const device = await deps.choose(wanted);
      const isUsed = await deps.isUsed(device);
      if (heard || isUsed) throw taken(device, heard !== null);
      const end = new AbortController();
      const stopped = AbortSignal.any([signal, end.signal]);
      const over = hearUntil(device, stopped, { ...deps, onLevel });
      heard = { end, over: over.catch(() => undefined) };
      try {
        await over;
      } finally {
        heard = null;
      }
    },
    async end() {
      heard?.end.abort();
      await heard?.over;
    },
  };
}

async function hearUntil(
  device: string,
  stopped: AbortSignal,
  {
    scratch,
    orderFor,
    left,
    onLevel,
  }: Parameters<typeof openLevelTrial>[0] & { onLevel(level: HeardLevel): void },
): Promise<void> {
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(scratch, 'level-'));
  try {
    const order = await orderFor(device, folder);
    if (stopped.aborted) return;
    const limits = { ...order.limits, secondsMax, orphanMs };
    const capture = await startCapture({ ...order, limits });
    capture.onStatus(({ level }) => {
      if (level && !stopped.aborted) onLevel(level);
    });
    const stop = () => capture.stop();
    stopped.addEventListener('abort', stop, { once: true });
    if (stopped.aborted) stop();
    await capture.ended;
    stopped.removeEventListener('abort', stop);
  } finally {
    await left(device);
    await rm(folder, { recursive: true, force: true });
  }
}

const taken = (device: string, isHeard: boolean): StageError =>
  new StageError(isHeard ? failure('device-trial-running') : failure('device-in-use', { device }), {
    retriable: true,
  });

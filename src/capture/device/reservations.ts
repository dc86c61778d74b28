import { StageError } from '../../shared/errors.ts';
import {
  type CaptureNow,
  type CaptureWarning,
  type WarnAfter,
  captureNow,
} from '../capture-now.ts';
import type { CaptureStatus } from '../process/protocol.ts';
import type { Wishes } from '../control-state.ts';

export type StoppedBy = { by: string; command: string };

/** A recording that holds a device: about to be captured, or being it. */
export type Held = {
  readonly recordingId: string;
  readonly device: string;
  /** Somebody asked for its end. */
  stopping: boolean;
  /** Who did, and by which command, if that is to be in the log. */
  stoppedBy: StoppedBy | undefined;
  /** Null until its activity has begun. */
  wishes: Wishes | null;
  /** To be called when `stopping` or `wishes` have changed. */
  poke(): void;
  /** Takes a status, and tells those who watch. */
  take(status: CaptureStatus): void;
  /** What only the service knows; `null` when it is over. */
  warn(code: CaptureWarning['code'], message: string | null): void;
  /** What its capture failed with, when it was given back because of that. */
  failure: unknown;
  /** Settles when it has been given back. */
  readonly done: Promise<void>;
};

/** Which recording holds which device, and what is going on there. Gone with the process. */
export interface HeldDevices {
  /** @throws {StageError} `device-taken`. */
  hold(device: string, recordingId: string): Held;
  giveBack(recordingId: string): void;
  of(recordingId: string): Held | null;
  heldBy(device: string): string | null;
  now(recordingId: string): CaptureNow | null;
  onNow(listener: (now: CaptureNow) => void): () => void;
  onWarnings(listener: (now: CaptureNow) => void): () => void;
}

/** @param warnAfter other limits, for tests. */
export function heldDevices(warnAfter: Partial<WarnAfter> = {}): HeldDevices {
  const held = new Map<string, { held: Held; now(): CaptureNow | null; finish(): void }>();
  const nowListeners = new Set<(now: CaptureNow) => void>();
  const warningListeners = new Set<(now: CaptureNow) => void>();
  const heldBy = (device: string) =>
    [...held.values()].find((one) => one.held.device === device)?.held.recordingId ?? null;

  return {
    hold(device, recordingId) {
      const present = held.get(recordingId);
      if (present) return present.held;
      if (heldBy(device) !== null)
        throw new StageError('device-taken', `“${device}” is being recorded already.`, {
          retriable: true,
        });
      const one = open(device, recordingId);
      held.set(recordingId, one);
      return one.held;
    },
    giveBack(recordingId) {
      const one = held.get(recordingId);
      held.delete(recordingId);
      one?.finish();
    },
    of: (recordingId) => held.get(recordingId)?.held ?? null,
    heldBy,
    now: (recordingId) => held.get(recordingId)?.now() ?? null,
    onNow: (listener) => listening(nowListeners, listener),
    onWarnings: (listener) => listening(warningListeners, listener),
  };

  function open(device: string, recordingId: string) {
    const warnings = new Map<CaptureWarning['code'], string>();
    let status: CaptureStatus | null = null;
    let told = '';
    let finish = () => {};
    const done = new Promise<void>((resolve) => (finish = resolve));
    const now = () =>
      status &&
      captureNow(
        recordingId,
        device,
        status,
        [...warnings].map(([code, message]) => ({ code, message })),
        warnAfter,
      );
    const tell = () => {
      const present = now();
      if (!present) return;
      for (const listener of nowListeners) listener(present);
      const messages = present.warnings.map(({ message }) => message).join('\n');
      if (messages === told) return;
      told = messages;
      for (const listener of warningListeners) listener(present);
    };
    return {
      now,
      finish,
      held: {
        recordingId,
        device,
        done,
        stopping: false,
        stoppedBy: undefined,
        wishes: null,
        failure: undefined,
        poke: () => undefined,
        take(next) {
          status = next;
          tell();
        },
        warn(code, message) {
          if (message === null) warnings.delete(code);
          else warnings.set(code, message);
          tell();
        },
      } satisfies Held as Held,
    };
  }
}

function listening<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

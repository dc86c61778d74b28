import { StageError } from '../../shared/errors.ts';
import type { Sentence } from '../../words/params.ts';
import { failure } from '../../words/failures.ts';
import {
  type CaptureNow,
  type CaptureWarning,
  captureWarning,
  type WarnAfter,
  captureNow,
} from '../capture-now.ts';
import type { CaptureStatus } from '../process/protocol.ts';
import type { ControlState } from '../control-state.ts';
import { type Listeners, openListeners } from '../../shared/listeners.ts';

export type StoppedBy = { by: string; command: string };

/** A recording that holds a device: about to be captured, or being captured. */
export type Reservation = {
  readonly recordingId: string;
  readonly device: string;
  /** Its end was asked for. */
  stopping: boolean;
  /** By whom and by which command, if that is to be in the log. */
  stoppedBy: StoppedBy | undefined;
  /** Null until its activity has begun. */
  control: ControlState | null;
  /** To be called when `stopping` or `control` have changed. */
  poke(): void;
  /** Takes a status, and notifies listeners. */
  take(status: CaptureStatus): void;
  /** What only the service knows; `null` when it is over. */
  warn(code: CaptureWarning['code'], said: Sentence | null): void;
  /** What its capture failed with, if it was released because of that. */
  failure: unknown;
  /** Settles when it has been released. */
  readonly done: Promise<void>;
};

/** Which recording holds which device, and what is going on there. Gone with the process. */
export interface DeviceReservations {
  /** @throws {StageError} `device-taken`. */
  reserve(device: string, recordingId: string): Reservation;
  release(recordingId: string): void;
  of(recordingId: string): Reservation | null;
  heldBy(device: string): string | null;
  /** Names of the devices that are being recorded, whoever records. */
  held(): string[];
  /** Calls back when that has changed; returns how to stop. */
  onHeld(listener: () => void): () => void;
  now(recordingId: string): CaptureNow | null;
  onNow(listener: Listener): () => void;
  onWarnings(listener: Listener): () => void;
}

type Listener = (now: CaptureNow) => void;
type CaptureListeners = Listeners<[CaptureNow]>;

export function openReservations(warnAfter: WarnAfter): DeviceReservations {
  const reserved = new Map<string, Reserved>();
  const nows = openListeners<[CaptureNow]>();
  const warned = openListeners<[CaptureNow]>();
  const { tell: changed, add: onHeld } = openListeners();
  const heldBy = (device: string) =>
    [...reserved.values()].find(({ reservation }) => reservation.device === device)?.reservation
      .recordingId ?? null;

  return {
    reserve(device, recordingId) {
      const present = reserved.get(recordingId);
      if (present) return present.reservation;
      if (heldBy(device) !== null)
        throw new StageError(failure('device-in-use', { device }), {
          retriable: true,
        });
      const one = openReservation({ device, recordingId, nows, warned }, warnAfter);
      reserved.set(recordingId, one);
      changed();
      return one.reservation;
    },
    release(recordingId) {
      const one = reserved.get(recordingId);
      reserved.delete(recordingId);
      one?.finish();
      if (one) changed();
    },
    of: (recordingId) => reserved.get(recordingId)?.reservation ?? null,
    heldBy,
    held: () => [...reserved.values()].map(({ reservation }) => reservation.device),
    onHeld,
    now: (recordingId) => reserved.get(recordingId)?.now() ?? null,
    onNow: nows.add,
    onWarnings: warned.add,
  };
}

type Reserved = { reservation: Reservation; now(): CaptureNow | null; finish(): void };

function openReservation(
  {
    device,
    recordingId,
    nows,
    warned,
  }: { device: string; recordingId: string; nows: CaptureListeners; warned: CaptureListeners },
  warnAfter: WarnAfter,
): Reserved {
  const warnings = new Map<CaptureWarning['code'], Sentence>();
  let status: CaptureStatus | null = null;
  let published = '';
  let finish = () => {};
  const done = new Promise<void>((resolve) => (finish = resolve));
  const now = () => {
    if (!status) return null;
    const more = [...warnings].map(([code, said]) => captureWarning(code, said));
    return captureNow(recordingId, device, status, more, warnAfter);
  };
  const notify = () => {
    const present = now();
    if (!present) return;
    nows.tell(present);
    const messages = present.warnings.map(({ message }) => message).join('\n');
    if (messages === published) return;
    published = messages;
    warned.tell(present);
  };
  const reservation: Reservation = {
    recordingId,
    device,
    done,
    stopping: false,
    stoppedBy: undefined,
    control: null,
    failure: undefined,
    poke: () => undefined,
    take(next) {
      status = next;
      notify();
    },
    warn(code, said) {
      if (said === null) warnings.delete(code);
      else warnings.set(code, said);
      notify();
    },
  };
  return { reservation, now, finish };
}

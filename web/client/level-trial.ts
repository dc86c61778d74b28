/** Listening to a device of the service's machine without recording it (`level.start`). */
import { atom } from 'nanostores';
import { type Frame, connection, onFrame, send } from './feed.ts';

export type Level = { rms: number; peak: number };
/** `listening` until frames stop; `ended`: the service ends it after a minute; `refused`: why, in its words. */
export type Trial =
  | { state: 'opening' | 'ended' }
  | { state: 'listening'; level: Level }
  | { state: 'refused'; detail: string };

/** Frames come ten times a second: after this long without one it is over, in milliseconds. */
const patience = 4_000;

/**
 * Listens to a device, and says in `trial` what is heard. Begins again when the connection is back.
 * @param device a name of `GET /audio/devices`; null: the default one
 * @returns how to stop
 */
export function listenTo(device: string | null): {
  trial: ReturnType<typeof atom<Trial>>;
  stop: () => void;
} {
  const trial = atom<Trial>({ state: 'opening' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (trial.get().state !== 'refused') trial.set({ state: 'ended' });
    }, patience);
  };
  const stopFrames = onFrame((frame) => {
    const heard = levelOf(frame);
    if (heard !== null && heard.device === device) {
      trial.set({ state: 'listening', level: heard });
      wait();
    } else if (frame.type === 'warning' && trial.get().state === 'opening') {
      trial.set({ state: 'refused', detail: frame.detail });
    }
  });
  const stopConnection = connection.subscribe(({ state }) => {
    if (state !== 'open') return;
    trial.set({ state: 'opening' });
    tell({ type: 'level.start', device });
    wait();
  });
  return {
    trial,
    stop() {
      clearTimeout(timer);
      stopFrames();
      stopConnection();
      tell({ type: 'level.stop' });
    },
  };
}

const tell = (frame: object): boolean => send(frame as Parameters<typeof send>[0]);

function levelOf(frame: Frame): (Level & { device: string | null }) | null {
  if (frame.type !== 'level' || frame.recording_id !== undefined) return null;
  const { rms, peak, device = null } = frame as Level & { device?: string | null };
  return { rms, peak, device };
}

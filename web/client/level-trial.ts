/** Listening to a device of the service's machine without recording it (`level.start`). */
import { atom } from 'nanostores';
import { connection, onFrame, send } from './feed.ts';

export type Level = { rms: number; peak: number };
/** `ended`: after a minute, or because a recording wants the device; `refused`: why, in the service's words. */
export type Trial =
  | { state: 'opening' | 'ended' }
  | { state: 'listening'; level: Level }
  | { state: 'refused'; detail: string };

/** Frames come ten times a second: after this long without one it is over, in milliseconds. */
const patience = 4_000;
/** A device, or the one before it on its way out, may take its time until the first. */
const openingPatience = 20_000;

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
  const over = () => trial.get().state !== 'refused' && trial.set({ state: 'ended' });
  const wait = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(over, milliseconds);
  };
  const stopFrames = onFrame((frame) => {
    if (!('device' in frame) || frame.device !== device) return;
    const { state } = trial.get();
    if (frame.type === 'level' && frame.recording_id === undefined) {
      trial.set({ state: 'listening', level: { rms: frame.rms, peak: frame.peak } });
      wait(patience);
    } else if (frame.type === 'level.ended' && state === 'listening') {
      // While it opens, the end is that of a listening before.
      clearTimeout(timer);
      over();
    } else if (frame.type === 'warning' && state === 'opening') {
      trial.set({ state: 'refused', detail: frame.detail });
    }
  });
  const stopConnection = connection.subscribe(({ state }) => {
    if (state !== 'open') return;
    trial.set({ state: 'opening' });
    send({ type: 'level.start', device });
    wait(openingPatience);
  });
  return {
    trial,
    stop() {
      clearTimeout(timer);
      stopFrames();
      stopConnection();
      send({ type: 'level.stop' });
    },
  };
}

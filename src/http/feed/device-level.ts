import { detail } from '../../words/details.ts';
import { Problem } from '../problems.ts';
import type { HttpServices } from '../services.ts';
import { saidOfError } from '../to-problem.ts';
import type { AudioConnection } from './browser-audio.ts';
import type { LevelFrame } from './frames.ts';

/** What one connection says of `level.*`: the level of a device, without a recording. */
export interface DeviceLevel {
  message(frame: LevelFrame): void;
  /** The connection is gone, or its session has ended. */
  gone(): void;
}

/** The connection that a level is told to. */
export type LevelConnection = Pick<AudioConnection, 'caller' | 'send' | 'warn'> & {
  /** Counts a message that nothing is done for, as a refused one is: some hundred end the connection. */
  refuse(): void;
};

type Trial = { device: string | null; stop: AbortController };

/** Tries devices for one connection; another device ends the one before. */
export function deviceLevel(
  { captures, log }: Pick<HttpServices, 'captures' | 'log'>,
  connection: LevelConnection,
): DeviceLevel {
  let wanted: Trial | null = null;
  let isHearing = false;
  /** Whose turn came. */
  let heard: Trial | null = null;

  const hear = async (device: string | null, signal: AbortSignal): Promise<void> => {
    try {
      if (!connection.caller().isAdmin)
        throw new Problem('not-admin', { said: detail('device-trial-admin-only') });
      await captures.hear(device, {
        signal,
        onLevel: (level) => connection.send({ type: 'level', device, ...level }),
      });
      connection.send({ type: 'level.ended', device });
    } catch (error) {
      const { code, said } = saidOfError(error, log, 'testing a device failed');
      connection.warn(code, said, { device });
    }
  };

  /** What is wanted last is heard when the one before has ended; what was wanted in between never is. */
  const hearWanted = async (): Promise<void> => {
    if (isHearing) return;
    isHearing = true;
    while (wanted) {
      const one: Trial = wanted;
      heard = one;
      if (!one.stop.signal.aborted) await hear(one.device, one.stop.signal);
      if (wanted === one) wanted = null;
    }
    isHearing = false;
  };

  return {
    message(frame) {
      // One that was never heard: a person takes longer between two devices than a trial takes to begin.
      if (wanted !== null && wanted !== heard) connection.refuse();
      wanted?.stop.abort();
      if (frame.type === 'level.stop') return;
      wanted = { device: frame.device, stop: new AbortController() };
      void hearWanted();
    },
    gone: () => wanted?.stop.abort(),
  };
}

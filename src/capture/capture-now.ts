import { captureRate } from './capture-audio.ts';
import type { CaptureStatus } from './capture-protocol.ts';
import type { Ledger } from './ledger.ts';

/** What is going on in a capture at this moment; not a fact, and gone when it ends. */
export type CaptureNow = {
  recordingId: string;
  device: string;
  state: CaptureStatus['state'];
  /** Seconds of audio, without pauses. */
  duration: number;
  /** Of the last 100 ms, 0 to 1. */
  level: { rms: number; peak: number } | null;
  ledger: Ledger;
  warnings: CaptureWarning[];
};

/** What somebody should look at while there is time. */
export type CaptureWarning = {
  code:
    | 'no-signal'
    | 'long-silence'
    | 'audio-missing'
    | 'device-gone'
    | 'device-failed'
    | 'no-data'
    | 'moved'
    | 'audio-server-gone'
    | 'capture-restarted'
    | 'combined-incomplete'
    | 'browser-away';
  message: string;
};

/** Seconds after which a device without any signal, and a room without any voice, are told. */
export const flatSecondsMax = 10;
export const quietSecondsMax = 300;

/**
 * What a status means for a person.
 * @param more what only the service knows.
 */
export function captureNow(
  recordingId: string,
  device: string,
  status: CaptureStatus,
  more: readonly CaptureWarning[] = [],
): CaptureNow {
  const { state, level, ledger, problem, flatSeconds, quietSeconds } = status;
  const warnings: CaptureWarning[] = [...more];
  if (problem) warnings.push({ code: problem.code, message: problem.message });
  if (flatSeconds >= flatSecondsMax) {
    warnings.push({
      code: 'no-signal',
      message: `No signal from “${device}” for ${flatSecondsMax} s: is it connected, and not muted?`,
    });
  } else if (quietSeconds >= quietSecondsMax) {
    warnings.push({
      code: 'long-silence',
      message: `Nothing has been said for ${quietSecondsMax / 60} minutes. Is the recording still wanted?`,
    });
  }
  if (ledger.gaps.length > 0) {
    const missing = ledger.gaps.reduce((sum, [, seconds]) => sum + seconds, 0);
    const message = `${missing.toFixed(1)} s are missing from the recording.`;
    warnings.push({ code: 'audio-missing', message });
  }
  const duration = ledger.samples / captureRate;
  return { recordingId, device, state, duration, level, ledger, warnings };
}

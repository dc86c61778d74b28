import { captureRate } from '../audio/wav.ts';
import type { CaptureStatus } from './process/protocol.ts';
import type { Ledger } from './file/ledger.ts';

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

/** What a person should look at while there is time. */
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
    | 'browser-away'
    | 'space-nearly-full';
  message: string;
};

/** Seconds after which a device without any signal, and a room without any voice, lead to a warning. */
export type WarnAfter = { flatSeconds: number; quietSeconds: number };
const warnAfterSeconds: WarnAfter = { flatSeconds: 10, quietSeconds: 300 };

/**
 * What a status means for a person.
 * @param more what only the service knows. @param warnAfter other limits, for tests.
 */
export function captureNow(
  recordingId: string,
  device: string,
  status: CaptureStatus,
  more: readonly CaptureWarning[] = [],
  warnAfter: Partial<WarnAfter> = {},
): CaptureNow {
  const { state, level, ledger, problem, quietSeconds } = status;
  const limits = { ...warnAfterSeconds, ...warnAfter };
  const warnings: CaptureWarning[] = [...more];
  if (problem) warnings.push({ code: problem.code, message: problem.message });
  const dead = withoutSignal(device, status, limits.flatSeconds);
  if (dead !== null) {
    warnings.push({
      code: 'no-signal',
      message: `No signal from ${dead} for ${limits.flatSeconds} s: is it connected, and not muted?`,
    });
  } else if (quietSeconds >= limits.quietSeconds) {
    warnings.push({
      code: 'long-silence',
      message: `Nothing has been said for ${Math.round(limits.quietSeconds / 60)} minutes. Is the recording still wanted?`,
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

/**
 * What gives no signal, in words. Loudspeakers that are silent for a while are in order:
 * only those that were never heard lead to a warning.
 */
function withoutSignal(
  device: string,
  { flatSeconds, sides }: CaptureStatus,
  secondsMax: number,
): string | null {
  if (flatSeconds >= secondsMax) return `“${device}”`;
  if (!sides) return null;
  const [microphone, loudspeakers] = sides;
  if (microphone.flatSeconds >= secondsMax) return 'the microphone';
  const silent = loudspeakers.flatSeconds >= secondsMax && !loudspeakers.everHeard;
  return silent ? 'the loudspeakers' : null;
}

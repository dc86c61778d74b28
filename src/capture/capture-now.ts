import { captureRate } from '../audio/wav.ts';
import { failure } from '../words/failures.ts';
import type { Sentence } from '../words/params.ts';
import { inEnglish } from '../words/say.ts';
import type { CaptureStatus } from './process/protocol.ts';
import type { KeptLedger } from '../../events/facts/ledger.ts';

/** What is going on in a capture at this moment; not a fact, and gone when it ends. */
export type CaptureNow = {
  recordingId: string;
  device: string;
  /** Of a browser's, or a desk's: which it is, and what it calls itself. */
  recorder?: { kind: 'browser' | 'desk'; name: string | null };
  state: CaptureStatus['state'];
  /** Seconds of audio, without pauses. */
  duration: number;
  /** Of the last 100 ms, 0 to 1. */
  level: { rms: number; peak: number } | null;
  ledger: KeptLedger;
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
  /** In English, for a node of an earlier release. */
  message: string;
  /** Not from a capture or node of an earlier release. */
  said?: Sentence | undefined;
};

/** A warning by its sentence. */
export const captureWarning = (code: CaptureWarning['code'], said: Sentence): CaptureWarning => ({
  code,
  message: inEnglish(said),
  said,
});

/** Seconds after which a device without any signal, and a room without any voice, lead to a warning. */
export type WarnAfter = { flatSeconds: number; quietSeconds: number };
export const warnAfterSeconds: WarnAfter = { flatSeconds: 10, quietSeconds: 300 };

/**
 * What a status means for a person.
 * @param more what only the service knows
 */
export function captureNow(
  recordingId: string,
  device: string,
  status: CaptureStatus,
  more: readonly CaptureWarning[],
  warnAfter: WarnAfter,
): CaptureNow {
  const { state, level, ledger, problem, quietSeconds } = status;
  const warnings: CaptureWarning[] = [...more];
  if (problem) {
    const { code, message, said } = problem;
    warnings.push({ code, message, said });
  }
  const dead = withoutSignal(status, warnAfter.flatSeconds);
  if (dead !== null) {
    const said = failure('no-signal', { source: dead, device, since: warnAfter.flatSeconds });
    warnings.push(captureWarning('no-signal', said));
  } else if (quietSeconds >= warnAfter.quietSeconds) {
    const since = Math.round(warnAfter.quietSeconds / 60);
    warnings.push(captureWarning('long-silence', failure('long-silence', { since })));
  }
  if (ledger.gaps.length > 0) {
    const missing = ledger.gaps.reduce((sum, [, seconds]) => sum + seconds, 0);
    warnings.push(captureWarning('audio-missing', failure('audio-gaps', { missing })));
  }
  const duration = ledger.samples / captureRate;
  return { recordingId, device, state, duration, level, ledger, warnings };
}

/**
 * What gives no signal. Loudspeakers that are silent for a while are in order:
 * only those that were never heard lead to a warning.
 */
function withoutSignal(
  { flatSeconds, sides }: CaptureStatus,
  secondsMax: number,
): 'device' | 'microphone' | 'speakers' | null {
  if (flatSeconds >= secondsMax) return 'device';
  if (!sides) return null;
  const [microphone, loudspeakers] = sides;
  if (microphone.flatSeconds >= secondsMax) return 'microphone';
  const silent = loudspeakers.flatSeconds >= secondsMax && !loudspeakers.everHeard;
  return silent ? 'speakers' : null;
}

import { deviceFrameBytes } from '../../audio/level-meter.ts';
import { captureRate } from '../../audio/wav.ts';
import type { ElapsedClock } from '../../shared/time.ts';

/** A block of the device, and when it came. */
export type Arrival = { block: Buffer; at: number };

/** Distinguishes audio that is late from audio that is lost. */
export type LateAudio = {
  /** A block has come. Gives what may be written now: nothing while it is not clear what is missing. */
  take(block: Buffer): Settled;
  /** Stops gap detection; the caller reports gaps from here on. */
  stopCounting(): void;
  /** No more will come: what was held back. */
  rest(): Settled;
};

/** After a pause this long it is looked whether what was said in it still comes; milliseconds. */
const pauseMs = 300;
/** What is kept in a queue comes faster than it was said: for as long as it does, it is waited for. */
const waitMs = 500;
/** Blocks come as early or as late as this without anything being lost. */
const jitterMs = 100;
const missingMsMin = 200;

/**
 * When a process or the audio server was stopped, or the machine slept, queues hold what was heard up to
 * their limits; what they could not hold would be closed up without a sign. So after a pause blocks are
 * held back until as much has come as the pause was long, or no more comes than is being said. That is a
 * second at most behind the end of what was queued, and nothing at all when nothing is missing.
 */
export function lateAudio(now: ElapsedClock): LateAudio {
  let held: Arrival[] = [];
  /** When the last block before those came. */
  let before: number | null = null;
  /** While it is not clear: how much there is to come, and when that is looked at again. */
  let waiting: { lag: number; until: number } | null = null;
  /** What was missing before the blocks that are held, when it is counted no more. */
  let counted: number | null = null;

  const lag = (at: number): number => (before === null ? 0 : at - before - millisecondsOf(held));

  const missingBeforeHeld = (): number => {
    const last = held.at(-1)?.at;
    const missing = waiting && last !== undefined ? lag(last) : 0;
    return missing < missingMsMin ? 0 : missing;
  };

  function release(): Settled {
    const settled = { missingMs: counted ?? missingBeforeHeld(), arrivals: held };
    if (counted === null) before = held.at(-1)?.at ?? before;
    else counted = 0;
    held = [];
    waiting = null;
    return settled;
  }

  return {
    take(block) {
      const at = now();
      if (counted !== null) {
        held.push({ block, at });
        return release();
      }
      if (waiting === null && before !== null && at - before > pauseMs)
        waiting = { lag: Infinity, until: at + waitMs };
      held.push({ block, at });
      if (waiting === null || lag(at) <= jitterMs) return release();
      if (at >= waiting.until) {
        if (waiting.lag - lag(at) <= jitterMs) return release();
        waiting = { lag: lag(at), until: at + waitMs };
      }
      return { missingMs: 0, arrivals: [] };
    },
    stopCounting() {
      counted ??= missingBeforeHeld();
    },
    rest: release,
  };
}

const millisecondsOf = (arrivals: readonly Arrival[]): number =>
  arrivals.reduce(
    (sum, { block }) => sum + block.length / deviceFrameBytes / (captureRate / 1000),
    0,
  );

/** Blocks in order, behind `missingMs` of audio that never came. */
export type Settled = { missingMs: number; arrivals: Arrival[] };

import type { CaptureProblem, CaptureSpec } from './capture-protocol.ts';
import { watchStream } from './watch-stream.ts';

/** Between looks at a device that gives nothing, milliseconds. */
const stallCheckMs = 250;

/**
 * Watches that an open device gives what it should.
 * @param onLost it does not; also called when no device is open, and as often as it is noticed.
 */
export function watchDevice(
  { device, source, limits }: Pick<CaptureSpec, 'device' | 'source' | 'limits'>,
  onLost: (code: CaptureProblem['code'], message: string) => void,
): {
  /** It has given something, or has just been opened. */
  heard(): void;
  stop(): void;
} {
  const watching = new AbortController();
  if (source !== null) {
    watchStream({
      source,
      signal: watching.signal,
      onMoved: (other) => onLost('moved', `The audio server moved the recording to “${other}”.`),
      onServerGone: () => onLost('audio-server-gone', 'The audio server has ended.'),
    });
  }
  /** Looks at the device since it was heard. */
  let looks = 0;
  const timer = setInterval(() => {
    // Looks are counted, not time: of a process that was stopped itself the device may have kept it all.
    if ((looks += 1) * stallCheckMs > limits.stallMs)
      onLost('no-data', `“${device}” gives no data.`);
  }, stallCheckMs);

  return {
    heard() {
      looks = 0;
    },
    stop() {
      clearInterval(timer);
      watching.abort();
    },
  };
}

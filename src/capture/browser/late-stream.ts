import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import type { AudioSender, BrowserStream } from './browser-stream.ts';
import type { LateBase } from './late-file.ts';

/** The stream as its browser counts: behind what there was before. */
export function countedBehind(
  inner: BrowserStream,
  { samples: before, rate, channels }: LateBase,
): BrowserStream {
  const counted = new WeakMap<AudioSender, AudioSender>();
  const counting = (sender: AudioSender): AudioSender => {
    const present = counted.get(sender) ?? {
      channels: sender.channels,
      acknowledge: (samples) => sender.acknowledge(before + samples),
      ended: (samples, reason) => sender.ended(before + samples, reason),
      hold: (held) => sender.hold(held),
    };
    counted.set(sender, present);
    return present;
  };
  return {
    layout: { rate, channels },
    get samples() {
      return before + inner.samples;
    },
    measured: null,
    get awaySince() {
      return inner.awaySince;
    },
    get name() {
      return inner.name;
    },
    ended: inner.ended,
    get roomSeconds() {
      return inner.roomSeconds;
    },
    async attach(sender, wanted, held) {
      if (wanted !== rate)
        throw new StageError(failure('sample-rate-differs', { rate }), {
          retriable: false,
        });
      return before + (await inner.attach(counting(sender), wanted, held));
    },
    take: (sender, pcm) => inner.take(counting(sender), pcm),
    takeGap: (sender, samples) => inner.takeGap(counting(sender), samples),
    detach: (sender, reason) => inner.detach(counting(sender), reason),
    leave: (sender) => inner.leave(counting(sender)),
    stop: (sender) => inner.stop(counting(sender)),
    finish: () => inner.finish(),
    pause: (paused) => inner.pause(paused),
    announce: (reason) => inner.announce(reason),
    close: () => inner.close(),
  };
}

/**
 * Times in which nothing was heard although it was wanted, as blocks, context and track tell of them: each is told to the
 * service when it is over. What a person pauses is none.
 */
import type { SentInterruption } from '../../../src/shared/audio-uplink.ts';
import { type Sound, interruptedMs } from './sound.ts';

/** One that goes on: from which sample, since when in milliseconds since 1970, and by what it has come. */
export type Ongoing = { samples: number; from: number; reason: SentInterruption['reason'] };

/** What is known of a recording while it is heard. */
export type Watched = {
  readonly ongoing: Ongoing | null;
  /** When it was looked at last: a page that sleeps looks at nothing. */
  readonly lookedAt: number;
};

export const watchedFrom = (at: number): Watched => ({ ongoing: null, lookedAt: at });

/** So many are told of one recording; the service takes no more. */
export const interruptionsMax = 500;

const finer = ['asleep', 'muted', 'call', 'gone'] as const;

/** After something has happened to what is heard, or time has gone by. Pure. @param samples of the recording by then */
export function watchedAfter(
  { ongoing, lookedAt }: Watched,
  sound: Sound,
  { samples, at }: { samples: number; at: number },
): Watched & { over: SentInterruption | null } {
  const next = { lookedAt: at, over: null };
  if (sound.state === 'opening') return { ...next, ongoing };
  if (sound.state !== 'interrupted' && sound.state !== 'gone')
    return { ...next, ongoing: null, over: ongoing && ended(ongoing, at) };
  const wasAsleep = at - lookedAt > interruptedMs;
  const reason = reasonOf(sound) ?? (wasAsleep ? 'asleep' : undefined);
  const begun = ongoing ?? { samples, from: sound.since, reason };
  return { ...next, ongoing: { ...begun, reason: finerOf(begun.reason, reason) } };
}

/** That goes on, as it is over now; nothing looked at it meanwhile, so the page slept. */
export const missedWhileAsleep = (
  samples: number,
  { from, to }: { from: number; to: number },
): SentInterruption => ended({ samples, from, reason: 'asleep' }, to);

/** One that ends by a pause, or with the recording. */
export const ended = ({ samples, from, reason }: Ongoing, at: number): SentInterruption => ({
  samples,
  from: new Date(from).toISOString(),
  to: new Date(Math.max(from, at)).toISOString(),
  ...(reason === undefined ? {} : { reason }),
});

function reasonOf({ gone, isCall, muted }: Sound): Ongoing['reason'] {
  if (gone) return 'gone';
  if (isCall) return 'call';
  return muted ? 'muted' : undefined;
}

/** What says more of the two. */
const finerOf = (one: Ongoing['reason'], other: Ongoing['reason']): Ongoing['reason'] =>
  finer.findLast((reason) => reason === one || reason === other);

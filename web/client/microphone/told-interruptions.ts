/** Keeps interruptions with the recording until the service has heard of them. */
import type { SentInterruption } from '../../../src/shared/audio-uplink.ts';
import type { AudioLink } from './audio-link.ts';
import { type Watched, ended, interruptionsMax, watchedFrom } from './interruptions.ts';
import type { Leftover } from './leftovers.ts';

type Interrupted = Pick<Leftover, 'kept' | 'store'> & { link: AudioLink; watched: Watched };

/** In this browser first: neither a reload nor a network that is away loses it. */
export function noteInterruption({ kept, store, link }: Interrupted, over: SentInterruption): void {
  const { interruptions = [] } = kept;
  if (interruptions.length >= interruptionsMax) return;
  kept.interruptions = [...interruptions, over];
  store.put(kept).catch((error: unknown) => console.warn(error));
  link.tellInterruptions();
}

/** The one that goes on is over: a person pauses the recording, or ends it. */
export function endInterruption(mine: Interrupted): void {
  const { ongoing } = mine.watched;
  mine.watched = watchedFrom(Date.now());
  if (ongoing !== null) noteInterruption(mine, ended(ongoing, Date.now()));
}

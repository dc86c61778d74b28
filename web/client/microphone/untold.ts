/** What became of recordings while something else was shown: each is said until a person dismisses it. */
import { type Trouble, browserRecording, isOfAnother, trouble } from './browser-recording.ts';

/** The newest first. */
const untold: Trouble[] = [];

/** So many are kept. */
const untoldMost = 50;

/** Of one that is over, to be said as soon as it can be. */
export function noteUntold(what: Trouble): void {
  untold.unshift(what);
  untold.length = Math.min(untold.length, untoldMost);
}

/**
 * Says the next, unless something is recorded.
 * @param isOfShown what was shown until now is over: the next does not wait for the rest of an earlier one
 */
export function tellUntold(isOfShown: boolean): void {
  const now = browserRecording.get();
  const isFree = now === null || (isOfShown && now.state === 'ending');
  const [next] = untold;
  if (!isFree || next === undefined) return;
  const id = next.code === 'ended' ? next.recordingId : null;
  if (!isOfAnother(trouble.get(), id)) dismissTrouble();
}

/** What is said has been read: the next is, if there is one. */
export const dismissTrouble = (): void => trouble.set(untold.shift() ?? null);

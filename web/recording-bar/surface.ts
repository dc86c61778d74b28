/** What is recorded, as every page shows it (`recording-surface.ts`), looked at twice a second while it is shown. */
import { atom, computed, onMount } from 'nanostores';
import { status } from '../client/feed.ts';
import { browserRecording, endedHere } from '../client/microphone/browser-recording.ts';
import { runningElsewhere, surfaceOf } from '../client/microphone/recording-surface.ts';
import { recorded } from '../client/recorded.ts';
import { session } from '../client/session.ts';

/** Between two looks, in milliseconds. */
const lookEvery = 500;
const now = atom(Date.now());
onMount(now, () => {
  now.set(Date.now());
  const timer = setInterval(() => now.set(Date.now()), lookEvery);
  return () => clearInterval(timer);
});

export const surface = computed(
  [browserRecording, status, recorded, endedHere, session, now],
  (here, given, runningSeconds, ended, login, at) =>
    surfaceOf({
      here,
      running: given?.recording ?? null,
      runningSeconds: runningSeconds ?? 0,
      ended,
      user: login?.username,
      now: at,
    }),
);

/** What else is recorded. What this browser recorded to its end still runs there until all of it has arrived. */
export const recordedElsewhere = computed(
  [status, browserRecording, endedHere],
  (given, here, ended) => runningElsewhere({ here, running: given?.recording ?? null, ended }),
);

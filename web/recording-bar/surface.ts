/** What is recorded, as every page shows it (`recording-surface.ts`), looked at again and again while it is shown. */
import { atom, computed, onMount } from 'nanostores';
import { status } from '../client/feed.ts';
import { browserRecording, endedHere, trouble } from '../client/microphone/browser-recording.ts';
import { surfacesOf } from '../client/microphone/recording-surface.ts';
import { recorded } from '../client/recorded.ts';
import { session } from '../client/session.ts';
import { warningsOf } from './warnings.ts';

/** Between two looks, in milliseconds. */
const lookEvery = 250;
const now = atom(Date.now());
onMount(now, () => {
  now.set(Date.now());
  const timer = setInterval(() => now.set(Date.now()), lookEvery);
  return () => clearInterval(timer);
});

/** What the service says that runs, as it is now. */
const running = computed([status, recorded], (given, seconds) =>
  given?.recording
    ? [
        {
          ...given.recording,
          seconds: seconds ?? 0,
          warning: warningsOf(given.recording.warnings)[0]?.message ?? null,
        },
      ]
    : [],
);

/** All that is recorded, this browser's first. */
export const surfaces = computed(
  [browserRecording, running, trouble, endedHere, session, now],
  (here, given, told, ended, login, at) =>
    surfacesOf({
      here,
      running: given,
      ended,
      trouble: told,
      user: login?.username,
      now: Math.max(at, Date.now()),
    }),
);

/** What the bar shows. */
export const surface = computed(surfaces, (all) => all[0] ?? null);

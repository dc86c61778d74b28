/** What is recorded, as every page shows it (`recording-surface.ts`), looked at again and again while it is shown. */
import { atom, computed, onMount } from 'nanostores';
import { status } from '../client/feed.ts';
import { browserRecording, endedHere, trouble } from '../client/microphone/browser-recording.ts';
import { isRecording, surfacesOf } from '../client/microphone/recording-surface.ts';
import { recorded, runningIn, secondsNow } from '../client/recorded.ts';
import { session } from '../client/session.ts';

/** Between two looks, in milliseconds. */
const lookEvery = 250;
const now = atom(Date.now());
onMount(now, () => {
  now.set(Date.now());
  const timer = setInterval(() => now.set(Date.now()), lookEvery);
  return () => clearInterval(timer);
});

/** When the service said what runs, as `performance.now()` counts. */
let saidAt = 0;
status.listen(() => (saidAt = performance.now()));

/** What the service says that runs, as it is now. */
const running = computed([status, recorded], (given, seconds) =>
  runningIn(given).map((one) => ({
    ...one,
    recorder: one.source.name,
    // The one that is told of elsewhere, too, has the same seconds there.
    seconds:
      one.recording_id === given?.recording?.recording_id
        ? (seconds ?? 0)
        : secondsNow(one, performance.now() - saidAt),
    warning: one.warnings[0]?.message ?? null,
  })),
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
      login,
      now: Math.max(at, Date.now()),
    }),
);

/** What the bar shows. */
export const surface = computed(surfaces, (all) => all[0] ?? null);

/** What is recorded, behind messages, too; else the same without what is still sent: whether something else can be begun. */
export const goingOn = computed(
  surfaces,
  (all) => all.find(isRecording) ?? all.find(({ state }) => state !== 'ending') ?? null,
);

/** What pages show of what this browser records (`browserRecording`). */
import { type BrowserRecording, browserRecording } from './browser-recording.ts';
import type { Kept } from './audio-store.ts';
import { type Sound, openingSound } from './sound.ts';

/** A recording, and the samples there are of it, and of them those that would outlive this page. */
type Recorded = { readonly kept: Kept; readonly total: number; readonly safe: number };

/** Before anything was heard. */
export const silent = () => ({
  linked: false,
  level: { rms: 0, peak: 0 },
  sides: null,
  lost: null,
  inMemory: false,
  missed: null,
  sound: openingSound(Date.now()),
  since: Date.now(),
  seconds: 0,
  safe: 0,
  onDisk: 0,
});

export const secondsOf = (samples: number, { kept }: Pick<Recorded, 'kept'>): number =>
  samples / kept.rate;

/** Shows a recording from now on, in a state. @param sound what is heard of it, where it is heard again */
export function showAs(
  state: BrowserRecording['state'],
  recorded: Recorded & { readonly sound?: Sound },
): void {
  const { id, recordingId, kind, source, startedAt, user, userId, pausedAt } = recorded.kept;
  const former = browserRecording.get();
  const before = former?.id === id ? former : silent();
  const isSame = former?.id === id && former.state === state;
  browserRecording.set({
    ...before,
    id,
    recordingId,
    kind,
    source,
    startedAt,
    user,
    userId,
    state,
    since: (state === 'paused' ? pausedAt : undefined) ?? (isSame ? before.since : Date.now()),
    sound: recorded.sound ?? before.sound,
    ...amounts(recorded),
  });
}

/** What is other now of the recording that is shown; of another nothing. */
export function showPart(recorded: Recorded, part: Partial<BrowserRecording> = {}): void {
  const before = browserRecording.get();
  if (before?.id === recorded.kept.id)
    browserRecording.set({ ...before, ...amounts(recorded), ...part });
}

function amounts(recorded: Recorded): Pick<BrowserRecording, 'seconds' | 'safe' | 'onDisk'> {
  const { acknowledged } = recorded.kept;
  return {
    seconds: secondsOf(recorded.total, recorded),
    safe: secondsOf(Math.max(recorded.safe, acknowledged), recorded),
    onDisk: secondsOf(acknowledged, recorded),
  };
}

/** What pages show of what this browser records (`browserRecording`). */
import { type BrowserRecording, browserRecording } from './browser-recording.ts';
import type { Kept } from './audio-store.ts';

/** A recording, and the samples there are of it. */
type Recorded = { readonly kept: Kept; readonly total: number };

/** Before anything was heard. */
export const silent = { linked: false, level: { rms: 0, peak: 0 }, lost: null };

export const secondsOf = (samples: number, { kept }: Recorded): number => samples / kept.rate;

/** Shows a recording from now on, in a state. */
export function showAs(state: BrowserRecording['state'], recorded: Recorded): void {
  const { id, recordingId, kind, source, acknowledged } = recorded.kept;
  const before = browserRecording.get();
  browserRecording.set({
    ...(before?.id === id ? before : silent),
    id,
    recordingId,
    kind,
    source,
    state,
    seconds: secondsOf(recorded.total, recorded),
    onDisk: secondsOf(acknowledged, recorded),
  });
}

/** What is other now of the recording that is shown; of another nothing. */
export function showPart({ kept }: Recorded, part: Partial<BrowserRecording>): void {
  const before = browserRecording.get();
  if (before?.id === kept.id) browserRecording.set({ ...before, ...part });
}

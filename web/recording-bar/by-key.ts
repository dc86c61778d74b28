/** What keys do with what is recorded, on every page. */
import { router } from '../app/routes.ts';
import { isRecording } from '../client/microphone/recording-surface.ts';
import { actsOf, askAside } from './acts.ts';
import { record } from './begin.ts';
import { markMoment, mayMark } from './mark.ts';
import { goingOn } from './surface.ts';

export type RecordingAction = 'record' | 'stop' | 'pause' | 'mark';

/** @returns false when there is nothing to be done */
export function actByKey(action: RecordingAction): boolean {
  const now = goingOn.get();
  if (!isRecording(now)) {
    if (action !== 'record') return false;
    void record();
    return true;
  }
  if (action === 'record') {
    // While it records: its note.
    if (now.recordingId !== null) router.open(`/notes/${now.recordingId}`);
    return now.recordingId !== null;
  }
  if (action === 'mark') {
    if (mayMark(now)) markMoment(now);
    return mayMark(now);
  }
  if (now.state === 'opening') return false;
  const acts = actsOf(now);
  if (action === 'stop') void askAside(acts.stop);
  else if (now.state === 'held' || now.state === 'interrupted')
    void askAside(() => acts.goOn(now.state === 'held'));
  else void askAside(() => acts.pause(!now.isPaused));
  return true;
}

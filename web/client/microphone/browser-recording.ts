/** What this browser records, or still holds of what it recorded; small, for every page to show. */
import { persistentAtom } from '@nanostores/persistent';
import { atom } from 'nanostores';
import type { AudioSource, Kept } from './audio-store.ts';

export type BrowserRecording = Pick<Kept, 'id' | 'recordingId' | 'kind' | 'source'> & {
  /**
   * `held`: from before a reload or a closed tab, wants to be gone on with or ended; `ending`: nothing more
   * is recorded, what is here is sent.
   */
  state: 'starting' | 'recording' | 'paused' | 'held' | 'ending';
  /** Seconds recorded, and those of them that the service has on its disk. */
  seconds: number;
  onDisk: number;
  /** Whether the service takes what is sent. */
  linked: boolean;
  level: { rms: number; peak: number };
  /** What is gone: a microphone is taken again when it is back; a tab is no longer shared. */
  lost: Lost;
};

/** Which sound has ended by itself. */
export type Lost = 'microphone' | 'tab' | null;

export const browserRecording = atom<BrowserRecording | null>(null);

/** Whether this browser may hold audio that the service lacks; else nothing has to be looked for. */
export const audioHeld = persistentAtom<'yes' | undefined>('mitschrift.audio-held');

/** Why a recording was not begun, or ended otherwise than it was wanted. */
export type Trouble =
  | { code: 'no-permission' | 'no-microphone' | 'no-tab-sound' | 'no-storage' | 'needs-press' }
  | { code: 'tab-ended' }
  | { code: 'refused'; detail: string }
  /** `isWhole`: the service has all of it; else the rest is still here. */
  | { code: 'ended'; detail: string; isWhole: boolean }
  /** `isAskedAgain`: by itself; else when a person says so. */
  | { code: 'not-taken'; detail: string; isAskedAgain: boolean };

export const trouble = atom<Trouble | null>(null);

/** What this browser can record from; `insecure`: nothing, because the page is not on https. */
export function sourcesHere(): { insecure: boolean; sources: AudioSource[] } {
  if (!isSecureContext || navigator.mediaDevices === undefined) {
    return { insecure: !isSecureContext, sources: [] };
  }
  // A tab's sound is handed out by Chromium on computers alone, which says who it is.
  const { userAgentData } = navigator as { userAgentData?: { mobile: boolean } };
  const sharesTabs = userAgentData?.mobile === false && 'getDisplayMedia' in navigator.mediaDevices;
  return { insecure: false, sources: sharesTabs ? ['microphone', 'tab', 'both'] : ['microphone'] };
}

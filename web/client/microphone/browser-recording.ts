/** What this browser records, or still holds of what it recorded; small, for every page to show. */
import { persistentAtom } from '@nanostores/persistent';
import { atom } from 'nanostores';
import type { AudioSource, Kept } from './audio-store.ts';
import type { Level } from './pcm.ts';
import type { Sound } from './sound.ts';

export type BrowserRecording = Pick<
  Kept,
  'id' | 'user' | 'userId' | 'recordingId' | 'kind' | 'source' | 'startedAt'
> & {
  /**
   * `held`: from before a reload or a closed tab, wants to be gone on with or ended; `ending`: nothing more
   * is recorded, what is here is sent.
   */
  state: 'starting' | 'recording' | 'paused' | 'held' | 'ending';
  /** Seconds recorded, those of them that would outlive this page, and those that the service has on its disk. */
  seconds: number;
  safe: number;
  onDisk: number;
  /** Whether this browser's disk takes no more: what is not sent yet is in this page's memory. */
  inMemory: boolean;
  /** Whether it is heard; only while it records. */
  sound: Pick<Sound, 'state' | 'since' | 'blockAt'>;
  /** The last time that nothing was heard, in milliseconds since 1970. */
  missed: { from: number; to: number } | null;
  /** Since when it is in its state, in milliseconds since 1970. */
  since: number;
  /** Whether the service takes what is sent. */
  linked: boolean;
  level: Level;
  /** The same of microphone and tab, where each has a channel. */
  sides: readonly [Level, Level] | null;
  /** What is gone: a microphone is taken again when it is back; a tab is no longer shared. */
  lost: Lost;
};

/** Which sound has ended by itself. */
export type Lost = 'microphone' | 'tab' | null;

export const browserRecording = atom<BrowserRecording | null>(null);

/** The service's ids of what this browser ended last: until it has the rest, the service still speaks of them. */
export const endedHere = atom<ReadonlySet<string>>(new Set());

/** So many are kept. */
const endedMost = 50;

/** @param id null: the service has not heard of it */
export function noteEndedHere(id: string | null): void {
  const before = endedHere.get();
  if (id !== null && !before.has(id)) endedHere.set(new Set([...before, id].slice(-endedMost)));
}

/** The same of what was deleted last while it was recorded, wherever; null: the service had not heard of it. */
export const discarded = atom<string | null | undefined>(undefined);

/** Whether a microphone, or a tab's sound, is open here. */
export const isListening = (recording: BrowserRecording | null): boolean =>
  recording?.state === 'starting' || recording?.state === 'recording';

/** Whether this browser may hold audio that the service lacks; else nothing has to be looked for. */
export const audioHeld = persistentAtom<'yes' | undefined>('mitschrift.audio-held');

/** Why a recording was not begun, or ended otherwise than it was wanted. */
export type Trouble =
  /** `isUnbegun`: none began, so it is of no recording. */
  | { code: 'no-permission' | 'no-microphone' | 'no-tab' | 'no-tab-sound'; isUnbegun?: true }
  | {
      code: 'no-storage' | 'needs-press' | 'insecure' | 'not-loaded' | 'other-rate';
      isUnbegun?: true;
    }
  | { code: 'tab-ended' }
  | { code: 'refused'; detail: string; isUnbegun?: true }
  /** `isWhole`: the service has all of it, `seconds`; else the rest is still here. */
  | {
      code: 'ended';
      detail: string;
      isWhole: boolean;
      recordingId: string | null;
      seconds: number;
    }
  /** `isAskedAgain`: by itself; else when a person says so. */
  | { code: 'not-taken'; detail: string; isAskedAgain: boolean };

export const trouble = atom<Trouble | null>(null);

/**
 * Whether it is of another recording than this one, or of none that began. Of two that the service has not heard of,
 * neither is told by its id.
 */
export function isOfAnother(what: Trouble | null, recordingId: string | null): boolean {
  if (what?.code !== 'ended') return what !== null && 'isUnbegun' in what;
  return recordingId === null || what.recordingId !== recordingId;
}

/** What this browser can record from, as it is offered; `insecure`: nothing, because the page is not on https. */
export function sourcesHere(): { insecure: boolean; sources: AudioSource[] } {
  if (!isSecureContext || navigator.mediaDevices === undefined) {
    return { insecure: !isSecureContext, sources: [] };
  }
  // A tab's sound is handed out by Chromium on computers alone, which says who it is.
  const { userAgentData } = navigator as { userAgentData?: { mobile: boolean } };
  const sharesTabs = userAgentData?.mobile === false && 'getDisplayMedia' in navigator.mediaDevices;
  return { insecure: false, sources: sharesTabs ? ['microphone', 'both', 'tab'] : ['microphone'] };
}

/** Plays a passage that was found, while the list of what was found stays. */
import { atom } from 'nanostores';
import { openTicket } from '../recording/ticket.ts';

export type HitPlayed = {
  recordingId: string;
  /** Which of the passages: recording and place. */
  key: string;
  title: string;
  speaker: string | null;
  start: number;
};

/** Where it is, in seconds; `length` null until the audio says it. */
export type HitPlace = { time: number; length: number | null; paused: boolean; failed: boolean };

export function openHitPlayer() {
  const played = atom<HitPlayed | null>(null);
  const place = atom<HitPlace>({ time: 0, length: null, paused: true, failed: false });
  let audio: HTMLAudioElement | null = null;
  let ending: AbortController | undefined;

  function close(): void {
    ending?.abort();
    ending = undefined;
    if (audio !== null) {
      audio.pause();
      audio.removeAttribute('src');
      audio.load();
    }
    audio = null;
    played.set(null);
  }

  /** One audio element for a note: its passages are places in it. */
  async function open(recordingId: string): Promise<HTMLAudioElement | null> {
    ending?.abort();
    audio?.pause();
    const mine = (ending = new AbortController());
    const { signal } = mine;
    const element = (audio = new Audio());
    element.preload = 'metadata';
    const look = () => {
      const { currentTime: time, duration, paused, error } = element;
      const length = Number.isFinite(duration) ? duration : null;
      place.set({ time, length, paused, failed: error !== null });
    };
    for (const name of ['timeupdate', 'play', 'pause', 'durationchange', 'ended', 'error'] as const)
      element.addEventListener(name, look, { signal });
    try {
      const given = await openTicket(recordingId, signal).get();
      if (signal.aborted) return null;
      element.src = `/recordings/${recordingId}/audio?ticket=${given}`;
      return element;
    } catch {
      if (!signal.aborted) place.set({ time: 0, length: null, paused: true, failed: true });
      return null;
    }
  }

  return {
    played,
    place,
    /** Plays a passage; pressed again, it pauses and goes on. */
    async press(hit: HitPlayed): Promise<void> {
      const before = played.get();
      if (before?.key === hit.key && audio !== null && !place.get().failed) {
        if (audio.paused) await audio.play().catch(() => undefined);
        else audio.pause();
        return;
      }
      played.set(hit);
      const isSameNote = before?.recordingId === hit.recordingId && !place.get().failed;
      const element = isSameNote ? audio : await open(hit.recordingId);
      if (element === null || played.get()?.key !== hit.key) return;
      element.currentTime = hit.start;
      await element.play().catch(() => undefined);
    },
    toggle(): void {
      if (audio?.paused) void audio.play().catch(() => undefined);
      else audio?.pause();
    },
    close,
  };
}

export type HitPlayer = ReturnType<typeof openHitPlayer>;

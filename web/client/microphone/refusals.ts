/** What it means that the service refuses a recording which this browser still sends, and how often it is asked again. */
import { api } from '../api.ts';
import type { Kept } from './audio-store.ts';

/** Waits between tries, in milliseconds: a quarter of an hour of them. Then only a person, or a reload, asks. */
const waits = [2000, 4000, 8000, 16_000, ...Array<number>(29).fill(30_000)];

/** Asks again what was refused for now, ever less often, and a limited number of times. */
export interface Tries {
  /** @returns false when all are used up: nothing asks any more by itself */
  again(): boolean;
  /** Asks now, with all of them. */
  now(): void;
  /** It was taken: what is refused later has all of them. */
  taken(): void;
  stop(): void;
}

export function triesOf(ask: () => void): Tries {
  let made = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    again() {
      clearTimeout(timer);
      const wait = waits[made];
      if (wait === undefined) return false;
      made += 1;
      timer = setTimeout(ask, wait);
      return true;
    },
    now() {
      clearTimeout(timer);
      made = 0;
      ask();
    },
    taken: () => void (made = 0),
    stop: () => clearTimeout(timer),
  };
}

/** Whether a refusal means that nothing more is taken for a recording, ever. */
const isGone = (code: string, recordingId: string | null): boolean =>
  ['not-recording', 'rate-differs', 'not-found'].includes(code) ||
  // Its beginning is the same at each try: what is not valid never is.
  (code === 'not-understood' && recordingId === null);

/**
 * What a refusal comes to. `gone`: nothing more of it is ever taken; `again`: it is asked again by itself;
 * `given-up`: it is no longer.
 * @param code of the service's warning
 */
export async function afterRefusal(
  { recordingId, isOver }: Pick<Kept, 'recordingId' | 'isOver'>,
  code: string,
  tries: Tries,
): Promise<'gone' | 'again' | 'given-up'> {
  if (isGone(code, recordingId)) return 'gone';
  if (code === 'recording-paused' && isOver && recordingId !== null) {
    // The rest of a paused one is taken when that goes on. Whether it does is seen at the next try.
    const path = { id: recordingId };
    await api.POST('/recordings/{id}/resume', { params: { path } }).catch(() => undefined);
  }
  return tries.again() ? 'again' : 'given-up';
}

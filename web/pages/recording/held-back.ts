/** A player that does not speak into the microphone of the same browser unawares. */
import { type ReadableAtom, atom } from 'nanostores';
import { browserRecording, isListening } from '../../client/microphone/browser-recording.ts';
import type { Player } from './player.ts';

export type HeldPlayer = Player & {
  /** It was to play, and would have been recorded: who asks again wants that. */
  held: ReadableAtom<boolean>;
};

/** The first time that it is to play while this browser records it does not. @param signal ends it */
export function heldBack(player: Player, signal: AbortSignal): HeldPlayer {
  const held = atom(false);
  const forget = browserRecording.subscribe((recording) => {
    if (!isListening(recording)) held.set(false);
  });
  signal.addEventListener('abort', forget);
  /** @returns whether it is held back now */
  const back = (): boolean => {
    if (held.get() || !isListening(browserRecording.get())) return false;
    held.set(true);
    return true;
  };
  return {
    ...player,
    held,
    play(from, until) {
      if (!back()) player.play(from, until);
      else if (from !== undefined) player.seek(from);
    },
    toggle() {
      if (!player.audio.paused || !back()) player.toggle();
    },
  };
}

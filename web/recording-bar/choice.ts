/** What is recorded next, and from what: as it was chosen last in this browser. */
import { persistentAtom } from '@nanostores/persistent';
import type { AudioSource } from '../client/microphone/audio-store.ts';

export const chosenKind = persistentAtom<'meeting' | 'solo'>('mitschrift.kind', 'meeting');

/** `device`: of the server's computer. */
export type ChosenSource = 'device' | AudioSource;
/** Undefined: what is there. */
export const chosenSource = persistentAtom<ChosenSource | undefined>('mitschrift.source');

/**
 * What is recorded from: what was chosen; else, at the service's own computer, its devices; anywhere else one's own
 * microphone, which is the one that one means. Of a list that has not come, nothing is said.
 * @param devices of the service's computer
 */
export function sourceOf(
  chosen: ChosenSource | undefined,
  sources: readonly AudioSource[],
  devices: { devices: readonly string[]; here: boolean } | null,
): ChosenSource {
  if (chosen === 'device' || (chosen !== undefined && sources.includes(chosen))) return chosen;
  const isRoomHere = devices?.here === true && devices.devices.length > 0;
  return isRoomHere ? 'device' : (sources[0] ?? 'device');
}

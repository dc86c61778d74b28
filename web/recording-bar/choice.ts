/** What is recorded next, and from what: as it was chosen last in this browser. */
import { persistentAtom } from '@nanostores/persistent';
import type { AudioSource } from '../client/microphone/audio-store.ts';

export const chosenKind = persistentAtom<'meeting' | 'solo'>('mitschrift.kind', 'meeting');

/** The folder of what is recorded with options, by id; '' is none. */
export const chosenFolder = persistentAtom<string>('mitschrift.folder', '');

/** `device`: of the server's computer, the default one or by its id. */
export type ChosenSource = 'device' | `device:${string}` | AudioSource;
/** Undefined: what is there. */
export const chosenSource = persistentAtom<ChosenSource | undefined>('mitschrift.source');

export const isDevice = (source: ChosenSource): source is 'device' | `device:${string}` =>
  source.startsWith('device');

/** The id of a recorder of the server; undefined: its default one. */
export const recorderOf = (source: ChosenSource): string | undefined =>
  source.startsWith('device:') ? source.slice('device:'.length) : undefined;

/**
 * What is recorded from: what was chosen; else, at the service's own computer, its devices; anywhere else one's own
 * microphone, which is the one that one means. Of a list that has not come, nothing is said.
 * @param given what there is at the server
 */
export function sourceOf(
  chosen: ChosenSource | undefined,
  sources: readonly AudioSource[],
  given: { recorders: readonly object[]; here: boolean } | null,
): ChosenSource {
  if (chosen !== undefined && (isDevice(chosen) || sources.includes(chosen))) return chosen;
  const isRoomHere = given?.here === true && given.recorders.length > 0;
  return isRoomHere ? 'device' : (sources[0] ?? 'device');
}

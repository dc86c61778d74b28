/** What is recorded, here and elsewhere, and what the large control does with the device of the service's computer. */
import { persistentAtom } from '@nanostores/persistent';
import { atom, computed } from 'nanostores';
import { ApiError, answer, api } from '../../../client/api.ts';
import { onFrame } from '../../../client/feed.ts';
import type { AudioSource } from '../../../client/microphone/audio-store.ts';
import {
  browserRecording,
  sourcesHere,
  trouble,
} from '../../../client/microphone/browser-recording.ts';
import { microphone } from '../../../recording-bar/acts.ts';

/** What this browser records, or holds. What only is sent to its end is over for people. */
export const recordedHere = computed(browserRecording, (recording) =>
  recording?.state === 'ending' ? null : recording,
);

/** Whether what is recorded becomes text; undefined before the service has said it. */
export const recognises = atom<boolean | undefined>(undefined);

/** Keeps that up to date. As long as it is not said, nothing is missing. @returns how to stop */
export function followEngine(): () => void {
  const ask = (): Promise<unknown> =>
    answer(api.GET('/recognition')).then(
      ({ chosen }) => recognises.set(chosen),
      () => undefined,
    );
  void ask();
  // A model has come, or is gone.
  return onFrame((frame) => {
    if (frame.type === 'model' && frame.phase === null) void ask();
  });
}

/** What was chosen last in this browser. */
export const chosenKind = persistentAtom<'meeting' | 'solo'>('mitschrift.kind', 'meeting');

/** @throws {ApiError} the device is taken, gone, or there is none. */
const startDevice = (kind: 'meeting' | 'solo') =>
  answer(api.POST('/toggle', { body: { action: 'start', kind } }));

const commands = {
  pause: '/recordings/{id}/pause',
  resume: '/recordings/{id}/resume',
  discard: '/recordings/{id}/discard',
  retry: '/recordings/{id}/retry',
  clear: '/recordings/{id}/clear',
} as const;

/** One word to one recording. @throws {ApiError} */
export const command = (verb: keyof typeof commands, id: string) =>
  answer(api.POST(commands[verb], { params: { path: { id } } }));

export type ChosenSource = 'device' | AudioSource;
/** Where it was recorded from last; undefined: what is there. */
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

/** Begins a recording, of the kind that was chosen last. @throws {ApiError} of a device */
export async function startFrom(source: ChosenSource): Promise<void> {
  if (source === 'device') await startDevice(chosenKind.get());
  else await (await microphone()).start(chosenKind.get(), source);
}

/** By one press, wherever one is; why not is in `trouble`. */
export async function startAtOnce(): Promise<void> {
  try {
    await startFrom(sourceOf(chosenSource.get(), sourcesHere().sources, null));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    trouble.set({ code: 'refused', detail: error.problem.detail ?? error.problem.title });
  }
}

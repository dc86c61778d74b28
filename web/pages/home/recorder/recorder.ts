/** What is recorded, here and elsewhere, and what the large control does with the device of the service's computer. */
import { persistentAtom } from '@nanostores/persistent';
import { atom, computed } from 'nanostores';
import { answer, api } from '../../../client/api.ts';
import { onFrame, status } from '../../../client/feed.ts';
import type { AudioSource } from '../../../client/microphone/audio-store.ts';
import { browserRecording } from '../../../client/microphone/browser-recording.ts';

/** What this browser records, or holds. What only is sent to its end is over for people. */
export const recordedHere = computed(browserRecording, (recording) =>
  recording?.state === 'ending' ? null : recording,
);

/** What else is recorded. What this browser recorded to its end still runs there until all of it has arrived. */
export const recordedElsewhere = computed([status, browserRecording], (now, recording) => {
  const running = now?.recording ?? null;
  return running?.recording_id === recording?.recordingId ? null : running;
});

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
export const startDevice = (kind: 'meeting' | 'solo') =>
  answer(api.POST('/toggle', { body: { action: 'start', kind } }));

/** @throws {ApiError} */
export const stopDevice = () => answer(api.POST('/toggle', { body: { action: 'stop' } }));

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

/** The browser's part of recording, loaded when it is wanted. */
export const microphone = () => import('../../../client/microphone/microphone.ts');

/** What the large control does with the device of the service's computer. */
import { answer, api } from '../../../client/api.ts';
import type { AudioSource } from '../../../client/microphone/audio-store.ts';
import { persistentAtom } from '@nanostores/persistent';

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

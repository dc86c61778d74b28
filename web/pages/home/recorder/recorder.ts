/** Whether what is recorded becomes text, and single words to a recording. */
import { atom } from 'nanostores';
import { answer, api } from '../../../client/api.ts';
import { onFrame } from '../../../client/feed.ts';

/** Undefined before the service has said it. */
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

/** One word to one recording. @throws {ApiError} */
export const command = (verb: 'retry' | 'clear', id: string) =>
  answer(api.POST(`/recordings/{id}/${verb}`, { params: { path: { id } } }));

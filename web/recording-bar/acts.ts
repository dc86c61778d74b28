/** What the controls of a recording do, here or of another browser or device. */
import { toast } from '../app/toasts.ts';
import { answer, api } from '../client/api.ts';
import { openAsking } from '../client/asking.ts';
import type { AudioSource } from '../client/microphone/audio-store.ts';
import { browserRecording, noteEndedHere } from '../client/microphone/browser-recording.ts';
import type { Surface } from '../client/microphone/recording-surface.ts';

export type Acts = {
  stop(): Promise<unknown>;
  pause(isPaused: boolean): Promise<unknown>;
  cancel(): Promise<unknown>;
  /** Goes on with what was interrupted. @param isHeld it is from before a reload, or a closed tab */
  goOn(isHeld: boolean): Promise<unknown>;
};

/** The browser's part of recording, loaded when it is wanted. */
export const microphone = () => import('../client/microphone/microphone.ts');

/** Done here at once; the service is told. */
export const byThisBrowser: Acts = {
  stop: async () => await (await microphone()).stop(),
  pause: async (isPaused) => await (await microphone()).pause(isPaused),
  cancel: async () => (await microphone()).giveUp(),
  async goOn(isHeld) {
    const { goOn, revive } = await microphone();
    await (isHeld ? goOn() : revive());
  },
};

/** What this browser records comes from something else from now on. */
export const changeSource = async (source: AudioSource): Promise<void> =>
  await (await microphone()).changeSource(source);

/** Deletes one that runs: what this browser records, or still sends, is gone here at once. @throws {ApiError} */
export async function discardRunning(id: string): Promise<void> {
  if (browserRecording.get() !== null && (await (await microphone()).discard(id))) return;
  await answer(api.POST('/recordings/{id}/discard', { params: { path: { id } } }));
}

/** Asked of the service. @throws {ApiError} */
export const bySomebody = ({ recordingId: id }: Pick<Surface, 'recordingId'>): Acts => {
  const params = { params: { path: { id: id! } } };
  return {
    async stop() {
      await answer(api.POST('/recordings/{id}/stop', params));
      noteEndedHere(id);
    },
    pause: (isPaused) =>
      answer(api.POST(`/recordings/{id}/${isPaused ? 'pause' : 'resume'}`, params)),
    cancel: async () => {},
    goOn: async () => {},
  };
};

/** Asks by a key, or in a menu that is closed by then: a message says what is refused. */
export async function askAside(work: () => Promise<unknown>): Promise<void> {
  const { ask, problem } = openAsking();
  await ask(work);
  const refused = problem.get();
  if (refused !== null) toast(refused.detail ?? refused.title);
}

/** Of this browser what it records, of others through the service. */
export const actsOf = (now: Surface): Acts =>
  now.state === 'elsewhere' || now.state === 'room' ? bySomebody(now) : byThisBrowser;

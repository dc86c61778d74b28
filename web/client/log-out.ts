/** Ends the login of this browser, and all that this browser keeps of whoever used it. */
import { answer, api } from './api.ts';
import type { AudioStore } from './microphone/audio-store.ts';
import { audioHeld } from './microphone/browser-recording.ts';
import { logOutBy } from './session.ts';

/** How long a service that does not answer may be in the way, in milliseconds. */
const patience = 3000;

/** Here the session ends, whatever the service says; it is told with the session that ends. */
export async function logOut(): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, patience));
  await logOutBy(() => Promise.race([answer(api.POST('/logout')).catch(() => undefined), late]));
}

/** Audio in this browser, of whomever, that the service does not have. Seconds; null: there may be some, which cannot be opened. */
export async function unsavedSeconds(): Promise<number | null> {
  const store = await storeHere();
  if (store === null) return audioHeld.get() === undefined ? 0 : null;
  let seconds = 0;
  for (const kept of await store.all()) {
    if (kept.isDiscarded) continue;
    seconds += ((await store.total(kept)) - kept.acknowledged) / kept.rate;
  }
  return seconds;
}

/** Logs out and removes audio, drafts, names of unfinished uploads and settings. The page is to be loaded again. */
export async function logOutAndForget(): Promise<void> {
  await logOut();
  const store = await storeHere();
  for (const { id } of (await store?.all()) ?? []) await store!.remove(id);
  if (store === null) await removeUnopened();
  localStorage.clear();
  sessionStorage.clear();
}

async function removeUnopened(): Promise<void> {
  const { deleteAudioStore } = await import('./microphone/audio-store.ts');
  await deleteAudioStore().catch((error: unknown) => console.warn(error));
}

/** Null: this browser keeps nothing (a private window of some), or it cannot be opened. */
async function storeHere(): Promise<AudioStore | null> {
  const { openAudioStore } = await import('./microphone/audio-store.ts');
  return await openAudioStore().catch(() => null);
}

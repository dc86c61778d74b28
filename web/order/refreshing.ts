/** Of how many notes the documents are still being written with their folder and tags. */
import { atom, onMount } from 'nanostores';
import { ApiError, answer, api } from '../client/api.ts';
import { status } from '../client/feed.ts';

export const refreshing = atom(0);

/** While some are left, nothing tells that the last is done: it is asked for so often, milliseconds. */
const againMs = 3000;

onMount(refreshing, () => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (left: number) => {
    refreshing.set(left);
    clearTimeout(timer);
    if (left > 0) timer = setTimeout(() => void read(), againMs);
  };
  async function read(): Promise<void> {
    try {
      take((await answer(api.GET('/status'))).refreshing);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      take(refreshing.get());
    }
  }
  const stop = status.subscribe((now) => now !== null && take(now.refreshing));
  return () => {
    stop();
    clearTimeout(timer);
  };
});

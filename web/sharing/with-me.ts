/** Whether others share anything with the person; undefined until it is known. */
import { atom, onMount } from 'nanostores';
import { ApiError, answer, api } from '../client/api.ts';
import { onFrame } from '../client/feed.ts';

export const hasSharedWithMe = atom<boolean | undefined>(undefined);

onMount(hasSharedWithMe, () => {
  void look();
  return onFrame((frame) => {
    if (frame.type === 'access') void look();
  });
});

async function look(): Promise<void> {
  const query = { shared: 'with-me', limit: 1 } as const;
  try {
    const { transcripts } = await answer(api.GET('/transcripts', { params: { query } }));
    hasSharedWithMe.set(transcripts.length > 0);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

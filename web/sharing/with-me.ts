import { answer, api } from '../client/api.ts';
import { onFrame } from '../client/feed.ts';
import { openReading } from '../client/reading.ts';

/** Whether others share anything with the person; null until it is known. */
export const { value: hasSharedWithMe } = openReading(
  async () => {
    const query = { shared: 'with-me', limit: 1 } as const;
    const { transcripts } = await answer(api.GET('/transcripts', { params: { query } }));
    return transcripts.length > 0;
  },
  (again) => onFrame((frame) => frame.type === 'access' && again()),
);

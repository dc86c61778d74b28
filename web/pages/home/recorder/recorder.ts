/** Whether what is recorded becomes text, and single words to a recording. */
import { answer, api } from '../../../client/api.ts';
import { onFrame } from '../../../client/feed.ts';
import { openReading } from '../../../client/reading.ts';

/** As long as it is not said, nothing is missing. */
export const { value: recognises } = openReading(
  async () => (await answer(api.GET('/recognition'))).chosen,
  (again) =>
    onFrame((frame) => {
      // A model has come, or is gone.
      if (frame.type === 'model' && frame.phase === null) again();
    }),
);

/** One word to one recording. @throws {ApiError} */
export const command = (verb: 'retry' | 'clear', id: string) =>
  answer(api.POST(`/recordings/{id}/${verb}`, { params: { path: { id } } }));

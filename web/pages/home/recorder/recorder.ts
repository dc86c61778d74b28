/** Whether what is recorded becomes text, and single words to a recording. */
import { answer, api, problemIn } from '../../../client/api.ts';
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
export async function command(verb: 'retry' | 'clear', id: string): Promise<void> {
  try {
    await answer(api.POST(`/recordings/{id}/${verb}`, { params: { path: { id } } }));
  } catch (error) {
    const { status, recording_status: is = 'ERROR' } = problemIn(error);
    // An error that somebody dismissed, or tried again, meanwhile is gone as it was to be.
    if (verb !== 'clear' || status !== 409 || is === 'ERROR') throw error;
  }
}

/** What a recording's page knows: the recording as the service last said it, kept fresh by the feed. */
import { type ReadableAtom, atom } from 'nanostores';
import { ApiError, type Problem, type Schema, answer, api } from '../../client/api.ts';
import { onFrame } from '../../client/feed.ts';
import { type SpeakerMark, speakerMark, speakerNumberOf } from '../../components/speaker-marks.ts';

export type Recording = Schema<'Recording'>;
export type Turn = Recording['utterances'][number];
export type SummaryLine = Recording['summary']['lines'][number];

/** `etag` names what the turns say, for `If-Match`. */
export type Shown = { recording: Recording; etag: string };
export type RecordingState =
  | { state: 'loading' }
  | { state: 'there'; shown: Shown }
  | { state: 'missing' }
  | { state: 'failed'; problem: Problem };

export type OpenRecording = {
  state: ReadableAtom<RecordingState>;
  /** Asks again, and resolves when the answer is shown. */
  refresh(): Promise<void>;
  close(): void;
};

/**
 * Opens a recording and follows it: whenever a fact of it comes, it is read again.
 * @param changed is called with the paths of documents that were saved
 */
export function openRecording(
  id: string,
  saved: (paths: Schema<'DocumentPaths'>) => void = () => undefined,
): OpenRecording {
  const state = atom<RecordingState>({ state: 'loading' });
  let reading: Promise<void> | undefined;
  let again = false;

  const read = async (): Promise<void> => {
    try {
      const asked = api.GET('/recordings/{id}', { params: { path: { id } } });
      const recording = await answer(asked);
      const etag = (await asked).response.headers.get('ETag') ?? '';
      state.set({ state: 'there', shown: { recording, etag } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.problem.status === 404) state.set({ state: 'missing' });
      // What is shown stays: the strip above the page says that the service is away.
      else if (state.get().state !== 'there')
        state.set({ state: 'failed', problem: error.problem });
    }
  };

  /** One request at a time; of those that come meanwhile one more. */
  const refresh = async (): Promise<void> => {
    if (reading !== undefined) {
      again = true;
      return await reading;
    }
    reading = (async () => {
      do {
        again = false;
        await read();
      } while (again);
    })().finally(() => (reading = undefined));
    return await reading;
  };

  const stop = onFrame((frame) => {
    if (!('recording_id' in frame) || frame.recording_id !== id) return;
    if (frame.type === 'saved') saved(frame.paths);
    if (frame.type === 'transition' || frame.type === 'progress') void refresh();
  });
  void refresh();
  return { state, refresh, close: stop };
}

/** A speaker as a page shows them. */
export type Speaker = { label: string; name: string; mark: SpeakerMark; seconds: number };

/**
 * The speakers of a recording in the order of first speech.
 * @param unnamed what is shown of a speaker without a name, by number
 */
export function speakersOf(
  recording: Pick<Recording, 'speakers'>,
  unnamed: (number: number) => string,
): Map<string, Speaker> {
  const speakers = recording.speakers.map(({ label, name, seconds }) => ({
    label,
    name: name === null || name === '' ? unnamed(speakerNumberOf(label)) : name,
    mark: speakerMark(label, name),
    seconds,
  }));
  return new Map(speakers.map((speaker) => [speaker.label, speaker]));
}

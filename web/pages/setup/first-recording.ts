/** The first recording of a new house: from the press of the button to the text. */
import { atom } from 'nanostores';
import { ApiError, answer, api } from '../../client/api.ts';
import { type Frame, onFrame, status } from '../../client/feed.ts';

export type First =
  | { state: 'none' }
  | { state: 'recording' | 'processing'; id: string; texts: readonly string[] }
  | { state: 'failed'; id: string; message: string }
  | { state: 'done'; id: string; title: string | null; texts: readonly string[] };

/** Follows the next recording of this user that begins, until its text is there. @returns how to stop */
export function followFirst(): { first: ReturnType<typeof atom<First>>; stop: () => void } {
  const first = atom<First>({ state: 'none' });
  const heard = new Map<number, string>();
  const stopStatus = status.subscribe((now) => {
    const before = first.get();
    if (now?.recording) {
      const { recording_id: id } = now.recording;
      if (before.state === 'none' || before.id !== id) {
        heard.clear();
        first.set({ state: 'recording', id, texts: [] });
      }
      return;
    }
    if (before.state === 'recording') first.set({ ...before, state: 'processing' });
    if (before.state === 'none' || before.state === 'done') return;
    const failure = now?.errors.find(({ recording_id }) => recording_id === before.id);
    if (failure) first.set({ state: 'failed', id: before.id, message: failure.message ?? '' });
  });
  const stopFrames = onFrame((frame: Frame) => {
    const now = first.get();
    if (now.state === 'none' || !('recording_id' in frame) || frame.recording_id !== now.id) return;
    if (frame.type === 'utterance' && 'texts' in now) {
      heard.set(frame.index, frame.text);
      first.set({ ...now, texts: [...heard.values()] });
    }
    if (frame.type === 'saved') void show(first, now.id);
  });
  return {
    first,
    stop() {
      stopStatus();
      stopFrames();
    },
  };
}

/** The text as it is stored. Of a service that is away the frames are enough until it is back. */
async function show(first: ReturnType<typeof atom<First>>, id: string): Promise<void> {
  const now = first.get();
  const heard = 'texts' in now ? now.texts : [];
  try {
    const recording = await answer(api.GET('/recordings/{id}', { params: { path: { id } } }));
    const texts = recording.utterances.map(({ text }) => text);
    first.set({ state: 'done', id, title: recording.title, texts });
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    first.set({ state: 'done', id, title: null, texts: heard });
  }
}

/** Record: one press, wherever one is; questions come later. What stands in the way is in `trouble`. */
import { router } from '../app/routes.ts';
import { ApiError, answer, api } from '../client/api.ts';
import { browserRecording, sourcesHere, trouble } from '../client/microphone/browser-recording.ts';
import { microphone } from './acts.ts';
import { type ChosenSource, chosenKind, chosenSource, sourceOf } from './choice.ts';
import { devices } from './devices.ts';
import { surface } from './surface.ts';
import { isRecording } from '../client/microphone/recording-surface.ts';

/** What a press on Record records from, as it was chosen last. */
const sourceNow = (): ChosenSource =>
  sourceOf(chosenSource.get(), sourcesHere().sources, devices.get());

let isBeginning = false;

/** Begins a recording and opens its note. While one runs, or begins, nothing: a second tap does no harm. */
export async function record(source: ChosenSource = sourceNow()): Promise<void> {
  if (isBeginning || isRecording(surface.get())) return;
  isBeginning = true;
  trouble.set(null);
  try {
    const id = source === 'device' ? await startDevice() : await startHere(source);
    // Who is led through the set-up has the sentence there.
    if (id !== null && router.get()?.route !== 'setup') router.open(`/notes/${id}`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { detail, title } = error.problem;
    // Who has chosen no device meant the browser's own microphone.
    const isInsecure = sourcesHere().insecure && chosenSource.get() !== 'device';
    trouble.set(isInsecure ? { code: 'insecure' } : { code: 'refused', detail: detail ?? title });
  } finally {
    isBeginning = false;
  }
}

/** @throws {ApiError} the device is taken, gone, or there is none. */
async function startDevice(): Promise<string | null> {
  const body = { action: 'start', kind: chosenKind.get() } as const;
  return (await answer(api.POST('/toggle', { body }))).recording_id;
}

/** How long the page waits to open a note that the service has not begun yet, in milliseconds. */
const patience = 5000;

async function startHere(source: Exclude<ChosenSource, 'device'>): Promise<string | null> {
  const page = router.get()?.path;
  await (await microphone()).start(chosenKind.get(), source);
  const id = await idOfBegun();
  return router.get()?.path === page ? id : null;
}

/** Of what this browser has just begun; null: it did not begin, or the service does not answer. */
function idOfBegun(): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(null), patience);
    let stop = () => {};
    const done = (id: string | null) => {
      clearTimeout(timer);
      stop();
      resolve(id);
    };
    stop = browserRecording.listen(look);
    look(browserRecording.get());
    function look(now: ReturnType<typeof browserRecording.get>): void {
      if (now === null || now.recordingId !== null) done(now?.recordingId ?? null);
    }
  });
}

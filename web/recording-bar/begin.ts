/** Record: one press, wherever one is; questions come later. What stands in the way is in `trouble`. */
import { router } from '../app/routes.ts';
import { ApiError, answer, api } from '../client/api.ts';
import type { AudioSource } from '../client/microphone/audio-store.ts';
import { browserRecording, sourcesHere, trouble } from '../client/microphone/browser-recording.ts';
import { tellUntold } from '../client/microphone/untold.ts';
import { microphone } from './acts.ts';
import {
  type ChosenSource,
  chosenKind,
  chosenSource,
  isDevice,
  recorderOf,
  sourceOf,
} from './choice.ts';
import { recorders } from './recorders.ts';
import { goingOn } from './surface.ts';
import { isRecording } from '../client/microphone/recording-surface.ts';

/** What a press on Record records from, as it was chosen last. */
const sourceNow = (): ChosenSource =>
  sourceOf(chosenSource.get(), sourcesHere().sources, recorders.get());

/** What may be said before, and can be said at any time later. */
export type Options = {
  /** Else as a folder or a rule has it, else as it was chosen last. */
  kind?: 'meeting' | 'solo';
  title?: string;
  people?: string[];
  language?: string;
  folder?: string;
  /** Id of the ended recording behind which it is recorded. */
  continues?: string;
};

let isBeginning = false;

/** Begins a recording and opens its note. While one runs, or begins, nothing: a second tap does no harm. */
export async function record(options: Options = {}, source = sourceNow()): Promise<void> {
  if (isBeginning || isRecording(goingOn.get())) return;
  isBeginning = true;
  trouble.set(null);
  try {
    const id = isDevice(source)
      ? await startDevice(source, options)
      : await startHere(source, options);
    // What ended here before is said beside a device at once: none of this browser's ends behind it.
    if (isDevice(source)) tellUntold(false);
    // Who is led through the set-up has the sentence there.
    if (id !== null && router.get()?.route !== 'setup') router.open(`/notes/${id}`);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      // Its script: the service was away, or a new version of it was installed.
      console.warn(error);
      return trouble.set({ code: 'not-loaded', isUnbegun: true });
    }
    const { detail, title } = error.problem;
    // Who has chosen no device meant the browser's own microphone.
    const isInsecure = sourcesHere().insecure && chosenSource.get() === undefined;
    const told = isInsecure
      ? ({ code: 'insecure' } as const)
      : ({ code: 'refused', detail: detail ?? title } as const);
    trouble.set({ ...told, isUnbegun: true });
  } finally {
    isBeginning = false;
  }
}

/** @throws {ApiError} the device is taken, gone, or there is none. */
async function startDevice(source: ChosenSource, options: Options): Promise<string | null> {
  const recorder = recorderOf(source);
  const where = recorder === undefined ? {} : { recorder };
  const { continues: id, kind, ...said } = options;
  if (id !== undefined) {
    const params = { path: { id } };
    const body = { ...where, ...said };
    return (await answer(api.POST('/recordings/{id}/continue', { params, body }))).recording_id;
  }
  const body = { action: 'start', ...kindOf(kind), ...where, ...said } as const;
  return (await answer(api.POST('/toggle', { body }))).recording_id;
}

/** How long the page waits to open a note that the service has not begun yet, in milliseconds. */
const patience = 5000;

async function startHere(
  source: AudioSource,
  { kind, ...options }: Options,
): Promise<string | null> {
  const page = router.get()?.path;
  await (await microphone()).start({ ...kindOf(kind), source }, options);
  const id = await idOfBegun();
  return router.get()?.path === page ? id : null;
}

/** What was chosen for this recording; without it, what was chosen last, which a folder or a rule may know better. */
const kindOf = (kind: Options['kind']) =>
  kind === undefined ? { usual_kind: chosenKind.get() } : { kind };

/** Of what this browser has just begun; null: it did not begin, or the service does not answer. */
async function idOfBegun(): Promise<string | null> {
  const begun = browserRecording.get();
  // It did not begin: what is shown is the rest of an earlier one.
  if (begun === null || begun.state === 'ending') return null;
  return await new Promise((resolve) => {
    const timer = setTimeout(() => done(null), patience);
    let stop = () => {};
    const done = (id: string | null) => {
      clearTimeout(timer);
      stop();
      resolve(id);
    };
    stop = browserRecording.listen(look);
    look(begun);
    function look(now: ReturnType<typeof browserRecording.get>): void {
      if (now === null || now.id !== begun?.id) done(null);
      else if (now.recordingId !== null) done(now.recordingId);
    }
  });
}

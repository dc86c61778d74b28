/** Models of the service's machine, kept up to date by `model` frames while a page shows them. */
import { atom, onMount } from 'nanostores';
import { type Answered, type Schema, answer, api, problemIn } from './api.ts';
import { type Frame, onFrame } from './feed.ts';
import { onceMore } from '../../src/shared/once-more.ts';

export type Model = Answered<'listModels'>['models'][number];
export type ModelProgress = NonNullable<Model['progress']>;

/** null before the first answer. Asked for when a page begins to use it. */
export const models = atom<readonly Model[] | null>(null);

/** Frames come several a second; bytes and time left are asked for this often, in milliseconds. */
const pause = 1_000;
let asked = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

onMount(models, () => {
  void refresh();
  const stop = onFrame((frame) => {
    if (frame.type === 'model') follow(frame);
    // After a gap, what ended in it is not told.
    else if (frame.type === 'status' && Date.now() - asked > pause) void refresh();
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
});

/** Asks the service. An answer that does not come is asked for again with the next frame. */
export const refresh = onceMore(async () => {
  asked = Date.now();
  // The strip above the page says that the service is away; what was known stays.
  await answer(api.GET('/models')).then((found) => models.set(found.models), problemIn);
});

/** @throws {ApiError} */
export async function install(id: string): Promise<void> {
  await answer(api.POST('/models/{id}/install', { params: { path: { id } } }));
  await refresh();
}

/** What arrived is removed. @throws {ApiError} */
export async function cancel(id: string): Promise<void> {
  await answer(api.POST('/models/{id}/cancel', { params: { path: { id } } }));
  await refresh();
}

/** @throws {ApiError} */
export async function remove(id: string): Promise<void> {
  await answer(api.DELETE('/models/{id}', { params: { path: { id } } }));
  await refresh();
}

type ModelFrame = Extract<Frame, { type: 'model' }> & Partial<Schema<'ServerFrame'>>;

function follow({ id, phase, fraction }: ModelFrame): void {
  const known = models.get()?.find((model) => model.id === id);
  // It ended, or began elsewhere: the list says how.
  if (phase === null || !known?.progress) {
    clearTimeout(timer);
    void refresh();
    return;
  }
  models.set(withProgress(models.get() ?? [], id, { ...known.progress, phase, fraction }));
  clearTimeout(timer);
  timer = setTimeout(() => void refresh(), Math.max(0, asked + pause - Date.now()));
}

const withProgress = (all: readonly Model[], id: string, progress: ModelProgress): Model[] =>
  all.map((model) => (model.id === id ? { ...model, progress } : model));

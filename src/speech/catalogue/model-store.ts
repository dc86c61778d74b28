import { rm } from 'node:fs/promises';
import { modelFailure } from '../../words/models.ts';
import type { Sentence } from '../../words/params.ts';
import { detail } from '../../words/details.ts';
import { join } from 'node:path';
import { untilAborted } from '../../shared/abort.ts';
import { exists, syncDirectory } from '../../shared/files.ts';
import { type Listeners, openListeners } from '../../shared/listeners.ts';
import type { Log } from '../../shared/log.ts';
import { Busy, type Limited, limited } from '../../shared/mutex.ts';
import {
  type InstalledModel,
  installedModels,
  isModelId,
  replacedPlace,
} from '../local/local-models.ts';
import type { InstallPhase } from './adopt-model.ts';
import { type CatalogueEntry, readCatalogue } from './catalogue.ts';
import type { DownloadLimits } from './download.ts';
import { importModel } from './import-model.ts';
import { discardPartial, installModel } from './install.ts';
import { ModelError } from './model-error.ts';
import { type Machine, thisMachine } from '../../shared/machine.ts';
import {
  type ModelList,
  type ModelPlaces,
  type ModelProgress,
  type ModelSettings,
  listModels,
} from './list-models.ts';

/** Models on this host: what there is, what there could be, and what is on its way. */
export interface ModelStore {
  list(): Promise<ModelList>;
  /**
   * Begins to install a model, and what it needs beside it; nothing when it is on its way already.
   * @returns settles when it is installed; a failure is also in `list`
   * @throws {ModelError} `model-unknown`, `Busy` at once
   */
  install(id: string): Promise<{ done: Promise<InstalledModel> }>;
  /** Ends an installation. What arrived is removed. Nothing when there is none. */
  cancel(id: string): Promise<void>;
  /** @throws {ModelError} `not-installed` */
  remove(id: string): Promise<void>;
  /** From a file or folder of this host. @throws {ModelError} */
  importFrom(path: string, signal: AbortSignal): Promise<InstalledModel>;
  /** Called some times a second while a model is on its way; null when it is no longer. */
  onProgress(listener: (id: string, progress: ModelProgress | null) => void): () => void;
  /** Ends all installations; what arrived is kept for the next start. */
  close(): Promise<void>;
}

export type ModelStoreOptions = Omit<ModelPlaces, 'machine'> & {
  settings(): ModelSettings;
  log: Log;
  /** Unless given, as they are for servers elsewhere. */
  limits?: DownloadLimits;
  /** Unless given, this one. */
  machine?: Machine;
};

/** Models that are fetched at once, and that wait. */
const atOnceMax = 2;
const waitingMax = 20;

/** One installation that is not done. */
type Work = {
  progress: ModelProgress;
  stop: AbortController;
  /** Nothing of it is to be left; else it is stopped and goes on later. */
  isCancelled: boolean;
  done: Promise<InstalledModel>;
};

type State = Required<Omit<ModelStoreOptions, 'limits'>> & {
  limits: DownloadLimits | undefined;
  works: Map<string, Work>;
  /** Why the last installation failed. `replaces`: a model was there already, and still is. */
  failures: Map<string, { said: Sentence; replaces: boolean }>;
  told: Listeners<[id: string, progress: ModelProgress | null]>;
  slot: Limited;
};

/** Opens the models of this host. Nothing is fetched until a person asks for it. */
export function openModelStore(options: ModelStoreOptions): ModelStore {
  const machine = thisMachine();
  const state: State = {
    machine,
    limits: undefined,
    ...options,
    works: new Map(),
    failures: new Map(),
    told: openListeners(),
    slot: limited(atOnceMax),
  };
  return {
    list: () =>
      listModels(state, state.settings(), {
        progress: (id) => state.works.get(id)?.progress ?? null,
        failure(id, isInstalled) {
          const failure = state.failures.get(id);
          // It came in another way since then: by a command, or by hand.
          return failure && failure.replaces === isInstalled ? failure.said : null;
        },
      }),
    install: async (id) => ({ done: (await begin(state, id)).done }),
    async cancel(id) {
      const work = state.works.get(id);
      if (!work) return;
      work.isCancelled = true;
      work.stop.abort();
      await work.done.catch(() => {}); // it says that it was cancelled
    },
    remove: (id) => removeModel(state, id),
    importFrom: (path, signal) => importOne(state, path, signal),
    onProgress: (listener) => state.told.add(listener),
    async close() {
      const all = [...state.works.values()];
      for (const { stop } of all) stop.abort();
      await Promise.allSettled(all.map(({ done }) => done));
    },
  };
}

async function begin(state: State, id: string): Promise<Work> {
  const { entries } = await readCatalogue(state.catalogueDir);
  const entry = entries.find((one) => one.id === id);
  if (!entry) {
    const known = entries.map((one) => one.id);
    throw new ModelError('model-unknown', detail('model-not-in-catalogue', { model: id, known }));
  }
  for (let running; (running = state.works.get(id));) {
    if (!running.isCancelled) return running;
    await running.done.catch(() => {}); // it says that it was cancelled
  }
  if (state.works.size >= waitingMax) throw new Busy();
  state.failures.delete(id);
  const stop = new AbortController();
  const work: Work = {
    stop,
    isCancelled: false,
    progress: { ...resting, phase: 'waiting' },
    done: Promise.resolve().then(() => install(state, entry, work)),
  };
  state.works.set(id, work);
  // Who began it may not wait for it: the list has the reason.
  work.done.catch((error: unknown) => {
    if (!stop.signal.aborted)
      state.log.warn({ err: error, model: id }, 'installing a model failed');
  });
  return work;
}

const resting = { fraction: null, bytes: 0, total: null, rate: null, seconds_left: null };

async function install(state: State, entry: CatalogueEntry, work: Work): Promise<InstalledModel> {
  const { signal } = work.stop;
  try {
    await companionOf(state, entry, signal);
    let isBegun = false;
    const installed = state.slot(async () => {
      signal.throwIfAborted();
      isBegun = true;
      const model = await installModel(entry, {
        ...placeOf(state),
        mirror: state.settings()['models.mirror'],
        limits: state.limits,
        signal,
        onProgress: progressOf(state, entry.id, work),
      });
      state.log.info({ model: entry.id }, 'model installed');
      return model;
    });
    return await untilAborted(installed, signal).catch((error: unknown) => {
      // What has begun ends by itself, and leaves things in order.
      if (isBegun) return installed;
      throw error;
    });
  } catch (error) {
    if (!signal.aborted) {
      const { models } = await installedModels(state.modelsDir);
      const replaces = models.some(({ id }) => id === entry.id);
      state.failures.set(entry.id, { said: saidOf(error), replaces });
    }
    throw error;
  } finally {
    try {
      if (work.isCancelled) await discardPartial(state.modelsDir[0], entry.id);
    } finally {
      state.works.delete(entry.id);
      state.told.tell(entry.id, null);
    }
  }
}

/** Before it takes a slot: two that wait for a third would hold both. */
async function companionOf(
  state: State,
  { companion }: CatalogueEntry,
  signal: AbortSignal,
): Promise<void> {
  if (companion === undefined) return;
  const { entries } = await readCatalogue(state.catalogueDir);
  const { purpose, title = companion } = entries.find(({ id }) => id === companion) ?? {};
  const { models } = await installedModels(state.modelsDir);
  if (models.some((model) => model.purpose === purpose)) return;
  try {
    await untilAborted((await begin(state, companion)).done, signal);
  } catch (error) {
    // Its own entry says why.
    const said = modelFailure('companion-not-installed', { companion: title });
    throw signal.aborted ? error : new ModelError('download-failed', said, { cause: error });
  }
}

const placeOf = ({ modelsDir }: State) => ({ modelsDir: modelsDir[0], installed: modelsDir });

/** Milliseconds between two frames, and over which the rate is taken. */
const frameMs = 500;
const rateMs = 5000;

function progressOf(state: State, id: string, work: Work) {
  let told = -frameMs;
  let window: { at: number; bytes: number }[] = [];
  return (phase: InstallPhase, bytes: number, total: number | null): void => {
    const now = performance.now();
    const isNew = phase !== work.progress.phase;
    if (isNew) window = [];
    if (!isNew && now - told < frameMs && bytes !== total) return;
    told = now;
    window = [...window.filter(({ at }) => now - at < rateMs), { at: now, bytes }];
    const [first = { at: now, bytes }] = window;
    const rate =
      now > first.at ? Math.round(((bytes - first.bytes) * 1000) / (now - first.at)) : null;
    work.progress = {
      phase,
      fraction: total === null || total === 0 ? null : bytes / total,
      bytes,
      total,
      rate,
      seconds_left:
        rate !== null && rate > 0 && total !== null ? Math.round((total - bytes) / rate) : null,
    };
    state.told.tell(id, work.progress);
  };
}

async function removeModel(state: State, id: string): Promise<void> {
  const folders = state.modelsDir.flatMap((parent) => [
    join(parent, id),
    replacedPlace(parent, id),
  ]);
  let removed = false;
  for (const folder of isModelId(id) ? folders : []) {
    if (!(await exists(folder))) continue;
    await rm(folder, { recursive: true });
    await syncDirectory(join(folder, '..'));
    removed = true;
  }
  if (!removed) throw new ModelError('not-installed', detail('model-not-installed', { model: id }));
  state.failures.delete(id);
  state.log.info({ model: id }, 'model removed');
}

async function importOne(state: State, path: string, signal: AbortSignal): Promise<InstalledModel> {
  const { entries } = await readCatalogue(state.catalogueDir);
  const options = { ...placeOf(state), limits: state.limits, signal, onProgress: () => {} };
  return await state.slot(() => importModel(path, entries, options));
}

const saidOf = (error: unknown): Sentence =>
  error instanceof ModelError ? error.said : modelFailure('model-install-failed');

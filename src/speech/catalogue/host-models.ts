import { loadOnce } from '../../shared/package.ts';
import type { ModelProgress } from './list-models.ts';
import type { ModelStore, ModelStoreOptions } from './model-store.ts';
import { openListeners } from '../../shared/listeners.ts';

type Progress = [id: string, progress: ModelProgress | null];

/** The models of this host for a service, whose start must not wait for what downloads and unpacks them. */
export interface HostModels {
  /** Where they are looked for. */
  readonly folders: readonly [string, ...string[]];
  store(): Promise<ModelStore>;
  /** As `ModelStore.onProgress`, also before the store is opened. */
  onProgress(listener: (...progress: Progress) => void): () => void;
  /** Another process of this host installed or removed a model: who listens is told as of an installation that ended. */
  changed(id: string): void;
  close(): Promise<void>;
}

export function openHostModels(options: ModelStoreOptions): HostModels {
  const { tell, add: onProgress } = openListeners<Progress>();
  let opened: Promise<ModelStore> | undefined;
  const store = loadOnce(() => {
    opened = import('./model-store.ts').then(({ openModelStore }) => {
      const store = openModelStore(options);
      store.onProgress((id, progress) => {
        tell(id, progress);
      });
      return store;
    });
    return opened;
  });
  return {
    folders: options.modelsDir,
    store,
    onProgress,
    changed: (id) => tell(id, null),
    close: async () => (await opened)?.close(),
  };
}

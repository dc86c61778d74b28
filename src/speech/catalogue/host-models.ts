import { loadOnce } from '../../shared/package.ts';
import type { ModelProgress } from './list-models.ts';
import type { ModelStore, ModelStoreOptions } from './model-store.ts';

type Listener = (id: string, progress: ModelProgress | null) => void;

/** The models of this host for a service, whose start must not wait for what downloads and unpacks them. */
export interface HostModels {
  /** Where they are looked for. */
  readonly folders: readonly [string, ...string[]];
  store(): Promise<ModelStore>;
  /** As `ModelStore.onProgress`, also before the store is opened. */
  onProgress(listener: Listener): () => void;
  close(): Promise<void>;
}

export function openHostModels(options: ModelStoreOptions): HostModels {
  const listeners = new Set<Listener>();
  let opened: Promise<ModelStore> | undefined;
  const store = loadOnce(() => {
    opened = import('./model-store.ts').then(({ openModelStore }) => {
      const store = openModelStore(options);
      store.onProgress((id, progress) => {
        for (const listener of listeners) listener(id, progress);
      });
      return store;
    });
    return opened;
  });
  return {
    folders: options.modelsDir,
    store,
    onProgress(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => (await opened)?.close(),
  };
}

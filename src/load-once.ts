/**
 * A part of the program that is loaded when it is first needed, so that the start need not wait for it.
 * All who ask at once get the same; a failure is theirs, and who asks next tries again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    if (loaded) return loaded;
    const loading = load();
    loaded = loading;
    loading.catch(() => {
      if (loaded === loading) loaded = undefined;
    });
    return loading;
  };
}

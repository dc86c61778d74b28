/**
 * Work that is done when it is asked for: where it is at it already, once more behind that, for all that ask meanwhile.
 * Resolves when all is done. Work that asks for the next itself must not wait for it.
 * @throws what the work throws; what was asked for meanwhile is done when it is asked for again
 */
export function onceMore(work: () => Promise<void>): () => Promise<void> {
  let isWanted = false;
  let working: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      while (isWanted) {
        isWanted = false;
        await work();
      }
    } finally {
      working = undefined;
    }
  };
  return () => {
    isWanted = true;
    return (working ??= run());
  };
}

/**
 * One reading at a time, and one more for all that ask meanwhile: what happens while an answer is on its way may not be
 * in it. Resolves when one is over that began no earlier than it was asked for. A reading that asks for the next one
 * itself must not wait for it.
 */
export function latest(read: () => Promise<void>): () => Promise<void> {
  let reading: Promise<void> | undefined;
  let isWanted = false;
  const readWhileWanted = async () => {
    try {
      while (isWanted) {
        isWanted = false;
        await read();
      }
    } finally {
      reading = undefined;
    }
  };
  return () => {
    isWanted = true;
    return (reading ??= readWhileWanted());
  };
}

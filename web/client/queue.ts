/** One at a time: the next begins when the one before is over, also where that one failed, and goes by what it led to. */
export function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = before.then(work, work);
    before = mine.catch(() => undefined);
    return mine;
  };
}

/**
 * What a promise settles with, or what `late` returns or throws when it has not settled after so many milliseconds: then the
 * work goes on, and no one waits for it.
 */
export async function inTime<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return await Promise.race([work, over.then(late)]).finally(() => clearTimeout(timer));
}

/** Parts of a page are made one after the other, each in a task of its own: in between the page answers. */
const waiting: (() => void)[] = [];

/** Does `work` after all that waits already. @returns how to do without */
export function inTurn(work: () => void): () => void {
  if (waiting.push(work) === 1) setTimeout(next);
  return () => {
    const at = waiting.indexOf(work);
    if (at !== -1) waiting.splice(at, 1);
  };
}

function next(): void {
  const work = waiting.shift();
  if (waiting.length > 0) setTimeout(next);
  work?.();
}

/** Levenshtein's distance: letters to insert, remove or replace (Wagner & Fischer, 1974). */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let at = 0; at < one.length; at += 1) {
    let [diagonal, left] = [at, at + 1];
    row = row.map((above, column) => {
      if (column === 0) return left;
      const replaced = diagonal + (one[at] === other[column - 1] ? 0 : 1);
      diagonal = above;
      left = Math.min(replaced, above + 1, left + 1);
      return left;
    });
  }
  return row.at(-1) ?? 0;
}

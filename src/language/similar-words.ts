/**
 * Whether two words may be the same name, heard or inflected a little differently: `Anna`, `Annas`, `Ana`.
 * Words of fewer than four letters must be equal. In lower case, as `spokenWords` gives them.
 */
export function similarWords(one: string, other: string): boolean {
  if (one === other) return true;
  const length = Math.max(one.length, other.length);
  const short = Math.min(one.length, other.length);
  const most = length < 7 ? 1 : 2;
  if (short < 3 || length < 4 || length - short > most) return false;
  return editDistance(one, other) <= most;
}

/** Levenshtein's distance: letters to add, drop or change. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at += 1) {
    const letter = one[at];
    const next = [at + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const change = row[column - 1]! + (letter === other[column - 1] ? 0 : 1);
      next.push(Math.min(change, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

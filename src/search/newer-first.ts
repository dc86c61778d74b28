/** Newest first, in an order that is always the same. */
export const newerFirst = (one: Begun, other: Begun): number => {
  const [a, b] = [`${one.startedAt} ${one.id}`, `${other.startedAt} ${other.id}`];
  return a < b ? 1 : Number(a > b) * -1;
};
type Begun = { id: string; startedAt: string };

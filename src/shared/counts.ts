/** How many there are now under each name. A name without any takes no room. */
export type Counts = {
  of(name: string): number;
  add(name: string): void;
  remove(name: string): void;
};

export function openCounts(): Counts {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    add: (name) => void counts.set(name, of(name) + 1),
    remove(name) {
      if (of(name) > 1) counts.set(name, of(name) - 1);
      else counts.delete(name);
    },
  };
}

/** What is made once for each of some objects, with the first question, and lives as long as its object. */
export function oncePer<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, { it: T }>();
  return (key) => {
    const present = made.get(key) ?? { it: make(key) };
    made.set(key, present);
    return present.it;
  };
}

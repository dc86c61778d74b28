/** An object with a value for each of these keys. */
export const recordOf = <K extends string, V>(
  keys: readonly K[],
  valueOf: (key: K) => V,
): Record<K, V> => Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>;

/** The keys of an object of which nothing but these is known to be there. */
export const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): K[] =>
  Object.keys(record) as K[];

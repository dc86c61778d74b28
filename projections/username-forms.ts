/** The form in which names are compared: without case, compatible characters as one. */
export const usernameKey = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/**
 * Letters that look like another one, out of the confusables of UTS 39: Latin, then Cyrillic and Greek, which stand for
 * whole names, since letters of two scripts are no name.
 */
const lookAlikes = new Map(
  [
    ['01Iıǀøđħłŧɑɡĸ', 'ollilodhltagk'],
    ['аеорсухіјѕһԁԛԝ', 'aeopcyxijshdqw'],
    ['οναρικυγ', 'ovapikuy'],
  ].flatMap(([from = '', to = '']) => Array.from(from, (one, n) => [one, to[n]!] as const)),
);

/** Names of one look are for one user: without accents and strokes, the dot of the i, and signs at the end. */
export const lookOf = (username: string): string =>
  asLookedAt(
    usernameKey(asLookedAt(username.normalize('NFKD').replace(/\p{Script=Inherited}/gu, ''))),
  )
    .replaceAll('rn', 'm')
    .replace(/[@.+_-]{1,32}$/u, '');

const asLookedAt = (text: string): string =>
  Array.from(text, (letter) => lookAlikes.get(letter) ?? letter).join('');

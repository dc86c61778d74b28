import { variableOf } from '../settings.ts';
import { settingKeys } from './schema.ts';

/** What only the environment says, and no key of the configuration. */
const ofTheHost = ['DATA', 'HOST', 'PORT', 'LOG_LEVEL'].map((name) => `MITSCHRIFT_${name}`);

/** Letters that may differ in a name somebody meant. */
const distanceMax = 4;

/** Variables that begin like ours and that nothing reads, each with the one that was probably meant. */
export function unknownVariables(
  env: NodeJS.ProcessEnv,
): { variable: string; nearest: string | null }[] {
  const known = [...ofTheHost, ...settingKeys.map(variableOf)];
  return Object.keys(env)
    .filter((name) => name.startsWith('MITSCHRIFT_') && !known.includes(name))
    .map((variable) => {
      const [nearest] = known
        .map((name) => ({ name, distance: editDistance(variable, name) }))
        .filter(({ distance }) => distance <= distanceMax)
        .toSorted((one, other) => one.distance - other.distance);
      return { variable, nearest: nearest?.name ?? null };
    });
}

/** Levenshtein's distance: letters to insert, remove or replace (Wagner & Fischer, 1974). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let index = 1; index <= one.length; index += 1) {
    const next = [index];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = row[column - 1]! + (one[index - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min(row[column]! + 1, next[column - 1]! + 1, replaced));
    }
    row = next;
  }
  return row.at(-1)!;
}

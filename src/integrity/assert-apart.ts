import { relative } from 'node:path';

/**
 * A new data directory is built beside its place, in one that is cleared first.
 * @throws {Error} when what is to be read lies in there
 */
export function assertApart(source: string, building: string): void {
  if (relative(building, source).startsWith('..')) return;
  throw new Error(
    `The new directory would be built in ${building}, where ${source} is. Choose another one.`,
  );
}

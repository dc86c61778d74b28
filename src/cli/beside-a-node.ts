import type { Host } from '../shared/data-directory.ts';

/**
 * Before a command opens the log in the data directory, since no service answered it.
 * @throws {Error} the log is in a database: a command that opened another one would work on nothing
 */
export function assertLogHere({ cluster }: Host): void {
  if (cluster === null) return;
  throw new Error(
    'No node is running with this MITSCHRIFT_DATA. Run this command on a computer where one is.',
  );
}

import { join } from 'node:path';

/** The built command line, as people run it. `test/run.ts` builds it when a source is newer. */
export const program = join(import.meta.dirname, '../../dist/src/cli/mitschrift.js');

/** A program of the tests' own, as `test/run.ts` has built it (`runner/bundle.ts` lists all). */
export function testProgram(name: string): string {
  const folder = process.env['TEST_PROGRAMS'];
  if (folder === undefined) throw new Error('Run the tests by npx tsx test/run.ts');
  return join(folder, `${name}.js`);
}

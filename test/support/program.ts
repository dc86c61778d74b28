import { join } from 'node:path';

/** The built command line, as people run it. `test/run.ts` builds it when a source is newer. */
export const program = join(import.meta.dirname, '../../dist/src/cli/mitschrift.js');

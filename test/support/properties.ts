/** fast-check, whose runs all begin with the seed of this run of the tests. */
import * as fc from 'fast-check';
import { seed } from './seeded.ts';

fc.configureGlobal({ seed });
export { fc };

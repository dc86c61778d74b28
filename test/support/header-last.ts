import { createHash } from 'node:crypto';

/** The hash of a captured file as its fact has it. */
export const headerLast = (file: Buffer): string =>
  'first-44-last:' +
  createHash('sha256').update(file.subarray(44)).update(file.subarray(0, 44)).digest('hex');

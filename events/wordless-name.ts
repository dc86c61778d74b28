import { createHash } from 'node:crypto';

/**
 * A name for a text that has none of its words in it (SHA-256, hex): for keys of rows, which the
 * database's own files may hold long after the rows are gone.
 */
export const wordlessName = (text: string): string =>
  createHash('sha256').update(text).digest('hex');

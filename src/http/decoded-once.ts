import { Problem } from './problems.ts';

/** Percent-encoding is undone once: `%2F` and `/` are the same, `%252F` is not. */
export function decodedOnce(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new Problem('malformed-request', 'The path is not valid percent-encoded UTF-8.', {
      cause,
    });
  }
}

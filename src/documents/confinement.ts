import { isReservedOnWindows, nameBytesMax, unsafeCharacters } from './file-names.ts';

/** A path that leaves the user's space, or that could on some system. HTTP answers 403. */
export class ConfinementError extends Error {
  override name = 'ConfinementError';
  readonly code = 'OUTSIDE_SPACE';
  readonly status = 403;
  /** The path itself is not in the message: it may carry a title, and messages reach the log. */
  constructor(reason: string, options?: { cause?: unknown }) {
    super(`The path leaves the space of its user: ${reason}.`, options);
  }
}

const segmentsMax = 8;

/**
 * The names a path relative to a space consists of, when each of them is an ordinary name on every
 * system. What was encoded in a URL must have been decoded, once.
 * @throws {ConfinementError}
 */
export function confinedSegments(filename: string): string[] {
  const segments = filename.split('/');
  if (segments.length > segmentsMax) throw new ConfinementError('too many folders');
  for (const segment of segments) {
    const reason = refusal(segment);
    if (reason !== undefined) throw new ConfinementError(reason);
  }
  return segments;
}

/** Why a name is none of ours; also guards names that only Windows reads differently. */
function refusal(name: string): string | undefined {
  if (name === '') return 'an empty name or an absolute path';
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'a control or broken character';
  // Covers `.` and `..`; hidden files in a space are other programs' (`.obsidian`) or half-written.
  if (name.startsWith('.')) return 'a name that begins with a dot';
  if (unsafeCharacters.test(name)) return 'a character with a meaning';
  if (/[. ]$/u.test(name)) return 'a name that ends in a dot or a space';
  if (isReservedOnWindows(name)) return 'a reserved name';
  if (Buffer.byteLength(name) > nameBytesMax) return 'a name that is too long';
  return undefined;
}

import type { Caller } from '../accounts/caller.ts';
import {
  type Right,
  type RightsServices,
  isEnough,
  rightsIn,
  ulidPattern,
} from './visible-recording.ts';

/** Recordings that an answer tells of, and what its caller might do with each then; those that they could not read are left out. */
export type RightsThen = ReadonlyMap<string, Right>;

/** @param parts of the answer, and the path that was asked for */
export async function toldIn(
  services: RightsServices,
  caller: Caller,
  parts: readonly unknown[],
): Promise<RightsThen> {
  const told = new Map<string, Right>();
  for (const id of new Set(parts.flatMap(idsIn))) {
    const right = await rightsIn(services, caller, id);
    if (right) told.set(id, right);
  }
  return told;
}

/**
 * Whether the caller may be given the same answer again: who could read a recording then still may, as far as then. Where
 * the request itself took the right (erased, handed over), its answer was given without one, and is due.
 */
export async function isStillDue(
  services: RightsServices,
  caller: Caller,
  told: RightsThen,
): Promise<boolean> {
  for (const [id, { role, audio }] of told) {
    const now = await rightsIn(services, caller, id);
    if (!now || !isEnough(now, role) || (audio && !now.audio)) return false;
  }
  return true;
}

/** Ids of recordings in a path, or anywhere in an answer. */
function idsIn(part: unknown): string[] {
  if (typeof part === 'string') return part.split('/').filter((id) => ulidPattern.test(id));
  if (typeof part !== 'object' || part === null) return [];
  const isPlain = Array.isArray(part) || Object.getPrototypeOf(part) === Object.prototype;
  return isPlain ? Object.values(part).flatMap(idsIn) : [];
}

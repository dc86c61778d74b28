import { type Right, ownerName } from './visible-recording.ts';
import type { HttpServices } from './services.ts';

/** What an answer says of a recording's sharing, and what of it is its owner's alone. */
type OwnersPart = {
  folder: string | null;
  tags: readonly string[];
  documents: object | null;
};

/**
 * An answer as the caller gets it: how many it is shared with is for the owner, who it is of for all others, who get no
 * folder, no tags and no paths in its owner’s space.
 */
export function asSeen<T extends OwnersPart>(
  { accounts }: Pick<HttpServices, 'accounts'>,
  { row, right }: { row: { owner: string; access: readonly unknown[] }; right: Right },
  answer: T,
) {
  const { role, audio } = right;
  if (role === 'owner') return { ...answer, access: null, shared: row.access.length };
  const access = { role, audio, by: ownerName(accounts, row.owner) };
  return { ...answer, folder: null, tags: [], documents: null, access, shared: 0 };
}

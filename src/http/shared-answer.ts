import { isHeld } from '../../events/facts/holds.ts';
import { isOver } from '../../events/facts/links.ts';
import { countOpen } from './open-links.ts';
import { type Right, ownerName } from './visible-recording.ts';
import { holdShown } from './holds.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import type { HttpServices } from './services.ts';

/** What an answer says of a recording's sharing, and what of it is its owner's alone. */
type OwnersPart = {
  folder: string | null;
  tags: readonly string[];
  documents: object | null;
  error?: { message: string | null; reason: object | null; retriable: boolean } | null;
  activities?: readonly { waiting: object | null }[];
};

/** Of what else an answer has, others get nothing: from which device, for what it waits, of which others it is, what is missing. */
const ofOwner = { device: null, waiting: null, origins: [], ledger: null };
/** Nor do those who may only read. */
const ofCorrectors = { speakers_pending: [] };

/**
 * An answer as the caller gets it: how many it is shared with is for the owner, who it is of for all others, who get no
 * folder, no tags, no paths in its owner’s space, and of what failed only where it did.
 */
export function asSeen<T extends OwnersPart>(
  { accounts }: Pick<HttpServices, 'accounts'>,
  { row, right }: { row: Pick<RecordingRow, 'owner' | 'access' | 'links' | 'hold'>; right: Right },
  answer: T,
) {
  const { role, audio } = right;
  if (role === 'owner') {
    const hold = holdShown({ accounts }, row);
    const links = countOpen(row.links);
    return { ...answer, access: null, shared: row.access.length, links, hold };
  }
  const given = role === 'link' ? 'read' : role;
  const access = { role: given, audio, by: ownerName(accounts, row.owner) };
  const { error, activities } = answer;
  const left: object = {
    ...ofOwner,
    ...(role === 'correct' ? {} : ofCorrectors),
    error: error && { ...error, message: null, reason: null, retriable: false },
    activities: activities?.map((one) => ({ ...one, waiting: null })),
  };
  const there = Object.entries(left).filter(([key]) => key in answer);
  const seen: T = Object.assign({}, answer, Object.fromEntries(there));
  return {
    ...seen,
    folder: null,
    tags: [],
    documents: null,
    access,
    shared: 0,
    links: 0,
    hold: null,
  };
}

/** Whether a link or a protection of it is still to end by the clock: no fact says that the answer is another then. */
export const endsByItself = ({ links, hold }: Pick<RecordingRow, 'links' | 'hold'>): boolean =>
  links.some((one) => one.expiresAt !== null && !isOver(one)) ||
  (hold !== null && hold.until !== null && isHeld(hold, Date.now()));

import type { RetentionTerms, Taken } from '../events/facts/retention.ts';
import type { KeptLine } from './recording-row.ts';

/** What is deleted: the whole note, or its audio alone. */
export const removedParts = ['notes', 'audio'] as const;
export type RemovedPart = (typeof removedParts)[number];

/** What one says of periods, and when that changed last, in milliseconds since the epoch; 0: never. */
export type RetentionLayer = { terms: RetentionTerms; changedAt: number };

/** What holds for the recordings of one user. */
export type RetentionRules = {
  /** `longest`: nothing is kept longer. */
  server: RetentionLayer & { longest: boolean };
  user: RetentionLayer;
  folders: ReadonlyMap<string, RetentionLayer>;
};

/** When a part of a recording is to go, and by whose period. */
export type Due = {
  part: RemovedPart;
  at: number;
} & Pick<Taken, 'rule' | 'days' | 'folder'>;

const dayMs = 86_400_000;
/** A shorter period, or a recording that came under another one or became a note just now, waits for so long. */
export const graceMs = dayMs;

/** What of a recording the periods are asked about. */
export type Dated = Pick<
  KeptLine['core'],
  'folder' | 'startedAt' | 'placedAt' | 'since' | 'hasAudio' | 'state' | 'hold'
>;

/**
 * What of a recording is to go and when, the whole before the audio; none of what still waits for something, failed, or
 * is protected without an end. Pure.
 */
export function dueOf(kept: Dated, rules: RetentionRules): Due[] {
  const { state, hold, hasAudio } = kept;
  if (state !== 'idle.saved' && state !== 'idle.kept') return [];
  if (hold !== null && hold.until === null) return [];
  const held = hold?.until ? Date.parse(hold.until) : 0;
  const [notes, audio] = removedParts.map((part) => {
    const due = periodOf(part, kept, rules);
    return due && { ...due, at: Math.max(due.at, held) };
  });
  const isFirst = hasAudio && audio && (!notes || audio.at < notes.at);
  return [...(notes ? [notes] : []), ...(isFirst ? [audio] : [])];
}

/** The same as if it were not protected. */
export const dueUnheld = (kept: Dated, rules: RetentionRules): Due[] =>
  dueOf({ ...kept, hold: null }, rules);

/** The shortest period of a part in these, in milliseconds: by them nothing younger is due; infinite: nothing is. */
export const shortestMs = (part: RemovedPart, layers: readonly RetentionLayer[]): number =>
  Math.min(...layers.map(({ terms }) => terms[`${part}_days`] ?? Infinity)) * dayMs;

/** The folder's period, else the user's, else the server's, which may be the longest there is. */
function periodOf(
  part: RemovedPart,
  { folder, startedAt, placedAt, since: savedAt }: Dated,
  { server, user, folders }: RetentionRules,
): Due | undefined {
  const field = `${part}_days` as const;
  const own = folder === null ? undefined : folders.get(folder);
  const layers = [
    ...(own ? [{ rule: 'folder' as const, ...own }] : []),
    { rule: 'user' as const, ...user },
    { rule: 'server' as const, ...server },
  ];
  const at = layers.findIndex(({ terms }) => terms[field] !== undefined);
  // Whoever said something else before may have been heard until then.
  const changedAt = Math.max(...layers.slice(0, at + 1).map((layer) => layer.changedAt));
  const dueAfter = (days: number, since: number) =>
    Math.max(
      Date.parse(startedAt) + days * dayMs,
      Date.parse(placedAt) + graceMs,
      // It may have waited for names until now: nobody could foresee it.
      Date.parse(savedAt) + graceMs,
      since === 0 ? 0 : since + graceMs,
    );
  const { rule, terms } = layers[at] ?? { rule: 'server' as const, terms: {} };
  const days = terms[field] ?? null;
  const chosen: Due | undefined =
    days === null
      ? undefined
      : {
          part,
          rule,
          days,
          folder: rule === 'folder' ? folder : null,
          at: dueAfter(days, changedAt),
        };
  const most = server.longest ? (server.terms[field] ?? null) : null;
  if (most === null || (days !== null && days <= most)) return chosen;
  return {
    part,
    rule: 'server',
    days: most,
    folder: null,
    at: dueAfter(most, server.changedAt),
  };
}

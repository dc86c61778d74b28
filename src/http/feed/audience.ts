import type { FactOutline } from '../../../events/facts/catalogue.ts';
import { linesOf } from '../../../projections/recording-row.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { HttpServices } from '../services.ts';
import { rightsOf, sees } from '../visible-recording.ts';

/** Users who hear of a recording that is somebody else's. */
export type Hearers = ReadonlySet<string>;

/** Those among the listeners who may read somebody else's recording now: what the rows say, which are as far as the feed. */
export async function hearersOf(
  services: Pick<HttpServices, 'storage' | 'accounts' | 'settings'>,
  listeners: Iterable<{ caller: Caller }>,
  { recordingId, id: owner }: { recordingId: string; id: string },
): Promise<Hearers> {
  const others = [...listeners].filter(({ caller }) => !sees(caller, owner));
  const asked = new Set(others.map(({ caller }) => caller.userId));
  const hearers = new Set<string>();
  // Most are heard of by their owner alone.
  const [line] = asked.size === 0 ? [] : await linesOf(services.storage, [`/${recordingId}`]);
  const row = line?.core;
  if (!row || (row.access.length === 0 && row.folder === null)) return hearers;
  for (const userId of asked) {
    const caller = { userId, isAdmin: false };
    if (!sees(caller, row.owner) && (await rightsOf(services, caller, row))) hearers.add(userId);
  }
  return hearers;
}

/** Users who are to know that something was shared with them, or is no more: their status names what they can follow. */
export function concernedBy(
  { accounts }: Pick<HttpServices, 'accounts'>,
  fact: FactOutline,
): readonly string[] {
  if (
    fact.type !== 'access.granted' &&
    fact.type !== 'access.withdrawn' &&
    fact.type !== 'folder.shared' &&
    fact.type !== 'folder.unshared'
  )
    return [];
  const { to } = fact.data;
  return to.startsWith('u-')
    ? [to.slice(2)]
    : [...(accounts.findGroup(to.slice(2))?.members ?? [])];
}

import type { Ownership } from '../../events/ownership.ts';
import type { Projection } from '../../projections/runner/projection.ts';
import { served } from '../../projections/served.ts';
import { type OpenedLog, openEventLog } from './event-log.ts';
import type { Host } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';

/** How long what a node holds stays its own after it was last heard of, in milliseconds. */
const leaseMsDefault = 10_000;

/** What tests set of a node. */
export type NodeTrial = {
  /** Milliseconds. */
  leaseMs?: number;
  /** In the place of those that are served: as another release has them. */
  projections?: readonly Projection[];
  /** Puts another ownership in the place of the log's, for what acts on recordings. */
  withOwnership?: (own: Ownership) => Ownership;
};

/**
 * Opens the log of this process alone, or that of the cluster whose node it is: nothing else asks which.
 * @throws {EventStoreError} as `openEventLog`; {DatabaseUnfit} as `openSharedLog`
 */
export async function openLogOf(options: {
  host: Pick<Host, 'data' | 'cluster'>;
  log: Log;
  trial?: NodeTrial;
}): Promise<OpenedLog> {
  const { host, log, trial = {} } = options;
  const { data, cluster } = host;
  const { leaseMs = leaseMsDefault, projections = served, withOwnership = (own) => own } = trial;
  if (!cluster) return await openEventLog(data, log);
  const { openSharedLog } = await import('./shared-log.ts');
  const opened = await openSharedLog({ data, cluster, log, leaseMs, projections });
  return { ...opened, ownership: withOwnership(opened.ownership) };
}

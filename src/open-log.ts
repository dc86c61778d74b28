import { type OpenedLog, openEventLog } from './event-log.ts';
import type { Host } from './shared/data-directory.ts';
import type { Log } from './shared/log.ts';

/**
 * Opens the log of this process alone, or that of the cluster whose node it is: nothing else asks which.
 * @param options.leaseMs of a node, for tests
 * @throws {EventStoreError} as `openEventLog`; {DatabaseUnfit} as `openSharedLog`
 */
export async function openLogOf(options: {
  host: Pick<Host, 'data' | 'cluster'>;
  log: Log;
  leaseMs?: number;
}): Promise<OpenedLog> {
  const { host, log, leaseMs } = options;
  const { data, cluster } = host;
  if (!cluster) return await openEventLog(data, log);
  const { openSharedLog } = await import('./shared-log.ts');
  return await openSharedLog({ data, cluster, log, leaseMs });
}

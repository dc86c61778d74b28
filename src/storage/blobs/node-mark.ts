import type { Log } from '../../shared/log.ts';
import { nodeMarkKey } from '../cluster.ts';
import type { Blobs } from './blobs.ts';

/** Before `collect.ts` takes it for left over. */
const againMs = 24 * 3_600_000;

/**
 * Keeps a file of this node in the store until it is stopped: a node that does not see it has another store, such as
 * a directory that is not mounted.
 * @throws {BlobsError}
 */
export async function keepNodeMark(
  blobs: Blobs,
  nodeId: string,
  log: Pick<Log, 'warn'>,
): Promise<{ stop(): Promise<void> }> {
  const key = nodeMarkKey(nodeId);
  const put = () => blobs.put(key, Buffer.from(`${nodeId}\n`));
  await put();
  const timer = setInterval(() => {
    put().catch((error: unknown) => log.warn({ err: error }, 'the mark of this node grows old'));
  }, againMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await blobs
        .delete(key)
        .catch((error: unknown) => log.warn({ err: error }, 'the mark of this node stays a week'));
    },
  };
}

/**
 * A process that opens logs and reads all there is of them: on its own, because LevelDB ends the process
 * it is in when it meets a damaged table while it compacts (an assertion in its `table_builder.cc`).
 */
import { join } from 'node:path';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { EventStoreError } from '../../events/store.ts';
import { assertTablesReadable } from '../../src/integrity/tables/tables.ts';
import { fingerprint } from './told.ts';

export type ReadRequest = { root: string; streams: string[] };
export type ReadReply =
  | { contents: string }
  /** `seen`: opened, and said so then; else refused at opening. */
  | { damaged: 'seen' | 'refused' }
  | { error: string };

process.on('message', (request: ReadRequest) => {
  read(request).then(
    (contents) => process.send!({ contents } satisfies ReadReply),
    (error: unknown) => process.send!(replyTo(error)),
  );
});
process.on('disconnect', () => process.exit(0));

async function read({ root, streams }: ReadRequest): Promise<string> {
  await assertTablesReadable(join(root, 'log'));
  const keys = await openFileKeys(join(root, 'keys'));
  const log = await openLog({ directory: join(root, 'log'), keys, verifiedPosition: 0 });
  try {
    if (log.health().state !== 'ok') throw new EventStoreError('DAMAGED', 'seen at open');
    const found: unknown[] = [await log.head()];
    for await (const fact of log.readAll()) found.push(fingerprint(fact));
    for (const stream of streams) {
      found.push(await log.version(stream));
      for await (const fact of log.read(stream)) found.push(fingerprint(fact));
    }
    const { damages } = await log.verify({ contents: true });
    if (damages > 0) throw new EventStoreError('DAMAGED', 'seen by verify');
    return JSON.stringify(found);
  } finally {
    await log.close();
  }
}

function replyTo(error: unknown): ReadReply {
  if (!(error instanceof EventStoreError) || error.code !== 'DAMAGED') {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  return { damaged: error.message.startsWith('seen') ? 'seen' : 'refused' };
}

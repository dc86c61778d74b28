import { ulid } from 'ulid';
import { join } from 'node:path';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import {
  completed,
  factTeller,
  tellFinish,
  tellImport,
  tellSpeech,
} from '../support/fact-teller.ts';
import { type BuiltService, setUp } from './built-service.ts';

const together = 50;

/**
 * Makes a data directory with one user who has many transcripts, short unless `textOf` says otherwise, through
 * the log: the service folds them when it starts. Their audio is not there.
 */
export async function fillLibrary(
  service: BuiltService,
  dataDir: string,
  transcripts: number,
  textOf?: (number: number) => string,
): Promise<{ token: string; recordingIds: string[] }> {
  const running = await service.start(dataDir);
  const token = await setUp(running.url);
  await running.end('SIGTERM');
  const store = await openLog({
    directory: join(dataDir, 'log'),
    keys: await openFileKeys(join(dataDir, 'keys')),
  });
  let owner = '';
  for await (const fact of store.read('users', { limit: 1 })) {
    owner = fact.data.user_id;
  }
  const teller = factTeller(store);
  const recordingIds = Array.from({ length: transcripts }, () => ulid());
  for (let first = 0; first < transcripts; first += together) {
    await Promise.all(
      recordingIds.slice(first, first + together).map(async (id, offset) => {
        const number = first + offset;
        const startedAt = new Date(1.7e12 + number * 60_000).toISOString();
        await tellImport(teller, id, { owner, startedAt });
        await tellSpeech(teller, id, ['Guten', 'Tag']);
        const finishing = 'transcribing.finishing(punctuate.running,summarise.running)';
        await teller.of(id, completed(), finishing);
        await tellFinish(teller, id, `Besprechung ${number}`, 1, textOf?.(number));
      }),
    );
  }
  await store.close();
  return { token, recordingIds };
}

import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { EventStoreError } from '../../events/store.ts';
import { sampleFact } from './sample-facts.ts';

/** What a writer on a full disk was told. */
export type FullDiskReport = { acknowledged: string[]; unknown: number; recovered: number };

/** Appends large facts until writing has failed and recovered a few times. */
export async function appendUntilFull(
  directory: string,
  keysDirectory: string,
): Promise<FullDiskReport> {
  const told: FullDiskReport = { acknowledged: [], unknown: 0, recovered: 0 };
  const log = await openLog({
    directory,
    keys: await openFileKeys(keysDirectory),
    report: (message) => {
      if (message.includes('open again at')) told.recovered += 1;
    },
  });
  const data = { key: 'a', value: 'x'.repeat(5_000) };
  for (let n = 1; n <= 2_000 && told.unknown < 3; n += 1) {
    const command = `command-${n}`;
    const version = await log.version('config');
    try {
      const fact = { ...sampleFact('config.key_set', 'config', command), data };
      await log.append('config', [fact as never], version);
      told.acknowledged.push(command);
    } catch (error) {
      if (!(error instanceof EventStoreError) || !error.retriable) throw error;
      if (error.code === 'OUTCOME_UNKNOWN') told.unknown += 1;
      await log.usable();
    }
  }
  await log.close();
  return told;
}

import { EventStoreError } from '../../events/store.ts';
import { openFileKeys } from '../../events/file-keys.ts';
import { openLog } from '../../events/level-log.ts';
import { sampleFact } from '../support/sample-facts.ts';

/*
 * Run by disk-full.test.ts in a process whose files cannot grow: appends until writing has failed
 * and recovered a few times, and says what was acknowledged.
 */
const [directory = '', keysDirectory = ''] = process.argv.slice(2);
let recovered = 0;
const log = await openLog({
  directory,
  keys: await openFileKeys(keysDirectory),
  report: (message) => {
    if (message.includes('open again at')) recovered += 1;
  },
});
const acknowledged: string[] = [];
let unknown = 0;
for (let n = 1; n <= 2_000 && unknown < 3; n += 1) {
  const command = `command-${n}`;
  const version = await log.version('config');
  const value = 'x'.repeat(5_000);
  try {
    const fact = { ...sampleFact('config.key_set', 'config', command), data: { key: 'a', value } };
    await log.append('config', [fact as never], version);
    acknowledged.push(command);
  } catch (error) {
    if (!(error instanceof EventStoreError) || !error.retriable) throw error;
    if (error.code === 'OUTCOME_UNKNOWN') unknown += 1;
    await log.usable();
  }
}
await log.close();
process.stdout.write(JSON.stringify({ acknowledged, unknown, recovered }));

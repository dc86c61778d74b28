/**
 * The service as `main.ts` puts it together, in a process of its own, to be killed. It hears what audio spells
 * (`spelled-audio.ts`), and is otherwise the product's own: its stores, limits, documents and search.
 */
import pino from 'pino';
import { dirname } from 'node:path';
import { startService } from '../../src/main.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { spellingStages } from './spelled-audio.ts';

/** How long a node's recordings are its own after its last word, in milliseconds: others wait for that after a kill. */
const leaseMs = 1000;

const [root] = process.argv.slice(2);
const service = await startService({
  host: hostFrom(process.env),
  env: {},
  log: pino({ level: 'warn' }, process.stdout),
  trial: {
    leaseMs,
    activities: spellingStages(() => root ?? dirname(process.env['MITSCHRIFT_DATA']!)),
  },
});
process.once('SIGTERM', () => void service.close());
console.error(`Mitschrift is running at ${service.url}`);

/**
 * A node of a cluster as `main.ts` puts it together, whose engines only wait: `cluster-node.ts LEASE_MS PACE_MS ENV`,
 * the environment as JSON. One recording after another is recognised, each for so long. Says `{ url }` when it is ready.
 */
import pino from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../src/main.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { simulatedActivities } from '../recordings/simulated-activities.ts';
import { seeded } from '../support/seeded.ts';

const [leaseMs, paceMs, env] = process.argv.slice(2);
const simulated = simulatedActivities(seeded(1), 0);
const service = await startService({
  host: hostFrom({ ...process.env, ...(JSON.parse(env!) as Record<string, string>) }),
  env: {},
  log: pino({ level: 'error' }, pino.destination(2)),
  trial: {
    leaseMs: Number(leaseMs),
    activities: {
      ...simulated,
      transcribe: (job) =>
        simulated.transcribe({
          ...job,
          async acquireSlot(queue) {
            await job.acquireSlot(queue);
            await sleep(Number(paceMs), undefined, { signal: job.signal });
          },
        }),
    },
  },
});
await service.ready;
process.send!({ url: service.url });
// When the bench ends, however it does.
process.once('disconnect', () => process.exit());

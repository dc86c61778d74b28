/** A node of a cluster, as `main.ts` puts it together, with engines that answer slowly: prints what it does, a line each. */
import pino from 'pino';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from '../../events/facts/recording.ts';
import { type Ownership, soleOwnership } from '../../events/ownership.ts';
import { startService } from '../../src/main.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { simulatedActivities } from '../recordings/simulated-activities.ts';
import { seeded } from '../support/seeded.ts';
import type { NodeLine, NodeOptions } from './cluster-told.ts';

const { seed, leaseMs, paceMs, isGated } = JSON.parse(process.argv[2]!) as NodeOptions;
const random = seeded(seed);
const { write: _, ...engines } = simulatedActivities(random, 0);
let launches = 0;

const activities = Object.fromEntries(
  Object.entries(engines).map(([stage, work]) => [stage, paced(stage as Stage, work)]),
);
const service = await startService({
  host: hostFrom(process.env),
  env: {},
  log: pino({ level: 'warn' }, process.stderr),
  trial: { leaseMs, activities, ...(isGated ? {} : { withOwnership: ungated }) },
});
process.once('SIGTERM', () => void service.close());
await service.ready;
say({ ready: service.url });

/** Every recording that it asks for is its own. */
function ungated(own: Ownership): Ownership {
  const sole = soleOwnership();
  return {
    ...own,
    claim: (name, signal) => (name.startsWith('recording:') ? sole : own).claim(name, signal),
  };
}

/** Says when it has started and when it ends. Half of the engines answer although they were asked to stop. */
function paced(stage: Stage, work: StageActivity): StageActivity {
  return async (job) => {
    const { recordingId, signal } = job;
    const launch = (launches += 1);
    const listens = random.chance(0.5);
    const slow = async () => {
      await pause(paceMs * (0.5 + random.next()), undefined, listens ? { signal } : {});
    };
    let hasBegun = false;
    try {
      await work({
        ...job,
        async acquireSlot({ name }) {
          await job.acquireSlot({ name, concurrency: 8 });
          hasBegun = true;
          say({ began: recordingId, stage, launch });
        },
        async append(...offered) {
          await slow();
          await job.append(...offered);
        },
      });
      say({ ended: launch, how: 'answered' });
    } catch (error) {
      if (hasBegun) say({ ended: launch, how: signal.aborted ? 'stopped' : 'refused' });
      throw error;
    }
  };
}

/** At once: a process that is killed has said it. */
function say(line: NodeLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileKeys } from '../../events/file-keys.ts';
import { openLog } from '../../events/level-log.ts';
import { builtService, untilListening, type BuiltService } from './built-service.ts';
import { fillLog } from './fill-log.ts';
import { bestOf, milliseconds, type Measured } from './measure.ts';

const facts = Number(process.env['BENCH_FACTS'] ?? 1_000_000);
const repetitions = 10;

/** From the command to the address being told: against bare libraries, and with a long log against an empty one. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const service = await builtService();
  try {
    const empty = join(root, 'empty');
    const bareServer = join(import.meta.dirname, 'bare-server.mjs');
    const bare = () => timeToListen([bareServer], join(root, 'bare'));
    const toEmpty = await bestOf(repetitions, () => serviceStart(service, empty), bare);
    yield {
      what: 'start of the compiled service, against koa + ws + xstate + level listening (time)',
      ours: milliseconds(toEmpty.ours),
      bare: milliseconds(toEmpty.bare),
      ratio: toEmpty.ours / toEmpty.bare,
      aim: '≤ 1.5',
    };

    const full = join(root, 'full');
    await filled(full);
    // The first start folds all of it and writes the checkpoints.
    await serviceStart(service, full);
    const toFull = await bestOf(
      repetitions,
      () => serviceStart(service, full),
      () => serviceStart(service, empty),
    );
    yield {
      what: `start with ${facts.toLocaleString('en')} checkpointed facts, against an empty log (time)`,
      ours: milliseconds(toFull.ours),
      bare: milliseconds(toFull.bare),
      ratio: toFull.ours / toFull.bare,
      aim: '≤ 1.3',
    };
    // All tables of the log are looked at then.
    await serviceStart(service, full, 'SIGKILL');
    const afterKill = await serviceStart(service, full);
    yield {
      what: 'the same after kill -9, against the start after a clean end (time)',
      ours: milliseconds(afterKill),
      bare: milliseconds(toFull.ours),
      ratio: afterKill / toFull.ours,
      aim: '',
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const serviceStart = (
  service: BuiltService,
  data: string,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM',
): Promise<number> => timeToListen([service.main, 'serve'], data, signal);

async function timeToListen(
  args: string[],
  data: string,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<number> {
  const begun = performance.now();
  const running = await untilListening(args, { MITSCHRIFT_DATA: data });
  const ms = performance.now() - begun;
  await running.end(signal);
  return ms;
}

/** Settled recordings: those at work would be taken up again, which is no part of the start. */
async function filled(data: string): Promise<void> {
  const log = await openLog({
    directory: join(data, 'log'),
    keys: await openFileKeys(join(data, 'keys')),
  });
  await fillLog(log, facts, { settled: true });
  await log.close();
}

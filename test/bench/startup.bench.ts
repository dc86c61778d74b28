import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { setUp } from '../support/service-process.ts';
import {
  type BuiltService,
  builtProgram,
  builtService,
  untilAnswered,
  untilListening,
} from './built-service.ts';
import { fillLog } from './fill-log.ts';
import { type Measured, bestOf, countFrom, milliseconds, msOf } from './measure.ts';

export const about =
  'start to the first answer, against bare libraries; a long log against an empty one';
export const throughBuild = true;

const facts = countFrom('BENCH_FACTS', 1_000_000);
const repetitions = countFrom('BENCH_STARTS', 10);

/** From the command to the first answer: `GET /status` of ours, anything of the bare server. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    const service = await builtService();
    const empty = await prepared(service, join(root, 'empty'));
    const bareServer = await builtProgram('bare-server');
    const toEmpty = await bestOf(
      repetitions,
      () => serviceStart(service, empty),
      () => timeToAnswer([bareServer], { data: join(root, 'bare'), path: '/' }),
    );
    yield {
      what: 'start of the built service, against koa + ws + xstate + level built and listening',
      ours: milliseconds(toEmpty.ours),
      bare: milliseconds(toEmpty.bare),
      ratio: toEmpty.ours / toEmpty.bare,
      aim: '≤ 1.5',
    };

    const full = await prepared(service, join(root, 'full'));
    await filled(full.data);
    // The first start folds all of it and writes the checkpoints.
    await serviceStart(service, full);
    const toFull = await bestOf(
      repetitions,
      () => serviceStart(service, full),
      () => serviceStart(service, empty),
    );
    yield {
      what: `start with ${facts.toLocaleString('en')} checkpointed facts, against an empty log`,
      ours: milliseconds(toFull.ours),
      bare: milliseconds(toFull.bare),
      ratio: toFull.ours / toFull.bare,
      aim: '≤ 1.3',
    };
    // All tables of the log are looked at then.
    await serviceStart(service, full, 'SIGKILL');
    const afterKill = await serviceStart(service, full);
    yield {
      what: 'the same after kill -9, against the start after a clean end',
      ours: milliseconds(afterKill),
      bare: milliseconds(toFull.ours),
      ratio: afterKill / toFull.ours,
      aim: '',
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** What is started, and asked. */
type Started = { data: string; path: string; token?: string };

/** A data directory that has an administrator. */
async function prepared(service: BuiltService, data: string): Promise<Started> {
  const running = await service.start(data);
  const token = await setUp(running.url);
  await running.end('SIGTERM');
  return { data, path: '/status', token };
}

const serviceStart = (
  service: BuiltService,
  started: Started,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM',
): Promise<number> => timeToAnswer([service.main, 'serve'], started, signal);

async function timeToAnswer(
  args: string[],
  { data, path, token }: Started,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<number> {
  let end = async (): Promise<void> => undefined;
  const ms = await msOf(async () => {
    const running = await untilListening(args, { MITSCHRIFT_DATA: data });
    end = () => running.end(signal);
    await untilAnswered(running.url, path, token);
  });
  await end();
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
